package io.ishbase.dist;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.client.Admin;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code ./ishbase flush TABLE}: writes a table's memstores to HFiles. */
@Command(
    name = "flush",
    description = "Write what of a table is in memory to HFiles.",
    mixinStandardHelpOptions = true)
final class FlushCommand implements Callable<Integer> {
  @Mixin private TargetTable target;

  @Override
  public Integer call() throws IOException {
    target.use(
        (connection, table) -> {
          try (Admin admin = connection.getAdmin()) {
            admin.flush(table);
          }
        });
    return 0;
  }
}
