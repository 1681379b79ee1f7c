package io.ishbase.plugin.memory;

import io.ishbase.core.memory.ReuseCurve;
import io.ishbase.core.memory.Utility;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.CombinedBlockCache;
import org.apache.hadoop.hbase.io.hfile.ResizableBlockCache;
import org.jspecify.annotations.Nullable;

/** HBase's block cache, if it is on the heap. */
final class BlockCachePlace implements Place {
  private static final double USUAL_BYTES = 64 << 10;

  private final ResizableBlockCache cache;
  private final ReuseCurve curve;

  BlockCachePlace(ResizableBlockCache cache, ReuseCurve curve) {
    this.cache = cache;
    this.curve = curve;
  }

  /** A block cache whose size can be changed; null if it cannot, as what a BucketCache has. */
  static @Nullable ResizableBlockCache resizable(@Nullable BlockCache cache) {
    return cache instanceof ResizableBlockCache resizable && !(cache instanceof CombinedBlockCache)
        ? resizable
        : null;
  }

  @Override
  public Kind kind() {
    return Kind.BLOCK_CACHE;
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
    long blocks = cache.getDataBlockCount();
    double blockBytes = blocks == 0 ? USUAL_BYTES : (double) cache.getCurrentDataSize() / blocks;
    curve.elapsed(seconds, sumBytes / blockBytes);
    return curve.utility(blockBytes);
  }

  @Override
  public String reason() {
    return Reasons.ofCache(curve, "blocks");
  }
}
