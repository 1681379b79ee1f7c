package io.ishbase.dist;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.TableDescriptor;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./ishbase alter TABLE KEY=VALUE...}: changes the schema of a table or of a family. */
@Command(
    name = "alter",
    description = {
      "Change a table or a family, such as ishbase.read=stock or BLOCKSIZE=8192.",
      "A key in capitals is an attribute of HBase's, any other goes to CONFIGURATION.",
      "KEY= takes a key away."
    },
    mixinStandardHelpOptions = true)
final class AlterCommand implements Callable<Integer> {
  @Mixin private TargetTable target;

  @Parameters(index = "1..*", arity = "1..*", paramLabel = "KEY=VALUE", description = "What.")
  private Map<String, String> changes;

  @Option(names = "--family", description = "Which family; the table itself unless said.")
  private String family;

  @Override
  public Integer call() throws IOException {
    target.use(
        (connection, table) -> {
          try (Admin admin = connection.getAdmin()) {
            TableDescriptor before = admin.getDescriptor(table);
            admin.modifyTable(SchemaChange.apply(before, family, changes));
            System.out.println(admin.getDescriptor(table));
          }
        });
    return 0;
  }
}
