package io.ishbase.bench;

import io.ishbase.cluster.Mode;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;

/** Gets, short Scans and Puts of whole rows, in shares. A Put writes what was loaded. */
public final class MixedLoad implements Load {
  private final YcsbTable table;
  private final double readShare;
  private final double getShare;
  private final int meanScanRows;
  private final GetLoad gets;
  private final ScanLoad scans;
  private final long seed;
  private final IntFunction<LongSupplier> draws;

  /**
   * A load.
   *
   * @param readShare of Gets and Scans among all operations; the others are Puts
   * @param getShare of Gets among Gets and Scans
   * @param meanScanRows Scans have from 1 row to twice this less one, each as often
   */
  public MixedLoad(
      YcsbTable table,
      Keys keys,
      double readShare,
      double getShare,
      int meanScanRows,
      Mode mode,
      long seed) {
    this.table = table;
    this.readShare = readShare;
    this.getShare = getShare;
    this.meanScanRows = meanScanRows;
    this.gets = new GetLoad(table, keys, 1, mode, seed);
    this.scans = new ScanLoad(table, keys, meanScanRows, mode, seed);
    this.seed = seed;
    this.draws = keys.ongoingDraws(seed);
  }

  @Override
  public Client open(int worker) throws IOException {
    Table open = table.open();
    LongSupplier rows = draws.apply(worker);
    SplittableRandom random = new SplittableRandom(~(seed * 1000 + worker));
    return new Client() {
      @Override
      public void operate(Tally tally) throws IOException {
        long row = rows.getAsLong();
        if (random.nextDouble() >= readShare) {
          tally.kind("put");
          Put put = table.put(row);
          open.put(put);
          tally.wrote(Moved.of(put));
        } else if (random.nextDouble() < getShare) {
          tally.kind("get");
          gets.get(open, row, tally);
        } else {
          tally.kind("scan");
          scans.scan(open, row, 1 + random.nextInt(2 * meanScanRows - 1), tally);
        }
      }

      @Override
      public void close() throws IOException {
        open.close();
      }
    };
  }
}
