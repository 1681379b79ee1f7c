package io.ishbase.core.memstore;

import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Chooses what a memstore does after each in-memory flush: nothing, flatten the index of what was
 * just flushed, merge the indexes, or merge the data. The choice that Accordion (Bortnikov et al.,
 * PVLDB 2018, section 5) leaves to its user.
 *
 * <p><b>Merging data</b> drops cells that newer ones hide, so that more is written before the
 * memory is full. Memory is worth something only when it is about to run out, so data is merged
 * then, once, and not after each in-memory flush. What it costs: its work, and what the writes for
 * which it makes room leave in the memstore, each a later flush's bytes. It pays as long as this is
 * less for each of these writes than what a flush now, with all merges before it, costs for each
 * write since the last flush (the rule of marginal value: Charnov 1976). How many cells a merge
 * drops, and how many of those that come then, a {@link KeySample} of the writes tells; what it
 * does not see, deletes, the flushes to disk show, which drop the same cells. Nothing has to be
 * tried.
 *
 * <p><b>A cell on disk</b> costs the flush's time for its bytes, and the same and a look at the
 * cell as often as compactions write it again. A byte has a least price: a flush returns when its
 * bytes are in the page caches of the DataNodes, but each replica's disk still has to write them.
 *
 * <p><b>The active segment</b> is a skip list, whose objects the collector visits until they leave.
 * Flattening it spares that, but each segment more is one more that reads look at: the more reads
 * there are for a write, the larger it is, up to where data is to be merged. What comes when that
 * does not pay may be one segment, too, and all of them stay skip lists.
 *
 * <p><b>Merging indexes</b> spares reads a look at each segment. Reads pay rent for the segments
 * beyond the first until a merge would have cost as much (ski rental: never more than twice what
 * the best choice in hindsight costs).
 *
 * <p>Costs are measured, but for the two named below; time comes from a clock that is given. Thread
 * safe.
 */
public final class MemstorePolicy {
  /** What to do. */
  public enum Step {
    NOTHING,
    FLATTEN,
    MERGE,
    COMPACT
  }

  /**
   * What a memstore holds but for its active segment.
   *
   * @param fill of the memory that makes the region flush to disk, by all of its stores; 1: it does
   * @param segments how many a read has to look at
   * @param cells in them
   * @param bytes of these cells' keys and values
   */
  public record Pipeline(double fill, int segments, long cells, long bytes) {
    static final Pipeline EMPTY = new Pipeline(0, 0, 0, 0);
  }

  /** Reads look at no more segments than this, however seldom they are. */
  private static final int MOST_SEGMENTS = 64;

  /** Segments that are left as they are, before one is flattened to see what it costs. */
  private static final int UNFLATTENED = 16;

  /** Data is merged before the memory is so full: the flush to disk must not come first. */
  private static final double FULL = 0.95;

  /** So much earlier is as good: segments do not end where they should to the byte. */
  private static final double SLACK = 0.05;

  /** What a read's look at one more segment costs. Chosen: a seek among some 10⁴ keys. */
  private static final double SEEK_NANOS = 1000;

  /** What a cell in a skip list costs the collector. Chosen: three objects, copied twice. */
  private static final double GARBAGE_NANOS = 200;

  /** A segment is not below this part of the memory. */
  private static final int MOST_PARTS = 32;

  /** So much more may be paid for fewer bytes on disk. Chosen: what nobody would notice. */
  private static final double FOR_BYTES = 1.03;

  private static final double MOST_REWRITES = 10;

  /** Fewer cells than these say nothing of how long one takes. */
  private static final long LEAST_CUT = 100;

  /**
   * How often a byte is written again, and for how many flushes this counts beside what is
   * measured: the first files wait for compactions that are yet to come.
   */
  private static final double ASSUMED_REWRITES = 1;

  private static final double ASSUMED_FLUSHES = 4;

  /** What a merge of data costs for a cell, until one has been tried: low, so that one is tried. */
  private static final double ASSUMED_COMPACT_NANOS = 400;

  /** The least price of a byte to disk. Chosen: one disk of 100 MB/s. */
  static final double LEAST_DISK_NANOS = 10;

  private final LongSupplier clock;

  /** Costs: of a cell that is merged with its data, in the index, and flattened. */
  private final Average compactNanos = new Average(ASSUMED_COMPACT_NANOS, 50, 50_000);

  private final Average mergeNanos = new Average(150, 10, 50_000);
  private final Average flattenNanos = new Average(100, 10, 1e9);

  /** Costs of a byte that goes to disk, and how often it is written again later. */
  private final Average diskNanos = new Average(10, LEAST_DISK_NANOS, 50);

  private double rewrites = ASSUMED_REWRITES;
  private int flushes;

  /** Of what comes to the memstore, and how many cells are left where it says one is. */
  private final KeySample sample;

  private final Average leftOfSample = new Average(1, 0, 2);

  /** How long a merge of data takes for a cell, which is more than its work where others wait. */
  private final Average compactWait = new Average(1000, 50, 50_000);

  /** Growth of {@code fill} in a nanosecond. */
  private final Average fillNanos = new Average(0, 0, 1);

