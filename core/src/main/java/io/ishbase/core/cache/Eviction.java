package io.ishbase.core.cache;

import io.ishbase.core.cache.memory.Arena;
import io.ishbase.core.cache.memory.Chunk;
import io.ishbase.core.cache.memory.Entries;
import io.ishbase.core.cache.memory.Evictor;
import io.ishbase.core.cache.policy.Hand;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Moves and drops entries as {@link Hand} says: of the chunk that is at hand, what is worth it goes
 * to the end of the main queue and the rest out of its index.
 *
 * <p>A chunk whose entries are mostly dead is emptied first, and its entries are kept.
 *
 * <p>Guarded by the cache's lock.
 */
final class Eviction implements Evictor {
  private final ReentrantLock lock;
  private final List<@Nullable StoreCache> stores;
  private final Hand hand;

  /**
   * Of the entries of these stores.
   *
   * @param stores by id; null where one was closed
   */
  Eviction(ReentrantLock lock, List<@Nullable StoreCache> stores, Hand hand) {
    this.lock = lock;
    this.stores = stores;
    this.hand = hand;
  }

  @Override
  public void watch(long entries) {
    long hits = 0;
    long misses = 0;
    for (StoreCache store : stores) {
      if (store != null) {
        hits += store.hits();
        misses += store.misses();
      }
    }
    hand.watch(hits, misses, entries);
  }

  @Override
  public Chunk choose(ArrayDeque<Chunk> small, ArrayDeque<Chunk> main) {
    for (Chunk chunk : main) {
      if (chunk.mostlyDead()) {
        return chunk;
      }
    }
    return hand.takesSmall(small.size(), main.size()) ? small.peek() : main.peek();
  }

  @Override
  public void reclaim(Chunk chunk, Arena arena) {
    assert lock.isHeldByCurrentThread();
    boolean cleaning = chunk.mostlyDead() && chunk.isMain();
    if (chunk.isMain() && !cleaning) {
      weigh(chunk);
    }
    for (int entry = 0; entry < chunk.bytes(); ) {
      int bytes = Entries.bytes(chunk.buffer(), entry);
      StoreCache store = storeOf(chunk, entry);
      if (store != null) {
        boolean keep = cleaning || isWorthKeeping(chunk, entry, bytes);
        if (!keep || !move(chunk, entry, bytes, store, arena, cleaning)) {
          drop(chunk, entry, store);
        }
      }
      entry += bytes;
    }
  }

  /** Lets the hand find which entries of a main chunk are to go. */
  private void weigh(Chunk chunk) {
    hand.beginChunk();
    for (int entry = 0; entry < chunk.bytes(); ) {
      int bytes = Entries.bytes(chunk.buffer(), entry);
      // What is dead already counts as dropped.
      hand.weigh(storeOf(chunk, entry) == null ? 0 : nextHeat(chunk, entry), bytes);
      entry += bytes;
    }
    hand.endChunk(chunk.bytes());
  }

  /** The store whose index has this entry; null if none has. */
  private @Nullable StoreCache storeOf(Chunk chunk, int entry) {
    StoreCache store = stores.get(Entries.storeId(chunk.buffer(), entry));
    boolean isLive =
        store != null
            && Segment.address(store.index().get(Entries.key(chunk.buffer(), entry)))
                == Arena.address(chunk, entry);
    return isLive ? store : null;
  }

  private boolean isWorthKeeping(Chunk chunk, int entry, int bytes) {
    return chunk.isMain()
        ? hand.keeps(nextHeat(chunk, entry), bytes)
        : Entries.hits(chunk.buffer(), entry) > 0;
  }

  private int nextHeat(Chunk chunk, int entry) {
    return hand.nextHeat(
        chunk.isMain(), Entries.heat(chunk.buffer(), entry), Entries.hits(chunk.buffer(), entry));
  }

  private boolean move(
      Chunk chunk, int entry, int bytes, StoreCache store, Arena arena, boolean cleaning) {
    long to = arena.allocateForMove(bytes, true);
    if (to == Arena.NONE) {
      return false;
    }
    ByteBuffer from = chunk.buffer();
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
    store.index().moved(Entries.key(from, entry), Arena.address(chunk, entry), to);
    return true;
  }

  private void drop(Chunk chunk, int entry, StoreCache store) {
    ByteBuffer buffer = chunk.buffer();
    byte[] key = Entries.key(buffer, entry);
    boolean upgraded = Entries.upgraded(buffer, entry);
    if (upgraded) {
      store.upgradedRowSettled(Entries.hits(buffer, entry) > 0);
    }
    // A row that nobody asked for is not missed.
    if (!upgraded && Entries.kind(buffer, entry) != Entries.EDGE) {
      hand.left(Entries.storeId(buffer, entry), key, nextHeat(chunk, entry));
    }
    if (Entries.kind(buffer, entry) == Entries.ROW
        && (chunk.isMain() || Entries.hits(buffer, entry) > 0 || !Entries.scanned(buffer, entry))) {
      store.file(key, buffer, entry);
    }
    store.evict(key, Arena.address(chunk, entry));
  }
}
