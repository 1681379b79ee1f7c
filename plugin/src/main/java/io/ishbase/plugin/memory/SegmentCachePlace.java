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
  private final ReuseCurve curve;

  SegmentCachePlace(SegmentCache cache, ReuseCurve curve) {
    this.cache = cache;
    this.curve = curve;
  }

  @Override
  public Kind kind() {
    return Kind.SEGMENT_CACHE;
  }

  @Override
  public long bytes() {
    return cache.budgetBytes();
  }

  @Override
  public long leastBytes() {
    return cache.minBudgetBytes();
  }

  @Override
  public long mostBytes() {
    return cache.maxBudgetBytes();
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
    // Without what is taken however many rows there are: it would make the few of an empty cache
    // look large.
    double entryBytes =
        stats.entries() == 0
            ? USUAL_BYTES
            : (double) (stats.cachedBytes() + stats.heapBytes()) / stats.entries();
    curve.elapsed(seconds, sumBytes / entryBytes);
    return curve.utility(entryBytes);
  }

  @Override
  public String reason() {
    return Reasons.ofCache(curve, "rows");
  }
}
