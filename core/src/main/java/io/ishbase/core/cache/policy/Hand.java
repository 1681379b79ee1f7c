package io.ishbase.core.cache.policy;

import java.util.Arrays;

/**
 * Decides what leaves the cache. The hand goes round the chunks, the oldest first; of each, the
 * entries that are worth it are moved to the end of the main queue and the rest is dropped. A pure
 * state machine: its caller has the chunks.
 *
 * <p>Rows go by hotness, {@code H_i = a R_i + (1 - a) H_(i-1)} (IS-HBase, TOS 2022, section 6,
 * where it is that of a region of a block), with R the hits since the hand came by last and a small
 * {@code a}, so that it is nearly how often a row was asked for. Rows that left are remembered with
 * their heat ({@link Ghosts}), since most rows that are worth caching are asked for less often than
 * new ones leave. Of main chunks goes what is not above a limit, which follows the quarter of the
 * main queue that is the coldest; of each something, so that the hand's work for a byte of room is
 * bounded however hot all is.
 *
 * <p>A row that is above the limit when it comes goes to the main queue. Others wait in a small
 * queue and are dropped unless hit before the hand comes, so a scan passes through without hurting.
 * This is the shape of S3-FIFO (Yang and others, SOSP 2023).
 *
 * <p>What was hot for long would stay for long after it is no longer asked for. When {@link
 * PhaseDetector} says that this is so, the hand goes by recency: all that is new goes to the main
 * queue, and of its oldest chunks most is dropped, whatever the heat, which is halved.
 *
 * <p>So partial segments, rows that were read one by one, have to prove themselves. Complete ones,
 * the stretches that an upgrade brought, enter the main queue: they keep their hot rows, lose the
 * cold ones, and are partial then.
 *
 * <p>Guarded by the cache's lock.
 */
public final class Hand {
  /** Heap of the table by heat. */
  private static final long TABLE_BYTES = 8L * (Ghosts.MAX_HEAT + 1) + 16;

  /** What has to go of every main chunk, at least, as a part of it. */
  private static final double MIN_DROPPED_SHARE = 0.06;

  /** How far the limit moves, in hits, for a chunk all of which is below it. */
  private static final double STEP = 0.02;

  /** Hits between two passes beyond which more do not count. */
  private static final int MAX_HITS = 4;

  /** Part of their heat that rows keep while what is asked for changes. */
  private static final double KEPT_IN_CHANGE = 0.5;

  private final Ghosts ghosts;
  private final Policy policy;
  private final PhaseDetector phases = new PhaseDetector();

  /** Heat of a hit: a row that always has the most that count is as hot as can be. */
  private final int hit;

  private final long[] bytesByHeat = new long[Ghosts.MAX_HEAT + 1];

  /** Rows that are not hotter than this are not worth a place in the main queue. */
  private double limit;

  // Of the main chunk at hand: what is colder goes, and so many bytes of what has this heat.
  private int lukewarm;
  private long lukewarmBytesToDrop;

  /** A hand for a cache of so many bytes. */
  public Hand(long budgetBytes, Policy policy) {
    this.policy = policy;
    ghosts = new Ghosts(budgetBytes);
    hit = Math.max(1, (int) (policy.alpha() * Ghosts.MAX_HEAT / MAX_HITS));
  }

  /** What it takes of the heap. */
  public long heapBytes() {
    return ghosts.heapBytes() + TABLE_BYTES;
  }

  /** Heat of a row that has just been asked for and comes into the cache. */
  public int heatOfNew(int storeId, byte[] row) {
    return Math.min(hit + ghosts.remove(storeId, row), Ghosts.MAX_HEAT);
  }

  /** Heat of a row that was asked for once. */
  public int heatOfHit() {
    return hit;
  }

  /** Heat of a row that was said to be so hot, in quarters of a hit. */
  public int heatOf(int quarters) {
    return Math.min(hit * quarters / 4, Ghosts.MAX_HEAT);
  }

  /**
   * Heat that a row has from now on.
   *
   * @param main whether it is in the main queue
   * @param heat when the hand came by last
   * @param hits since then
   */
  public int nextHeat(boolean main, int heat, int hits) {
    double kept = !main ? 1 : phases.isChanging() ? KEPT_IN_CHANGE : 1 - policy.alpha();
    int next = hit * Math.min(hits, MAX_HITS) + (int) (kept * heat);
    return Math.min(next, Ghosts.MAX_HEAT);
  }

  /** Whether a row that comes goes to the main queue at once. */
  public boolean admits(int heat) {
    return phases.isChanging() || heat > limit;
  }

  /** Takes note of a row that leaves. */
  public void left(int storeId, byte[] row, int heat) {
    ghosts.add(storeId, row, heat);
  }

  /**
   * Looks whether what is asked for changes. To be called now and then.
   *
   * @param hits of all stores so far
   * @param misses the same
   * @param entries of the cache
   */
  public void watch(long hits, long misses, long entries) {
    boolean wasChanging = phases.isChanging();
    phases.observe(hits, misses, entries);
    if (phases.isChanging() && !wasChanging) {
      limit = 0;
    }
  }

  /** Whether the next chunk is one of the small queue, of queues of so many chunks. */
  public boolean takesSmall(int smallChunks, int mainChunks) {
    boolean isDue =
        !phases.isChanging() && smallChunks > policy.smallShare() * (smallChunks + mainChunks);
    return mainChunks == 0 || isDue && smallChunks > 0;
  }

  /** Begins with a main chunk: all of it is weighed, then each row is kept or not. */
  public void beginChunk() {
    Arrays.fill(bytesByHeat, 0);
  }

  /** Takes note of an entry of the chunk and of the heat that it has from now on. */
  public void weigh(int heat, int bytes) {
    bytesByHeat[heat] += bytes;
  }

  /** Decides what of the chunk is to go. */
  public void endChunk(int chunkBytes) {
    boolean isChanging = phases.isChanging();
    double share = isChanging ? policy.droppedInChange() : MIN_DROPPED_SHARE;
    long toDrop = (long) (share * chunkBytes);
    int heat = 0;
    for (; heat < Ghosts.MAX_HEAT && toDrop > bytesByHeat[heat]; heat++) {
      toDrop -= bytesByHeat[heat];
    }
    lukewarm = heat;
    lukewarmBytesToDrop = toDrop;
    if (!isChanging) {
      if (heat <= (int) limit) {
        lukewarm = (int) limit;
        lukewarmBytesToDrop = Long.MAX_VALUE;
      }
      moveLimit(chunkBytes);
    }
  }

  private void moveLimit(int chunkBytes) {
    long below = 0;
    for (int heat = 0; heat <= (int) limit; heat++) {
      below += bytesByHeat[heat];
    }
    double surplus = policy.droppedShare() - (double) below / chunkBytes;
    limit = Math.max(0, Math.min(Ghosts.MAX_HEAT, limit + STEP * hit * surplus));
  }

  /** Whether a row of the chunk stays, with the heat that it was weighed with. */
  public boolean keeps(int heat, int bytes) {
    if (heat != lukewarm) {
      return heat > lukewarm;
    }
    boolean keep = lukewarmBytesToDrop <= 0;
    lukewarmBytesToDrop -= bytes;
    return keep;
  }
}
