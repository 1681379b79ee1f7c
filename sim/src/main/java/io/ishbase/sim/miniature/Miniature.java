package io.ishbase.sim.miniature;

import io.ishbase.sim.design.Data;
import io.ishbase.sim.design.Design;
import io.ishbase.sim.design.Designs;
import io.ishbase.sim.design.Read;
import io.ishbase.sim.design.RegionServer;
import io.ishbase.sim.workload.Parameters;
import io.ishbase.sim.workload.Requests;
import io.ishbase.sim.workload.Zipf;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A table at a smaller scale, on which a cache of the same part of it does the same.
 *
 * <p>Each row of the miniature stands for k rows of the table that follow one another in popularity
 * and is asked for as often as these together. A cache keeps a row by how often it is asked for,
 * beside how often others are; the k rows do not differ in that, but for the few most popular ones,
 * which any cache keeps. So the hit ratio is the table's. Sampling k-th rows instead would leave
 * the most popular ones to chance. Rows keep their size and their number in a block, so a cache's
 * bookkeeping weighs as much as in the table. Time runs so that a neighbourhood of rows is asked
 * for as often as one of the table is. A segment cache of the miniature gets as much more memory as
 * its chunks are smaller than those of a large one.
 */
public final class Miniature {
  private static final long DATA_BYTES = 72L << 20;
  private static final int LEAST_ROWS = 2_048;
  private static final int MOST_ROWS = 65_536;
  private static final int MIN_CACHE_BYTES = 128 << 10;

  /** A segment cache of fewer has chunks that are too small for such rows. */
  private static final int MIN_CACHE_ROWS = 1_024;

  /** How often each row is asked for, on average; the first two thirds only warm the cache. */
  private static final int READS_OF_ROW = 12;

  private static final int LEAST_READS = 30_000;
  private static final int KEY_BYTES = 8;

  private final TableLoad table;
  private final Parameters parameters;
  private final int rows;
  private final long nanosBetweenReads;

  /** The rows that are asked for, in order, and whether by a Get. */
  private final int[] keys;

  private final boolean[] isGet;

  /**
   * A miniature of as many rows as are enough.
   *
   * @param seed of the draws
   */
  public Miniature(TableLoad table, long seed) {
    this(
        table, seed, (int) Math.max(LEAST_ROWS, Math.min(MOST_ROWS, DATA_BYTES / rowBytes(table))));
  }

  /**
   * @param mostRows the rows are about as many, or as the table has
   */
  Miniature(TableLoad table, long seed, int mostRows) {
    this.table = table;
    int rowBytes = rowBytes(table);
    int blockBytes = Math.max(rowBytes, table.blockBytes());
    int ofBlock = blockBytes / rowBytes;
    double atMost = Math.min(mostRows, Math.max(1, table.rows()));
    int blocks = Math.max(1, (int) (atMost / ofBlock));
    parameters =
        Parameters.seed()
            .with("blocks", blocks)
            .with("block.bytes", blockBytes)
            .with("cell.bytes", rowBytes)
            .with("key.bytes", KEY_BYTES);
    rows = Requests.keys(parameters);
    double reads = table.gets() + table.scans();
    double scale = Math.max(1, table.rows() / rows);
    nanosBetweenReads = Math.max(1, (long) (scale * 1e9 / Math.max(1e-3, reads)));
    SplittableRandom random = new SplittableRandom(seed);
    double rowsOfRead = (table.gets() + table.scans() * table.scanRows()) / Math.max(1e-3, reads);
    int count = (int) Math.max(LEAST_READS, READS_OF_ROW * rows / Math.max(1, rowsOfRead));
    keys = draw(random.split(), random.split(), count);
    isGet = new boolean[keys.length];
    SplittableRandom kinds = random.split();
    for (int i = 0; i < isGet.length; i++) {
      isGet[i] = reads == 0 || kinds.nextDouble() * reads < table.gets();
    }
  }

  // A row has a key and a payload, whatever the table says.
  private static int rowBytes(TableLoad table) {
    return Math.max(2 * KEY_BYTES, table.rowBytes());
  }

