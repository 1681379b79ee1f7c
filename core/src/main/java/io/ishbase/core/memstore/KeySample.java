package io.ishbase.core.memstore;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Estimates how many of a memstore's cells a merge of its data would leave, while they are written:
 * of each column a merge leaves no more cells than the family keeps versions. Columns whose hash is
 * low are counted, fewer of them the more there are (adaptive sampling: Flajolet 1990), so that the
 * estimate is some 4 % off, in 24 KB. What deletes hide it does not see.
 *
 * <p>Thread safe; a write takes a lock only when its column is in the sample and one more cell of
 * it would stay.
 */
public final class KeySample {
  private static final int MOST_KEYS = 1024;
  private static final int SLOTS = 2 * MOST_KEYS;

  /** Where more are kept, all are: a popular column would stand for too many cells. */
  private static final int MOST_VERSIONS = 16;

  /** From one point of the curve to the next so much more has come at least. */
  private static final double STEP = 1.05;

  private static final int POINTS = 64;

  /** The slope is that of what has come since so much of all had. */
  private static final double RECENT = 0.75;

  private final int versions;
  private final LongAdder come = new LongAdder();

  /** Hashes, of which 0 is none, and how many cells each stands for. Written under the lock. */
  private final AtomicLongArray keys = new AtomicLongArray(SLOTS);

  private final AtomicIntegerArray counts = new AtomicIntegerArray(SLOTS);
  private int sampled;
  private long leftOfSample;

  /** A hash belongs to the sample if it has none of these bits. Written under the lock. */
  private volatile long mask;

  /** The curve: so many cells had come, and so many would have been left; the newest points. */
  private final long[] pointCome = new long[POINTS];

  private final double[] pointLeft = new double[POINTS];
  private int points;
  private double nextPoint;

  /**
   * @param versions that a merge leaves of a column, at least 1
   */
  public KeySample(int versions) {
    this.versions = versions;
  }

  /**
   * A cell was written.
   *
   * @param hash of its column, however badly mixed; of a delete, one that no other cell has
   */
  public void add(long hash) {
    come.increment();
    if (versions > MOST_VERSIONS) {
      return;
    }
    long mixed = mixed(hash);
    if ((mixed & mask) == 0) {
      long key = mixed == 0 ? Long.MIN_VALUE : mixed;
      if (!isFull(key)) {
        addToSample(key);
      }
    }
  }

  /**
   * Whether a merge leaves no more of this column than was counted. Takes no lock, since all writes
   * of a few counters come here: beside one who halves or clears the sample a cell may be missed.
   */
  private boolean isFull(long key) {
    int slot = slot(key);
    for (int looks = 0; looks < SLOTS; looks++) {
      long found = keys.getOpaque(slot);
      if (found == key) {
        return counts.getOpaque(slot) >= versions;
      }
      if (found == 0) {
        return false;
      }
      slot = next(slot);
    }
    return false;
  }

  private static int slot(long key) {
    return (int) (key >>> 32) & (SLOTS - 1);
  }

  private static int next(int slot) {
    return (slot + 1) & (SLOTS - 1);
  }

  /** As MurmurHash3 ends. */
  private static long mixed(long hash) {
    long mixed = (hash ^ (hash >>> 33)) * 0xFF51AFD7ED558CCDL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xC4CEB9FE1A85EC53L;
    return mixed ^ (mixed >>> 33);
  }

  private synchronized void addToSample(long key) {
    if ((key & mask) != 0) {
      return;
    }
    long before = leftOfSample;
    count(key, 1);
    if (leftOfSample > before) {
      if (sampled > MOST_KEYS) {
        halve();
      }
      addPoint(come.sum());
    }
  }

  private void addPoint(long now) {
    if (now >= nextPoint) {
      pointCome[points % POINTS] = now;
      pointLeft[points % POINTS] = left();
      points++;
      nextPoint = STEP * now;
    }
  }

  private void count(long key, int cells) {
    int slot = slot(key);
    while (keys.get(slot) != 0 && keys.get(slot) != key) {
      slot = next(slot);
    }
    if (keys.get(slot) == 0) {
      keys.set(slot, key);
      sampled++;
    }
    int before = counts.get(slot);
    int counted = Math.min(versions, before + cells);
    leftOfSample += counted - before;
    counts.set(slot, counted);
  }

  private void halve() {
    long[] oldKeys = new long[SLOTS];
    int[] oldCounts = new int[SLOTS];
    for (int slot = 0; slot < SLOTS; slot++) {
      oldKeys[slot] = keys.get(slot);
      oldCounts[slot] = counts.get(slot);
    }
    mask = 2 * mask + 1;
    empty();
    for (int slot = 0; slot < SLOTS; slot++) {
      if (oldKeys[slot] != 0 && (oldKeys[slot] & mask) == 0) {
        count(oldKeys[slot], oldCounts[slot]);
      }
    }
  }

  private void empty() {
    for (int slot = 0; slot < SLOTS; slot++) {
      keys.setOpaque(slot, 0);
      counts.setOpaque(slot, 0);
    }
    sampled = 0;
    leftOfSample = 0;
  }

  /** The memstore's cells are on their way to disk, and what comes is counted anew. */
  public synchronized void clear() {
    empty();
    mask = 0;
    come.reset();
    points = 0;
    nextPoint = 0;
  }

  /** How many cells a merge would leave of those that have come, but for what deletes hide. */
  public synchronized double left() {
    return versions > MOST_VERSIONS ? come.sum() : (double) leftOfSample * (mask + 1);
  }

  /**
   * By how many cells {@link #left} would grow for each of so many more that come, 0 to 1. New
   * columns become rarer: their number grows as a power of the cells' (Heaps 1978), whose exponent
   * is that of what has come lately.
   */
  public synchronized double slope(double more) {
    long now = come.sum();
    long fromCome = 0;
    double fromLeft = 0;
    for (int i = Math.max(0, points - POINTS); i < points; i++) {
      if (pointCome[i % POINTS] <= RECENT * now || fromCome == 0) {
        fromCome = pointCome[i % POINTS];
        fromLeft = pointLeft[i % POINTS];
      }
    }
    double left = left();
    if (now <= fromCome || fromLeft == 0) {
      return 1;
    }
    double exponent = Math.log(left / fromLeft) / Math.log((double) now / fromCome);
    double grown = left * (Math.pow(1 + Math.max(1, more) / now, exponent) - 1);
    return Math.max(0, Math.min(1, grown / Math.max(1, more)));
  }
}
