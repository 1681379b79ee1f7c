package io.ishbase.plugin.memory;

import io.ishbase.core.cache.SegmentCache;
import io.ishbase.core.memory.ReuseCurve;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.ResizableBlockCache;
import org.apache.hadoop.hbase.io.util.MemorySizeUtil;
import org.apache.hadoop.hbase.regionserver.MemstoreMemory;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one region server: what of it can be moved, and why the rest cannot. What stays on
 * the heap is not there for those that grow.
 */
final class ServerPlaces {
  private final @Nullable BlockCache blocks;
  private final @Nullable SegmentCache segments;
  private final ReuseCurve blockCurve = new ReuseCurve();
  private final ReuseCurve rowCurve = new ReuseCurve();
  private final List<Place> movable = new ArrayList<>();
  private final List<String> fixed = new ArrayList<>();
  private final boolean movesBlocks;
  private long heapLimitBytes;

  /**
   * @param segments null: there is no segment cache
   */
  ServerPlaces(
      RegionServerServices services,
      Configuration conf,
      FlushCosts flushes,
      @Nullable SegmentCache segments) {
    this.blocks = services.getBlockCache().orElse(null);
    this.segments = segments;
    heapLimitBytes = (long) ((1 - freeShare(conf)) * Runtime.getRuntime().maxMemory());
    String whyFixed = MemstoreMemory.whyFixed(services);
    if (whyFixed == null) {
      movable.add(
          new MemstorePlace(services, flushes, () -> blocks == null ? 0 : blocks.getMaxSize()));
    } else {
      fixed.add(whyFixed);
      heapLimitBytes -= MemorySizeUtil.getOnheapGlobalMemStoreSize(conf);
    }
    ResizableBlockCache resizable = BlockCachePlace.resizable(blocks);
    movesBlocks = resizable != null;
    if (resizable != null) {
      movable.add(new BlockCachePlace(resizable, blockCurve));
    } else if (blocks != null) {
      fixed.add(
          "the block cache stays, HBase cannot change the size of a "
              + blocks.getClass().getSimpleName());
      heapLimitBytes -= Math.max(0, MemorySizeUtil.getOnHeapCacheSize(conf));
    }
    if (segments == null) {
      fixed.add("there is no segment cache");
    } else {
      movable.add(new SegmentCachePlace(segments, rowCurve));
    }
  }

  /** Of the heap, what HBase leaves to all else. */
  private static double freeShare(Configuration conf) {
    try {
      return MemorySizeUtil.getRegionServerMinFreeHeapFraction(conf);
    } catch (NoSuchMethodError e) {
      // HBase 2.6.1 cannot be told.
      return HConstants.HBASE_CLUSTER_MINIMUM_MEMORY_THRESHOLD;
    }
  }

  /** Those between which memory can be moved. */
  List<Place> movable() {
    return movable;
  }

  /** Why others have no part in it; empty if there are none. */
  String whyFixed() {
    return String.join("; ", fixed);
  }

  /** What those on the heap may have together, in bytes. */
  long heapLimitBytes() {
    return heapLimitBytes;
  }

  /**
   * Begins to look what is asked for.
   *
   * @return the block cache that readers are to use; null: the server's itself
   */
  @Nullable BlockCache watch() {
    if (segments != null) {
      segments.watch(rowCurve);
    }
    return movesBlocks && blocks != null ? WatchedBlocks.of(blocks, blockCurve) : null;
  }

  /** Looks no longer: stores that are open go on to use the block cache that was watched. */
  void end() {
    blockCurve.end();
    rowCurve.end();
  }
}