  private int[] draw(SplittableRandom ranks, SplittableRandom places, int count) {
    int[] place = new int[rows];
    for (int i = 0; i < rows; i++) {
      int other = table.scattered() ? places.nextInt(i + 1) : i;
      place[i] = place[other];
      place[other] = i;
    }
    int[] drawn = new int[count];
    long all = (long) Math.max(rows, table.rows());
    Zipf zipf = table.exponent() > 0 ? new Zipf(all, table.exponent()) : null;
    for (int i = 0; i < count; i++) {
      int rank =
          zipf == null
              ? ranks.nextInt(rows)
              : (int) Math.min(rows - 1, zipf.draw(ranks) * ((double) rows / all));
      drawn[i] = place[rank];
    }
    return drawn;
  }

  /** Rows of the miniature. */
  int rows() {
    return rows;
  }

  /**
   * The smallest part of the table for which a cache of the miniature is large enough to be one.
   */
  double leastShare() {
    double rowBytes = parameters.number("cell.bytes");
    return Math.max(MIN_CACHE_BYTES, MIN_CACHE_ROWS * rowBytes) / (rows * rowBytes);
  }

  /** What reads fetch through a cache of that part of the table. */
  public Fetches run(Designs design, double share) {
    return new Run(design, share).toEnd();
  }

  /** One design, one size. */
  private final class Run implements RegionServer {
    private final double share;
    private final Design design;
    private final Read read = new Read();
    private final List<Runnable> arriving = new ArrayList<>();
    private long nanos;
    private long requests;
    private long getFetches;
    private long scanFetches;
    private long scanBytes;
    private long unasked;
    private long unaskedBytes;

    Run(Designs which, double share) {
      this.share = share;
      design = which.make(parameters.with("cache", ofMiniature(which)), new Data(parameters), this);
    }

    private double ofMiniature(Designs which) {
      double bytes = (double) rows * parameters.whole("cell.bytes");
      return which == Designs.IN_STORAGE
          ? Efficiency.budget(share * bytes, parameters.whole("cell.bytes"), KEY_BYTES) / bytes
          : share;
    }

    Fetches toEnd() {
      long gets = 0;
      long scans = 0;
      for (int i = 0; i < keys.length; i++) {
        if (i == keys.length / 3 * 2) {
          getFetches = scanFetches = scanBytes = unasked = unaskedBytes = 0;
          gets = scans = 0;
        }
        read(keys[i], isGet[i]);
        gets += isGet[i] ? 1 : 0;
        scans += isGet[i] ? 0 : 1;
      }
      close();
      double reads = gets + scans;
      return new Fetches(
          share,
          getFetches / Math.max(1.0, gets),
          scanFetches / Math.max(1.0, scans),
          scanBytes / Math.max(1.0, scans),
          unasked / reads,
          unaskedBytes / reads);
    }

    private void read(int key, boolean get) {
      requests++;
      nanos += nanosBetweenReads;
      read.begin(get, key, get ? 1 : Math.min(rows - key, Math.max(1, table.scanRows())));
      while (design.goesOn(read)) {
        getFetches += get ? 1 : 0;
        scanFetches += get ? 0 : 1;
        scanBytes += get ? 0 : read.bytes();
      }
      // What was fetched for nobody comes once the read that gave rise to it is done.
      List<Runnable> come = new ArrayList<>(arriving);
      arriving.clear();
      come.forEach(Runnable::run);
    }

    private void close() {
      if (design instanceof AutoCloseable resources) {
        try {
          resources.close();
        } catch (Exception e) {
          throw new IllegalStateException(e);
        }
      }
    }

    @Override
    public long nanos() {
      return nanos;
    }

    @Override
    public double mbps() {
      return parameters.number("line.mbps");
    }

    @Override
    public long requests() {
      return requests;
    }

    @Override
    public void inBackground(int cells, long bytes, Runnable arrived) {
      unasked++;
      unaskedBytes += bytes;
      arriving.add(arrived);
    }
  }
}
