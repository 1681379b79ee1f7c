package io.ishbase.core.cache;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;

/**
 * Decides what leaves the cache. It goes round the chunks, the oldest first, and of each moves the
 * entries that are worth it to the end of the main queue and drops the rest.
 *
 * <p>Rows go by hotness, {@code H_i = a R_i + (1 - a) H_(i-1)} (IS-HBase, TOS 2022, section 6,
 * where it is that of a region of a block), with R the hits since the hand came by last and a small
 * {@code a}, so that it is nearly how often a row was asked for. Rows that left are remembered with
 * their heat ({@link Ghosts}), since most rows that are worth to be cached are asked for less often
 * than new ones leave. Of main chunks goes what is not above a limit, which follows the quarter of
 * the main queue that is the coldest; of each something, so that the hand's work for a byte of room
 * is bounded however hot all is.
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
 * <p>A chunk whose entries are mostly dead is emptied first, and its entries are kept.
 *
 * <p>Guarded by the cache's lock.
 */
final class Hand {
  /** Heap of its table by heat. */
  static final long HEAP_BYTES = 8L * (Ghosts.MAX_HEAT + 1) + 16;

  /** What has to go of every main chunk, at least, as a part of it. */
  private static final double MIN_DROPPED_SHARE = 0.06;

  /** How far the limit moves, in hits, for a chunk all of which is below it. */
  private static final double STEP = 0.02;

  /** Hits between two passes beyond which more do not count. */
  private static final int MAX_HITS = 4;

  /** Part of their heat that rows keep while what is asked for changes. */
  private static final double KEPT_IN_CHANGE = 0.5;

  private final List<StoreCache> stores;
  private final Ghosts ghosts;
  private final Policy policy;
  private final PhaseDetector phases = new PhaseDetector();

  /** Heat of a hit: a row that always has the most that count is as hot as can be. */
  private final int hit;

  private final long[] bytesByHeat = new long[Ghosts.MAX_HEAT + 1];

  /** Rows that are not hotter than this are not worth to be in the main queue. */
  private double limit;

  // Of the main chunk at hand: what is colder goes, and so many bytes of what has this heat.
  private int lukewarm;
  private long lukewarmBytesToDrop;

  /**
   * A hand for these stores.
   *
   * @param stores by id; elements may be null
   */
  Hand(List<StoreCache> stores, Ghosts ghosts, Policy policy) {
    this.stores = stores;
    this.ghosts = ghosts;
    this.policy = policy;
    hit = Math.max(1, (int) (policy.alpha() * Ghosts.MAX_HEAT / MAX_HITS));
  }

  /** Heat of a row that has just been asked for and comes into the cache. */
  int heatOfNew(int storeId, byte[] row) {
    return Math.min(hit + ghosts.remove(storeId, row), Ghosts.MAX_HEAT);
  }

  /** Heat of a row that was asked for once. */
  int heatOfHit() {
    return hit;
  }

  /** Whether a row that comes goes to the main queue at once. */
  boolean admits(int heat) {
    return phases.isChanging() || heat > limit;
  }

  /** Looks whether what is asked for changes. To be called now and then. */
  void watch(long entries) {
    long hits = 0;
    long misses = 0;
    for (StoreCache store : stores) {
      if (store != null) {
        hits += store.hits();
        misses += store.misses();
      }
    }
    boolean wasChanging = phases.isChanging();
    phases.observe(hits, misses, entries);
    if (phases.isChanging() && !wasChanging) {
      limit = 0;
    }
  }

  /** The chunk to empty next. One of the queues has one. */
  Chunk choose(ArrayDeque<Chunk> small, ArrayDeque<Chunk> main) {
    for (Chunk chunk : main) {
      if (chunk.mostlyDead()) {
        return chunk;
      }
    }
    boolean takesSmall =
        !phases.isChanging() && small.size() > policy.smallShare() * (small.size() + main.size());
    return main.isEmpty() || takesSmall && !small.isEmpty() ? small.peek() : main.peek();
  }

