package org.apache.hadoop.hbase.regionserver;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.regionserver.HeapMemoryManager.HeapMemoryTuneObserver;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a region server's memstores: what {@link HeapMemoryManager} does with it, for
 * others.
 *
 * <p>Relies on HBase 2.6: {@code RegionServerAccounting} and {@code HeapMemoryManager.isTunerOn},
 * which only this package may ask, and {@code ChunkCreator}'s pools, which follow the limit when
 * they are told and else keep chunks for the first one.
 */
public final class MemstoreMemory {
  private MemstoreMemory() {}

  /** Whether HBase moves memory between memstores and block cache. */
  public static boolean isMovedByHBase(RegionServerServices services) {
    HeapMemoryManager manager = services.getHeapMemoryManager();
    return manager != null && manager.isTunerOn();
  }

  /** Why the limit of memstores cannot be changed; null if it can be. */
  public static @Nullable String whyFixed(RegionServerServices services) {
    if (services.getRegionServerAccounting().isOffheap()) {
      return "memstores are off the heap, HBase cannot change their limit";
    }
    return pools().stream().allMatch(MemstoreMemory::follows)
        ? null
        : "memstores stay: the pools of their chunks are not those of HBase 2.6";
  }

  /** Whether a pool of chunks can be told of another limit. */
  static boolean follows(Object pool) {
    return pool instanceof HeapMemoryTuneObserver;
  }

  /** None where chunks are not pooled. */
  private static List<Object> pools() {
    ChunkCreator chunks = ChunkCreator.getInstance();
    return chunks == null
        ? List.of()
        : Stream.<@Nullable Object>of(chunks.getDataChunksPool(), chunks.getIndexChunksPool())
            .filter(Objects::nonNull)
            .toList();
  }

  /** What all memstores may take of the heap, in bytes. */
  public static long limitBytes(RegionServerServices services) {
    return services.getRegionServerAccounting().getGlobalMemStoreLimit();
  }

  /**
   * Changes what all memstores may take of the heap, if that {@linkplain #whyFixed can} be. Where
   * they take more, HBase flushes, and this waits for it.
   *
   * @param blockCacheBytes size of the block cache, for those who are told of both
   */
  public static void limit(RegionServerServices services, long bytes, long blockCacheBytes) {
    services.getFlushRequester().setGlobalMemStoreLimit(bytes);
    for (Object pool : pools()) {
      ((HeapMemoryTuneObserver) pool).onHeapMemoryTune(bytes, blockCacheBytes);
    }
  }
}