  /** Reads for each cell written. */
  private final Average readsPerCell = new Average(0, 0, 1e9);

  /** Since the last flush to disk. */
  private Life life = new Life();

  /** On its way to disk, and what the sample says of it. */
  private Pipeline flushingCells = Pipeline.EMPTY;

  private double flushingLeft;
  private long flushingNanos;

  private boolean mergesPay = true;

  /** When the last step was chosen; NaN: something has left since. */
  private double lastFill;

  private long lastNanos;

  /** Of reads, for segments beyond the first. */
  private double rent;

  private int unflattened;

  /** To which the step at hand belongs. */
  private Life stepLife = life;

  private long stepNanos;

  /** Of so many cells a merge was to leave so many, by the sample alone. */
  private long stepCells;

  private double stepLeft;

  /**
   * @param clock nanoseconds
   * @param sample of all cells that come to the memstore; the policy clears it when they leave
   */
  public MemstorePolicy(LongSupplier clock, KeySample sample) {
    this.clock = clock;
    this.sample = sample;
    this.lastNanos = clock.getAsLong();
  }

  /**
   * How many bytes of cells the active segment takes before it is flushed in memory. It ends where
   * data is to be merged at the latest: until then nobody asks whether that pays.
   *
   * @param fill as of {@link Pipeline}, without this segment
   * @param capacity bytes of cells in active segments at which it is 1
   * @param least a smaller one is not worth its memory, but for one that ends there
   * @return {@link Long#MAX_VALUE}: as many as come
   */
  public synchronized long activeBytes(double fill, long capacity, long least) {
    double parts = parts();
    double part = 1 / Math.max(1, Math.min(MOST_PARTS, parts));
    long wanted =
        parts < 2 && !mergesPay ? Long.MAX_VALUE : Math.max(least, (long) (capacity * part));
    double rest = due() - fill;
    return rest > SLACK ? Math.min(wanted, (long) (capacity * rest)) : wanted;
  }

  /** Into how many segments reads and the collector would have the memory divided. */
  private double parts() {
    double spared = Math.max(0, GARBAGE_NANOS - flattenNanos.value());
    return spared == 0 ? 0 : Math.sqrt(2 * spared / (readsPerCell.value() * SEEK_NANOS));
  }

  /**
   * What to do with {@code pipeline}, to which a segment has just come.
   *
   * @param reads that looked at all segments since the last time
   * @param mayCopy whether there is memory for what a merge of data makes
   */
  public synchronized Step next(Pipeline pipeline, long reads, boolean mayCopy) {
    long now = clock.getAsLong();
    long come = life.come(pipeline.cells);
    stepLife = life;
    stepNanos = now;
    if (come > 0) {
      readsPerCell.observed((double) reads / come);
    }
    stepCells = pipeline.cells;
    stepLeft = sample.left();
    grown(pipeline.fill, now);
    rent += reads * SEEK_NANOS * Math.max(0, pipeline.segments - 1);
    if (pipeline.cells == 0) {
      return Step.NOTHING;
    }
    if (pipeline.fill + SLACK >= due()) {
      mergesPay = compactionPays(pipeline, life);
      if (mergesPay && mayCopy) {
        return Step.COMPACT;
      }
    }
    if (pipeline.segments > 1
        && (pipeline.segments >= MOST_SEGMENTS || rent >= pipeline.cells * mergeNanos.value())) {
      return Step.MERGE;
    }
    return flatteningPays() ? Step.FLATTEN : Step.NOTHING;
  }

  private void grown(double fill, long now) {
    double growth = fill - lastFill;
    if (growth > 0) {
      fillNanos.observed(growth / Math.max(1, now - lastNanos));
    }
    lastFill = fill;
    lastNanos = now;
  }

  /** How full it may be before data is merged: what comes meanwhile must still have room. */
  private double due() {
    double meanwhile = fillNanos.value() * life.cells * compactWait.value();
    return Math.max(FULL / 2, FULL - meanwhile);
  }

  private boolean compactionPays(Pipeline pipeline, Life of) {
    double left = Math.min(pipeline.cells, left());
    double freed = pipeline.cells - left;
    double leftOfNext = leftOf(freed);
    double merge = compactNanos.value() * pipeline.cells;
    double cellToDisk = cellToDiskNanos((double) pipeline.bytes / pipeline.cells);
    // A flush looks at each cell as a merge does.
    double flushNow = left * cellToDisk + merge + of.mergesNanos;
    // What comes then finds the merged segment there, at which reads look, too.
    double looks = freed * readsPerCell.value() * SEEK_NANOS;
    double longer = merge + looks + freed * leftOfNext * cellToDisk;
    return longer < FOR_BYTES * freed * flushNow / of.absorbed;
  }

  /** Of each of so many cells that come next. */
  private double leftOf(double next) {
    return Math.min(1, sample.slope(next) * leftOfSample.value());
  }

  private double left() {
    return sample.left() * leftOfSample.value();
  }

