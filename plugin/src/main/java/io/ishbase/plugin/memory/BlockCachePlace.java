package io.ishbase.plugin.memory;

import io.ishbase.core.memory.ReuseCurve;
import io.ishbase.core.memory.Utility;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.CombinedBlockCache;
import org.apache.hadoop.hbase.io.hfile.ResizableBlockCache;

/** HBase's block cache, if it is on the heap. */
final class BlockCachePlace implements Place {
  private static final double USUAL_BYTES = 64 << 10;

  private final ResizableBlockCache cache;
  private final ReuseCurve curve;

  BlockCachePlace(ResizableBlockCache cache, ReuseCurve curve) {
    this.cache = cache;
    this.curve = curve;
  }

  /** Whether its size can be changed; what a BucketCache has cannot. */
  static boolean suits(BlockCache cache) {
    return cache instanceof ResizableBlockCache && !(cache instanceof CombinedBlockCache);
  }

  @Override
  public String name() {
    return "block cache";
  }

  @Override
  public boolean isOnHeap() {
    return true;
  }

  @Override
  public long bytes() {
    return cache.getMaxSize();
  }

  @Override
  public long usedBytes() {
    return cache.getCurrentSize();
  }

  @Override
  public long resize(long bytes) {
    cache.setMaxSize(bytes);
    return Math.max(bytes, cache.getCurrentSize());
  }

  @Override
  public Utility utility(double seconds, long sumBytes) {
    long blocks = cache.getBlockCount();
    double blockBytes = blocks == 0 ? USUAL_BYTES : (double) cache.getCurrentSize() / blocks;
    curve.elapsed(seconds, sumBytes / blockBytes);
    return curve.utility(blockBytes);
  }

  @Override
  public String reason() {
    return Reasons.ofCache(curve, "blocks");
  }
}
