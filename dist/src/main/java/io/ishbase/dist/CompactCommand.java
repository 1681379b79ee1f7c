package io.ishbase.dist;

import io.ishbase.cluster.Progress;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CompactionState;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./ishbase compact TABLE}: compacts a table, and waits for the end of that. */
@Command(
    name = "compact",
    description = "Compact a table and wait until that is done.",
    mixinStandardHelpOptions = true)
final class CompactCommand implements Callable<Integer> {
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  @Mixin private TargetTable target;

  @Option(
      names = "--major",
      description = "All files of each store into one, and deleted cells dropped.")
  private boolean major;

  @Override
  public Integer call() throws IOException {
    target.use(
        (connection, table) -> {
          try (Admin admin = connection.getAdmin();
              Progress progress = new Progress("compacting " + table, 0)) {
            if (major) {
              admin.majorCompact(table);
            } else {
              admin.compact(table);
            }
            awaitEnd(admin, table);
            progress.done("./ishbase compactions explain says where");
          }
        });
    return 0;
  }

  private static void awaitEnd(Admin admin, TableName table) throws IOException {
    while (admin.getCompactionState(table) != CompactionState.NONE) {
      LockSupport.parkNanos(POLL_NANOS);
    }
  }
}
