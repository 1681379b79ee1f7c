package io.ishbase.core.cache.memory;

import java.util.ArrayDeque;

/** Empties chunks when an {@link Arena} needs room. Called under the cache's lock. */
public interface Evictor {
  /**
   * Called before each choice.
   *
   * @param entries that are in an index
   */
  void watch(long entries);

  /** The chunk to empty next, of the queues' chunks in the order of their age. There is one. */
  Chunk choose(ArrayDeque<Chunk> small, ArrayDeque<Chunk> main);

  /** Moves or drops all entries of a chunk. */
  void reclaim(Chunk chunk, Arena arena);
}
