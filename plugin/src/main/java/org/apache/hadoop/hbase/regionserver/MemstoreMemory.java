package org.apache.hadoop.hbase.regionserver;

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

  /** Whether memstores are off the heap: their limit cannot be changed then. */
  public static boolean isOffHeap(RegionServerServices services) {
    return services.getRegionServerAccounting().isOffheap();
  }

  /** What all memstores may take of the heap, in bytes. */
  public static long limitBytes(RegionServerServices services) {
    return services.getRegionServerAccounting().getGlobalMemStoreLimit();
  }

  /**
   * Changes what all memstores may take of the heap. Where they take more, HBase flushes.
   *
   * @param blockCacheBytes size of the block cache, for those who are told of both
   */
  public static void limit(RegionServerServices services, long bytes, long blockCacheBytes) {
    services.getFlushRequester().setGlobalMemStoreLimit(bytes);
    ChunkCreator chunks = ChunkCreator.getInstance();
    if (chunks != null) {
      tell(chunks.getDataChunksPool(), bytes, blockCacheBytes);
      tell(chunks.getIndexChunksPool(), bytes, blockCacheBytes);
    }
  }

  private static void tell(@Nullable Object pool, long bytes, long blockCacheBytes) {
    if (pool instanceof HeapMemoryTuneObserver observer) {
      observer.onHeapMemoryTune(bytes, blockCacheBytes);
    }
  }
}
