package io.ishbase.dist;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.NamespaceNotFoundException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./ishbase create TABLE FAMILY...}: makes a table. */
@Command(
    name = "create",
    description = "Make a table; ./ishbase alter changes it.",
    mixinStandardHelpOptions = true)
final class CreateCommand implements Callable<Integer> {
  @Mixin private TargetTable target;

  @Parameters(index = "1..*", arity = "1..*", paramLabel = "FAMILY", description = "Its families.")
  private List<String> families;

  @Option(
      names = "--split",
      split = ",",
      paramLabel = "ROW",
      description = "Rows at which regions begin; one region unless said.")
  private List<String> splits = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    TableName name = target.name();
    TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(name);
    for (String family : families) {
      try {
        table.setColumnFamily(ColumnFamilyDescriptorBuilder.of(family));
      } catch (IllegalArgumentException e) {
        throw new CliException("'" + family + "' cannot be a family: " + e.getMessage(), e);
      }
    }
    byte[][] rows =
        splits.isEmpty() ? null : splits.stream().map(RowKey::of).toArray(byte[][]::new);
    try (Connection connection = ConnectionFactory.createConnection(target.configuration());
        Admin admin = connection.getAdmin()) {
      TargetCluster.requireAnswer(admin);
      if (admin.tableExists(name)) {
        throw new CliException("There is a table " + name + " already");
      }
      try {
        admin.createTable(table.build(), rows);
      } catch (IllegalArgumentException e) {
        throw new CliException((rows == null ? "" : "--split: ") + e.getMessage(), e);
      } catch (NamespaceNotFoundException e) {
        String namespace = name.getNamespaceAsString();
        throw new CliException(
            "There is no namespace %s: create_namespace '%s' in the HBase shell"
                .formatted(namespace, namespace),
            e);
      }
    }
    return 0;
  }
}
