package io.ishbase.core.memory;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * How often a cache would hit if it were larger or smaller, of entries that are asked for: a sample
 * of them, chosen by hash, stands in a list by recency that is longer than the cache (its end are
 * ghosts), and how many others were asked for since an entry was asked for last is the size from
 * which on the cache would have had it. This is SHARDS (Waldspurger and others, FAST 2015) with a
 * bound on the entries that are watched: beyond it the share that is sampled is halved. Whether one
 * of the few hottest entries is in the sample is luck; what is counted too much or too little for
 * it is put right where small caches would hit (the paper's SHARDS-adj).
 *
 * <p>It is the curve of a cache that goes by recency. One that goes by heat hits more often where
 * it is small, so that what it is told to be worth at the edge is too much rather than too little.
 *
 * <p>What is long ago counts for less: half after {@value #HALF_LIFE_SECONDS} seconds. Thread safe;
 * an access that is not in the sample costs a hash and a counter.
 */
public final class ReuseCurve {
  /** Entries that are watched at most. */
  static final int MAX_WATCHED = 8192;

  /** Entries that are watched at least, if there are so many. */
  static final int LEAST_WATCHED = MAX_WATCHED / 8;

  /** More accesses of the sample in a second make it smaller: each takes a lock. */
  private static final double MAX_RECORDED_PER_SECOND = 20_000;

  private static final double HALF_LIFE_SECONDS = 30;

  /** Taken for how long a miss takes, as long as none was seen: a cache may be filled before. */
  private static final double USUAL_MISS_NANOS = 300_000;

  /** A miss that takes so many times as long as others counts as that: it was a pause. */
  private static final double MOST_OF_MISS = 8;

  /** So many misses are never forgotten: a cache that always hits is worth what it spares. */
  private static final double MISSES_KEPT = 1;

  private static final int SLOTS = 2 * MAX_WATCHED;

  /** Bins of the histogram for each doubling of the distance. */
  private static final int BINS_OF_DOUBLING = 32;

  private static final int BINS = 40 * BINS_OF_DOUBLING;
  private static final long ALL = 1L << 32;

  /** Entries are watched whose hash is below it, of {@link #ALL}. */
  private volatile long threshold = ALL;

  /** Accesses since time passed last, in the sample or not. */
  private final LongAdder recent = new LongAdder();

  // Guarded by this.
  private final Map<Long, Integer> slotOf = new HashMap<>();
  private final long[] hashAt = new long[SLOTS];

  /** Of the slots that are in use, as a Fenwick tree. */
  private final int[] counts = new int[SLOTS + 1];

  private int nextSlot;

  /** By the logarithm of the distance: how often an entry was asked for again. */
  private final double[] reuses = new double[BINS];

  /** Accesses by the weight of those that were in the sample, since time passed last. */
  private double recentByWeight;

  private long recorded;

  private double accesses;
  private double seconds;
  private double misses;
  private double missNanos;

  /**
   * Takes note that an entry was asked for.
   *
   * @param hash of its key; need not be a good one
   * @return whether it is of the sample
   */
  public boolean accessed(long hash) {
    recent.increment();
    long mixed = mix(hash);
    if (mixed >>> 32 >= threshold) {
      return false;
    }
    record(mixed);
    return true;
  }

  private static long mix(long hash) {
    long mixed = (hash ^ hash >>> 32) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ mixed >>> 29) * 0x94D049BB133111EBL;
    return mixed ^ mixed >>> 32;
  }

  /** From now on nothing is watched: an access costs a hash and a counter, and is not told of. */
  public synchronized void end() {
    threshold = 0;
    slotOf.clear();
  }

  private synchronized void record(long hash) {
    if (threshold == 0) {
      return;
    }
    double weight = (double) ALL / threshold;
    recentByWeight += weight;
    recorded++;
    Integer slot = slotOf.get(hash);
    if (slot != null) {
      int since = slotOf.size() - countUpTo(slot);
      reuses[bin((since + 1) * weight)] += weight;
      add(slot, -1);
      slotOf.remove(hash);
    }
    if (nextSlot == SLOTS) {
      renumber();
    }
    hashAt[nextSlot] = hash;
    slotOf.put(hash, nextSlot);
    add(nextSlot, 1);
    nextSlot++;
    while (slotOf.size() > MAX_WATCHED) {
      watchHalf();
    }
  }

  private void watchHalf() {
    threshold /= 2;
    slotOf.keySet().removeIf(watched -> watched >>> 32 >= threshold);
    renumber();
  }

  /** Takes the slots in their order, without those that are not in use. */
  private void renumber() {
    int used = 0;
    for (int slot = 0; slot < nextSlot; slot++) {
      Integer current = slotOf.get(hashAt[slot]);
      if (current != null && current == slot) {
        hashAt[used] = hashAt[slot];
        slotOf.put(hashAt[used], used);
        used++;
      }
    }
    nextSlot = used;
    Arrays.fill(counts, 0);
    for (int slot = 0; slot < used; slot++) {
      add(slot, 1);
    }
  }

  private void add(int slot, int change) {
    for (int i = slot + 1; i <= SLOTS; i += i & -i) {
      counts[i] += change;
    }
  }

  private int countUpTo(int slot) {
    int count = 0;
    for (int i = slot + 1; i > 0; i -= i & -i) {
      count += counts[i];
    }
    return count;
  }

  private static int bin(double distance) {
    int bin = (int) (Math.log(Math.max(1, distance)) / Math.log(2) * BINS_OF_DOUBLING);
    return Math.min(bin, BINS - 1);
  }

  /** Takes note of how long it took to get an entry that the cache did not have, in nanoseconds. */
  public synchronized void missTook(long nanos) {
    missNanos += Math.min(nanos, MOST_OF_MISS * nanosOfMiss());
    misses++;
  }

  /**
   * Takes note that time has passed.
   *
   * @param maxEntries more would not fit into all memory there is: what was asked for longer ago is
   *     forgotten
   */
  public synchronized void elapsed(double elapsedSeconds, double maxEntries) {
    long counted = recent.sumThenReset();
    reuses[0] += counted - recentByWeight;
    accesses += counted;
    recentByWeight = 0;
    double kept = Math.pow(0.5, elapsedSeconds / HALF_LIFE_SECONDS);
    for (int i = 0; i < BINS; i++) {
      reuses[i] *= kept;
    }
    accesses *= kept;
    if (misses * kept > MISSES_KEPT) {
      misses *= kept;
      missNanos *= kept;
    }
    seconds = (seconds + elapsedSeconds) * kept;
    forget((int) Math.min(MAX_WATCHED, Math.ceil(maxEntries * threshold / ALL)));
    double load = recorded / (MAX_RECORDED_PER_SECOND * elapsedSeconds);
    recorded = 0;
    if (load > 1 && slotOf.size() >= 2 * LEAST_WATCHED) {
      watchHalf();
    } else if (load < 0.5 && threshold < ALL && slotOf.size() < LEAST_WATCHED) {
      threshold *= 2;
    }
  }

  private void forget(int kept) {
    if (slotOf.size() > kept) {
      renumber();
      for (int slot = 0; slot < nextSlot - kept; slot++) {
        slotOf.remove(hashAt[slot]);
      }
      renumber();
    }
  }

  /** How often in a second entries are asked for. */
  public synchronized double accessesPerSecond() {
    return seconds == 0 ? 0 : accesses / seconds;
  }

  /** How long it takes to get an entry that the cache does not have, in nanoseconds. */
  public synchronized double nanosOfMiss() {
    return misses == 0 ? USUAL_MISS_NANOS : missNanos / misses;
  }

  /**
   * What a cache saves by its size, as of now.
   *
   * @param entryBytes memory of an entry
   * @return does not change any more
   */
  public synchronized Utility utility(double entryBytes) {
    if (seconds == 0) {
      return Utility.NONE;
    }
    double nanosOfHit = nanosOfMiss() / seconds;
    double sum = 0;
    double[] upTo = new double[BINS + 1];
    for (int i = 0; i < BINS; i++) {
      sum += reuses[i] * nanosOfHit;
      upTo[i + 1] = Math.max(upTo[i], sum);
    }
    return bytes -> {
      double entries = bytes / entryBytes;
      if (entries <= 1) {
        return 0;
      }
      double position = Math.log(entries) / Math.log(2) * BINS_OF_DOUBLING;
      int bin = (int) Math.min(position, BINS - 1);
      // A bin holds the distances from its own power of two on: within it, linearly.
      double from = Math.pow(2, (double) bin / BINS_OF_DOUBLING);
      double to = Math.pow(2, (bin + 1.0) / BINS_OF_DOUBLING);
      double share = Math.min(1, (entries - from) / (to - from));
      return upTo[bin] + share * (upTo[bin + 1] - upTo[bin]);
    };
  }

  /** Entries that are watched now. */
  synchronized int watched() {
    return slotOf.size();
  }
}
