package io.ishbase.bench;

import io.ishbase.cluster.Mode;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import site.ycsb.DBException;
import site.ycsb.workloads.CoreWorkload;

/**
 * A workload of YCSB's. What YCSB draws is not ours to seed. Rows that it inserts stay: the next
 * workload counts them in.
 */
public final class YcsbLoad implements Load {
  private final YcsbTable table;
  private final CoreWorkload workload;
  private final AtomicLong rows;
  private final Mode mode;

  private YcsbLoad(YcsbTable table, CoreWorkload workload, AtomicLong rows, Mode mode) {
    this.table = table;
    this.workload = workload;
    this.rows = rows;
    this.mode = mode;
  }

  /**
   * The same workload in a mode for each name; both go on where the other stopped inserting.
   *
   * @param properties YCSB's
   * @param rows that the table has; inserts are added
   */
  public static List<Variant> modes(
      List<Mode> modes, YcsbTable table, Map<String, String> properties, AtomicLong rows) {
    Map<String, String> all = new HashMap<>(properties);
    all.put("recordcount", Long.toString(rows.get()));
    CoreWorkload workload = table.workload(all);
    return Variant.modes(modes, mode -> new YcsbLoad(table, workload, rows, mode));
  }

  @Override
  public Client open(int worker) {
    HBaseBinding binding = new HBaseBinding(table.connection(), YcsbTable.FAMILY, mode, false);
    return new Client() {
      @Override
      public void operate(Tally tally) throws IOException {
        binding.tallyTo(tally);
        try {
          workload.doTransaction(binding, null);
        } catch (RuntimeException e) {
          throw new IOException(e.getMessage(), e);
        }
        if (binding.lastFailure() != null) {
          throw binding.lastFailure();
        }
        if (tally.kind().equals("insert")) {
          rows.incrementAndGet();
        }
      }

      @Override
      public void close() throws IOException {
        try {
          binding.cleanup();
        } catch (DBException e) {
          throw new IOException(e);
        }
      }
    };
  }
}
