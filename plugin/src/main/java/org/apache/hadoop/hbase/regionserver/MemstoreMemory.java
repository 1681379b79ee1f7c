package org.apache.hadoop.hbase.regionserver;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.regionserver.ChunkCreator.ChunkType;
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
  private static final ChunkType[] POOLED = {ChunkType.DATA_CHUNK, ChunkType.INDEX_CHUNK};

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
    return pools(ChunkCreator.getInstance()).stream().allMatch(MemstoreMemory::follows)
        ? null
        : "memstores stay: the pools of their chunks are not those of HBase 2.6";
  }

  /** Whether a pool of chunks can be told of another limit. */
  static boolean follows(Object pool) {
    return pool instanceof HeapMemoryTuneObserver;
  }

  /** None where chunks are not pooled. */
  private static List<Object> pools(@Nullable ChunkCreator chunks) {
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

  /** At which part of the limit HBase flushes. */
  public static double lowMark(RegionServerServices services) {
    return services.getRegionServerAccounting().getGlobalMemStoreLimitLowMarkPercent();
  }

  /**
   * What memstores hold of the heap, at most: a store with one cell has a whole chunk, of which
   * HBase counts the cell.
   */
  public static long heldBytes(RegionServerServices services) {
    ChunkCreator chunks = ChunkCreator.getInstance();
    if (chunks == null) {
      return 0;
    }
    long stores =
        services.getRegions().stream()
            .flatMap(region -> region.getStores().stream())
            .filter(store -> store.getMemStoreSize().getDataSize() > 0)
            .count();
    return heldBytes(
        chunks, services.getRegionServerAccounting().getGlobalMemStoreHeapSize(), stores);
  }

  /** Of so many stores, all chunks but one of each are full. */
  static long heldBytes(ChunkCreator chunks, long usedBytes, long stores) {
    long chunkBytes = chunks.getChunkSize();
    return Math.min(inUse(chunks) * chunkBytes, usedBytes + stores * chunkBytes);
  }

  private static int inUse(ChunkCreator chunks) {
    int inUse = chunks.numberOfMappedChunks();
    for (ChunkType type : POOLED) {
      inUse -= chunks.getPoolSize(type);
    }
    return inUse;
  }

  /**
   * Changes what all memstores may take of the heap, if that {@linkplain #whyFixed can} be. Where
   * they take more, HBase flushes, and this waits for it.
   *
   * @param blockCacheBytes size of the block cache, for those who are told of both
   */
  public static void limit(RegionServerServices services, long bytes, long blockCacheBytes) {
    long before = limitBytes(services);
    services.getFlushRequester().setGlobalMemStoreLimit(bytes);
    ChunkCreator chunks = ChunkCreator.getInstance();
    if (chunks != null) {
      limitPools(chunks, before, bytes, blockCacheBytes);
    }
  }

  /**
   * Has the pools of chunks give up what, with the chunks in use, is beyond the limit: HBase takes
   * back as many as a pool may have, whatever is in use, and after the limit has fallen both
   * together may be as much as they were. Not to be asked for before it has: a pool never makes
   * anew what it gave up.
   */
  public static void trimPools() {
    ChunkCreator chunks = ChunkCreator.getInstance();
    if (chunks != null) {
      trim(chunks);
    }
  }

  static void trim(ChunkCreator chunks) {
    synchronized (chunks) {
      trim(chunks, 1);
    }
  }

  /**
   * Has the pools of chunks follow the limit.
   *
   * <p>A pool that shrinks drops what it has too much of, but HBase 2.6 keeps each chunk in a map
   * as well, from which only its memstore takes it: the memory would be handed out a second time
   * while it cannot be collected. So they leave both before.
   */
  static void limitPools(ChunkCreator chunks, long before, long bytes, long blockCacheBytes) {
    double left = Math.min(1, (double) bytes / Math.max(1, before));
    // The lock under which chunks are put back.
    synchronized (chunks) {
      trim(chunks, left);
      for (Object pool : pools(chunks)) {
        ((HeapMemoryTuneObserver) pool).onHeapMemoryTune(bytes, blockCacheBytes);
      }
    }
  }

  /** To that part of what pools may have now. Which pool a chunk in use is from nobody can tell. */
  private static void trim(ChunkCreator chunks, double left) {
    int inUse = inUse(chunks);
    for (ChunkType type : POOLED) {
      int most = (int) (chunks.getMaxCount(type) * left);
      if (type == ChunkType.DATA_CHUNK) {
        most -= inUse;
      }
      while (chunks.getPoolSize(type) > Math.max(0, most)) {
        chunks.removeChunk(chunks.getChunk(type).getId());
      }
    }
  }
}
