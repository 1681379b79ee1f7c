package io.ishbase.plugin.memory;

import io.ishbase.core.cache.CacheStats;
import io.ishbase.core.cache.SegmentCache;
import io.ishbase.core.memory.ReuseCurve;
import io.ishbase.core.memory.Utility;

/** The segment cache. */
final class SegmentCachePlace implements Place {
  /** Of a row, before there is one: as long as in a typical table. */
  private static final double USUAL_BYTES = 1 << 10;

  private final SegmentCache cache;
  private final ReuseCurve curve = new ReuseCurve();

  SegmentCachePlace(SegmentCache cache) {
    this.cache = cache;
    cache.watch(curve);
  }

  @Override
  public String name() {
    return "segment cache";
  }

  @Override
  public boolean isOnHeap() {
    return false;
  }

  @Override
  public long bytes() {
    return cache.budgetBytes();
  }

  @Override
  public long usedBytes() {
    return cache.stats().usedBytes();
  }

  @Override
  public long resize(long bytes) {
    return cache.resize(bytes);
  }

  @Override
  public Utility utility(double seconds, long sumBytes) {
    CacheStats stats = cache.stats();
    double entryBytes =
        stats.entries() == 0 ? USUAL_BYTES : (double) stats.usedBytes() / stats.entries();
    curve.elapsed(seconds, sumBytes / entryBytes);
    return curve.utility(entryBytes);
  }

  @Override
  public String reason() {
    return Reasons.ofCache(curve, "rows");
  }
}
