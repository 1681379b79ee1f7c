package io.ishbase.core.cache;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;

/**
 * Decides what leaves the cache. It goes round the chunks, the oldest first, and of each moves the
 * entries that are worth it to the end of the main queue and drops the rest.
 *
 * <p>Rows that are new go by recency: they wait in a small queue (a tenth of the memory), and one
 * that was not hit until the hand comes is dropped, so a scan passes through without hurting. This
 * is S3-FIFO (Yang and others, SOSP 2023), and so is the table of rows dropped lately, which go
 * straight to the main queue when they come back.
 *
 * <p>In the main queue rows go by hotness, {@code H_i = a R_i + (1 - a) H_(i-1)} with R the hits
 * since the hand came by last and {@code a = 1/2} (IS-HBase, TOS 2022, section 6, where it is that
 * of a region of a block). Of each chunk the hand drops the coldest, a share at least, so that its
 * work for a byte of room is bounded however hot all is.
 *
 * <p>So partial segments, rows that were read one by one, go by recency. Complete ones, the
 * stretches that an upgrade brought, enter the main queue with the heat of a hit and go by hotness:
 * they keep their hot rows, lose the cold ones, and are partial then.
 *
 * <p>A chunk whose entries are mostly dead is emptied first, and its entries are kept.
 *
 * <p>Guarded by the cache's lock.
 */
final class Hand {
  /** The part of all chunks that new rows get. */
  private static final double SMALL_SHARE = 0.1;

  /** The part of a main chunk's bytes that has to go when the hand comes by. */
  private static final double MIN_DROPPED_SHARE = 0.25;

  /** Units of heat in a hit. */
  private static final int HIT = 8;

  /** What a row has that came by an upgrade: as after one hit. */
  static final int HEAT_OF_UPGRADE = HIT / 2;

  /**
   * Hits between two passes beyond which more do not count, so that rows that were hot are soon
   * gone.
   */
  private static final int MAX_HITS = 2;

  private static final int HEATS = 256;

  private final List<StoreCache> stores;
  private final Ghosts ghosts;
  private final long[] bytesByHeat = new long[HEATS];

  // Of the main chunk at hand: what is colder goes, and so many bytes of what has this heat.
  private int lukewarm;
  private long lukewarmBytesToDrop;

  /**
   * A hand for these stores.
   *
   * @param stores by id; elements may be null
   */
  Hand(List<StoreCache> stores, Ghosts ghosts) {
    this.stores = stores;
    this.ghosts = ghosts;
  }

  /** The chunk to empty next. One of the queues has one. */
  Chunk choose(ArrayDeque<Chunk> small, ArrayDeque<Chunk> main) {
    for (Chunk chunk : main) {
      if (chunk.mostlyDead()) {
        return chunk;
      }
    }
    boolean smallIsLarge = small.size() > SMALL_SHARE * (small.size() + main.size());
    return main.isEmpty() || smallIsLarge && !small.isEmpty() ? small.peek() : main.peek();
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
          if (!keep || !move(chunk.buffer, entry, bytes, key, address, store, arena, cleaning)) {
            drop(chunk, entry, key, address, store);
          }
        }
      }
      entry += bytes;
    }
  }

  private boolean move(
      ByteBuffer from,
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
    ByteBuffer target = arena.chunk(to);
    int offset = Arena.offset(to);
    target.put(offset, from, entry, bytes);
    if (!cleaning) {
      Entries.setHeat(target, offset, nextHeat(from, entry), 0);
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
      ghosts.add(Entries.storeId(buffer, entry), key);
    }
    store.evict(key, address);
  }

  /** Finds which entries of a main chunk are the coldest. */
  private void judge(Chunk chunk) {
    Arrays.fill(bytesByHeat, 0);
    for (int entry = 0; entry < chunk.position; ) {
      int bytes = Entries.bytes(chunk.buffer, entry);
      bytesByHeat[nextHeat(chunk.buffer, entry)] += bytes;
      entry += bytes;
    }
    long toDrop = (long) (MIN_DROPPED_SHARE * chunk.position);
    int heat = 0;
    for (; heat < HEATS - 1 && toDrop > bytesByHeat[heat]; heat++) {
      toDrop -= bytesByHeat[heat];
    }
    lukewarm = Math.max(1, heat);
    lukewarmBytesToDrop = heat == 0 ? 0 : toDrop;
  }

  private boolean isWorthKeeping(Chunk chunk, int entry, int bytes) {
    int heat = nextHeat(chunk.buffer, entry);
    if (!chunk.main || heat != lukewarm) {
      return heat > (chunk.main ? lukewarm : 0);
    }
    lukewarmBytesToDrop -= bytes;
    return lukewarmBytesToDrop < 0;
  }

  /** How hot an entry will be when the hand has passed; 0 if it has not been hit for long. */
  static int nextHeat(ByteBuffer chunk, int entry) {
    int hits = Math.min(Entries.hits(chunk, entry), MAX_HITS);
    return (HIT * hits + Entries.heat(chunk, entry)) / 2;
  }
}