  /** Moves or drops all entries of a chunk. */
  void reclaim(Chunk chunk, Arena arena) {
    boolean cleaning = chunk.mostlyDead() && chunk.main;
    if (chunk.main && !cleaning) {
      judge(chunk);
    }
    for (int entry = 0; entry < chunk.position; ) {
      int bytes = Entries.bytes(chunk.buffer, entry);
      StoreCache store = stores.get(Entries.storeId(chunk.buffer, entry));
      if (store != null) {
        byte[] key = Entries.key(chunk.buffer, entry);
        long address = Arena.address(chunk, entry);
        if (Segment.address(store.index().get(key)) == address) {
          boolean keep = cleaning || isWorthKeeping(chunk, entry, bytes);
          if (!keep || !move(chunk, entry, bytes, key, address, store, arena, cleaning)) {
            drop(chunk, entry, key, address, store);
          }
        }
      }
      entry += bytes;
    }
  }

  private boolean move(
      Chunk chunk,
      int entry,
      int bytes,
      byte[] key,
      long address,
      StoreCache store,
      Arena arena,
      boolean cleaning) {
    long to = arena.allocateForMove(bytes, true);
    if (to == Arena.NONE) {
      return false;
    }
    ByteBuffer from = chunk.buffer;
    ByteBuffer target = arena.chunk(to);
    int offset = Arena.offset(to);
    target.put(offset, from, entry, bytes);
    if (!cleaning) {
      Entries.setHeat(target, offset, nextHeat(chunk, entry), 0);
      if (Entries.upgraded(from, entry)) {
        store.upgradedRowSettled(Entries.hits(from, entry) > 0);
        Entries.clearUpgraded(target, offset);
      }
    }
    store.index().moved(key, address, to);
    return true;
  }

  private void drop(Chunk chunk, int entry, byte[] key, long address, StoreCache store) {
    ByteBuffer buffer = chunk.buffer;
    boolean upgraded = Entries.upgraded(buffer, entry);
    if (upgraded) {
      store.upgradedRowSettled(Entries.hits(buffer, entry) > 0);
    }
    // A row that nobody asked for is not missed.
    if (!upgraded && Entries.kind(buffer, entry) != Entries.EDGE) {
      ghosts.add(Entries.storeId(buffer, entry), key, nextHeat(chunk, entry));
    }
    store.evict(key, address);
  }

  /** Finds which entries of a main chunk are to go. */
  private void judge(Chunk chunk) {
    Arrays.fill(bytesByHeat, 0);
    for (int entry = 0; entry < chunk.position; ) {
      int bytes = Entries.bytes(chunk.buffer, entry);
      // What is dead already counts as dropped.
      bytesByHeat[isLive(chunk, entry) ? nextHeat(chunk, entry) : 0] += bytes;
      entry += bytes;
    }
    boolean isChanging = phases.isChanging();
    double share = isChanging ? policy.droppedInChange() : MIN_DROPPED_SHARE;
    long toDrop = (long) (share * chunk.position);
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
      moveLimit(chunk);
    }
  }

  private void moveLimit(Chunk chunk) {
    long below = 0;
    for (int heat = 0; heat <= (int) limit; heat++) {
      below += bytesByHeat[heat];
    }
    double surplus = policy.droppedShare() - (double) below / chunk.position;
    limit = Math.max(0, Math.min(Ghosts.MAX_HEAT, limit + STEP * hit * surplus));
  }

  private boolean isLive(Chunk chunk, int entry) {
    StoreCache store = stores.get(Entries.storeId(chunk.buffer, entry));
    return store != null
        && Segment.address(store.index().get(Entries.key(chunk.buffer, entry)))
            == Arena.address(chunk, entry);
  }

  private boolean isWorthKeeping(Chunk chunk, int entry, int bytes) {
    if (!chunk.main) {
      return Entries.hits(chunk.buffer, entry) > 0;
    }
    int heat = nextHeat(chunk, entry);
    if (heat != lukewarm) {
      return heat > lukewarm;
    }
    boolean keep = lukewarmBytesToDrop <= 0;
    lukewarmBytesToDrop -= bytes;
    return keep;
  }

  private int nextHeat(Chunk chunk, int entry) {
    int hits = Math.min(Entries.hits(chunk.buffer, entry), MAX_HITS);
    double kept = !chunk.main ? 1 : phases.isChanging() ? KEPT_IN_CHANGE : 1 - policy.alpha();
    int heat = hit * hits + (int) (kept * Entries.heat(chunk.buffer, entry));
    return Math.min(heat, Ghosts.MAX_HEAT);
  }
}