  /** A skip list stays one where flattening costs more than the collector does, or reads pay. */
  private boolean flatteningPays() {
    if (flattenNanos.value() < GARBAGE_NANOS) {
      return parts() >= 2;
    }
    // Cells that are too large for a chunk are copied. They may have become smaller.
    unflattened++;
    if (unflattened >= UNFLATTENED) {
      unflattened = 0;
      return true;
    }
    return false;
  }

  /** A compaction of files, too, looks at each cell as a merge does. */
  private double cellToDiskNanos(double bytes) {
    return bytes * diskNanos.value() * (1 + rewrites) + rewrites * compactNanos.value();
  }

  /** A segment of {@code cells} was flattened. */
  public synchronized void flattened(long cells, long nanos) {
    if (cells > 0) {
      flattenNanos.observed((double) nanos / cells);
    }
  }

  /** The indexes of {@code cells} were merged. */
  public synchronized void merged(long cells, long nanos) {
    rent = 0;
    if (cells > 0) {
      mergeNanos.observed((double) nanos / cells);
    }
  }

  /**
   * The data of {@code before} cells was merged, and so many are left.
   *
   * @param nanos of work
   */
  public synchronized void compacted(long before, long cells, long nanos) {
    rent = 0;
    if (before > 0) {
      compactNanos.observed((double) nanos / before);
      compactWait.observed((double) (clock.getAsLong() - stepNanos) / before);
    }
    if (stepLife == life) {
      learnLeft(cells, stepLeft);
      life.merged(cells, nanos);
      lastFill = Double.NaN;
    }
  }

  /**
   * A flush to disk came while data was merged, and took it as it was: the next merge has to begin
   * earlier.
   *
   * @param cells that it had left until then
   */
  public synchronized void cut(long cells) {
    double read = cells * Math.max(1, stepCells / Math.max(1, stepLeft * leftOfSample.value()));
    compactWait.observed((clock.getAsLong() - stepNanos) / Math.max(LEAST_CUT, read));
  }

  /**
   * All that is held begins to go to disk.
   *
   * @param bytes of its {@code cells}
   * @param reads as for {@link #next}
   */
  public synchronized void flushing(long cells, long bytes, long reads) {
    long come = life.come(cells);
    if (come > 0) {
      readsPerCell.observed((double) reads / come);
    }
    flushingCells = new Pipeline(1, 1, cells, bytes);
    if (cells > 0) {
      mergesPay = compactionPays(flushingCells, life);
    }
    flushingLeft = sample.left();
    sample.clear();
    flushingNanos = clock.getAsLong();
    life = new Life();
    lastFill = Double.NaN;
    rent = 0;
  }

  /**
   * It is on disk.
   *
   * @param writtenCells those that no newer one hid; negative: unknown
   * @param bytesRewritten by compactions for each byte flushed, of all that the store ever did;
   *     negative: unknown
   */
  public synchronized void flushed(long writtenCells, double bytesRewritten) {
    long cells = flushingCells.cells;
    if (bytesRewritten >= 0) {
      flushes++;
      rewrites =
          (ASSUMED_FLUSHES * ASSUMED_REWRITES + flushes * Math.min(MOST_REWRITES, bytesRewritten))
              / (ASSUMED_FLUSHES + flushes);
    }
    if (cells > 0 && writtenCells > 0) {
      // Without looking at each cell, which a merge does as well.
      double nanos = clock.getAsLong() - flushingNanos - cells * compactNanos.value();
      diskNanos.observed(nanos / Math.max(1, (double) flushingCells.bytes * writtenCells / cells));
    }
    if (writtenCells >= 0) {
      learnLeft(writtenCells, flushingLeft);
    }
    flushingCells = Pipeline.EMPTY;
  }

  private void learnLeft(long cells, double ofSample) {
    if (ofSample > 0) {
      leftOfSample.observed(cells / ofSample);
    }
  }

  /** For people. */
  @Override
  public synchronized String toString() {
    return String.format(
        Locale.ROOT,
        "a merge leaves %.0f cells, and %.0f %% of those that come; %.0f ns a cell;"
            + " %.1f ns a byte to disk, which is written again %.1f times",
        left(),
        100 * leftOf(1),
        compactNanos.value(),
        diskNanos.value(),
        rewrites);
  }

  /** What came to the memstore from one flush to disk to the next. */
  private static final class Life {
    private long cells;
    private long absorbed;
    private double mergesNanos;

    /** So many are there now. Returns how many have come. */
    long come(long all) {
      long come = Math.max(0, all - cells);
      absorbed += come;
      cells = all;
      return come;
    }

    void merged(long left, long nanos) {
      cells = left;
      mergesNanos += nanos;
    }
  }

  /** A moving average; the first observation replaces what was assumed. */
  private static final class Average {
    private final double least;
    private final double most;
    private double value;
    private boolean isMeasured;

    Average(double assumed, double least, double most) {
      this.value = assumed;
      this.least = least;
      this.most = most;
    }

    void observed(double observation) {
      double bounded = Math.max(least, Math.min(most, observation));
      value = isMeasured ? (value + bounded) / 2 : bounded;
      isMeasured = true;
    }

    double value() {
      return value;
    }
  }
}
