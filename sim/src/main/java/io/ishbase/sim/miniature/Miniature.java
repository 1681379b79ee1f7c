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

  /** What is asked for, in order. */
  private final Reads asked;

  /** Rows of the table, or of its part that was traced, for each row here. */
  private final double scale;

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
    double atMost = Math.min(mostRows, Math.max(1, table.rows()));
    parameters = parameters(table, Math.max(1, (int) (atMost / rowsOfBlock(table))));
    rows = Requests.keys(parameters);
    scale = 1;
    double reads = table.gets() + table.scans();
    nanosBetweenReads = nanos(Math.max(1, table.rows() / rows), reads);
    SplittableRandom random = new SplittableRandom(seed);
    double rowsOfRead = (table.gets() + table.scans() * table.scanRows()) / Math.max(1e-3, reads);
    int count = (int) Math.max(LEAST_READS, READS_OF_ROW * rows / Math.max(1, rowsOfRead));
    int[] keys = draw(random.split(), random.split(), count);
    int[] lengths = new int[count];
    SplittableRandom kinds = random.split();
    for (int i = 0; i < count; i++) {
      boolean isGet = reads == 0 || kinds.nextDouble() * reads < table.gets();
      lengths[i] = isGet ? 0 : Math.max(1, table.scanRows());
    }
    asked = new Reads(rows, keys, lengths, 1);
  }

  /**
   * One that is asked for what was once asked of the table, or of a part of it. Where it is too
   * large for that, of a part of that, in whole neighbourhoods.
   */
  public Miniature(TableLoad table, Reads traced) {
    this.table = table;
    int mostRows = (int) Math.max(LEAST_ROWS, Math.min(MOST_ROWS, DATA_BYTES / rowBytes(table)));
    asked = traced.thinned(mostRows);
    if (asked.count() == 0) {
      throw new IllegalArgumentException(
          "The trace has "
              + traced.count()
              + " reads among "
              + traced.rows()
              + " rows: too few to make a smaller one of it");
    }
    int ofBlock = rowsOfBlock(table);
    parameters = parameters(table, Math.max(1, (asked.rows() + ofBlock - 1) / ofBlock));
    rows = Requests.keys(parameters);
    scale = Math.max(1, table.rows() * asked.part() / rows);
    nanosBetweenReads = nanos(1, (table.gets() + table.scans()) * asked.partOfReads());
  }

  private static Parameters parameters(TableLoad table, int blocks) {
    return Parameters.seed()
        .with("blocks", blocks)
        .with("block.bytes", Math.max(rowBytes(table), table.blockBytes()))
        .with("cell.bytes", rowBytes(table))
        .with("key.bytes", KEY_BYTES);
  }

  private static int rowsOfBlock(TableLoad table) {
    return Math.max(rowBytes(table), table.blockBytes()) / rowBytes(table);
  }

  /** Between reads of which each stands for so many. */
  private static long nanos(double times, double aSecond) {
    return Math.max(1, (long) (times * 1e9 / Math.max(1e-3, aSecond)));
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
   * By how much the table, or its part that was traced, is larger in rows that are not asked for.
   */
  double scale() {
    return scale;
  }

  /**
   * The smallest part of the table for which a cache of the miniature is large enough to be one.
   */
  double leastShare() {
    double rowBytes = parameters.number("cell.bytes");
    return Math.max(MIN_CACHE_BYTES, MIN_CACHE_ROWS * rowBytes) / (rows * rowBytes) / scale;
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
          ? Efficiency.budget(share * scale * bytes, parameters.whole("cell.bytes"), KEY_BYTES)
              / bytes
          : share * scale;
    }

    Fetches toEnd() {
      long gets = 0;
      long scans = 0;
      for (int i = 0; i < asked.count(); i++) {
        if (i == asked.count() / 3 * 2) {
          getFetches = scanFetches = scanBytes = unasked = unaskedBytes = 0;
          gets = scans = 0;
        }
        boolean isGet = asked.isGet(i);
        read(asked.key(i), asked.length(i), isGet);
        gets += isGet ? 1 : 0;
        scans += isGet ? 0 : 1;
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

    private void read(int key, int length, boolean get) {
      requests++;
      nanos += nanosBetweenReads;
      read.begin(get, key, length);
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
