package io.ishbase.plugin.memory;

import io.ishbase.core.memory.MemstoreUtility;
import io.ishbase.core.memory.Utility;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.regionserver.MemstoreMemory;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;

/** All memstores of a region server, if they are on the heap. */
final class MemstorePlace implements Place {
  /** After which what was measured counts half, as in the curves of the caches. */
  private static final double HALF_LIFE_SECONDS = 30;

  /**
   * Memstores that come as near as this to the mark at which HBase flushes are flushed for it, and
   * more would be used.
   */
  private static final double NEARNESS = 0.9;

  /** What is left of the most that memstores took, after a half life. */
  private static final double KEPT_OF_MOST = 0.85;

  /**
   * Memstores that are so much above HBase's lower mark are flushed; below the upper one, which is
   * the limit, writes go on.
   */
  private static final double ABOVE_MARK = 1.02;

  private static final double MOST_USED_SHARE = 0.97;

  /** What comes in this time has room, so that nobody waits while what there is is flushed. */
  private static final double ROOM_SECONDS = 5;

  /** Memstores that need their limit might use so much more: what they do with it is to be seen. */
  private static final double MORE = 1.25;

  private static final double USUAL_NANOS_OF_BYTE = 20;
  private static final double MEGABYTE = 1 << 20;

  private final RegionServerServices services;
  private final FlushCosts costs;
  private final LongSupplier blockCacheBytes;
  private final double lowMark;
  private final long firstLimitBytes;
  private long dataBytesBefore;
  private double mostUsed;

  // Both decay alike: what has happened, and in how much time.
  private double writtenBytes;
  private double seconds;

  MemstorePlace(RegionServerServices services, FlushCosts costs, LongSupplier blockCacheBytes) {
    this.services = services;
    this.costs = costs;
    this.blockCacheBytes = blockCacheBytes;
    this.lowMark = MemstoreMemory.lowMark(services);
    this.firstLimitBytes = bytes();
    this.dataBytesBefore = services.getRegionServerAccounting().getGlobalMemStoreDataSize();
  }

  @Override
  public Kind kind() {
    return Kind.MEMSTORES;
  }

  @Override
  public long bytes() {
    return MemstoreMemory.limitBytes(services);
  }

  @Override
  public long usedBytes() {
    return services.getRegionServerAccounting().getGlobalMemStoreHeapSize();
  }

  @Override
  public long resize(long bytes) {
    double used = usedBytes();
    double usedShare = Math.min(MOST_USED_SHARE, ABOVE_MARK * lowMark);
    double least = Math.max(used / usedShare, used + ROOM_SECONDS * bytesPerSecond());
    least = Math.max(least, MemstoreMemory.heldBytes(services));
    long possible = Math.max(bytes, Math.min(bytes(), (long) least));
    MemstoreMemory.limit(services, possible, blockCacheBytes.getAsLong());
    return possible;
  }

  @Override
  public Utility utility(double elapsedSeconds, long sumBytes) {
    long dataBytes = services.getRegionServerAccounting().getGlobalMemStoreDataSize();
    long written = Math.max(0, dataBytes - dataBytesBefore + costs.takeFlushedBytes());
    dataBytesBefore = dataBytes;
    if (bytes() < firstLimitBytes) {
      MemstoreMemory.trimPools();
    }
    double kept = Math.pow(0.5, elapsedSeconds / HALF_LIFE_SECONDS);
    writtenBytes = (writtenBytes + written) * kept;
    seconds = (seconds + elapsedSeconds) * kept;
    long used = usedBytes();
    mostUsed =
        Math.max(used, mostUsed * Math.pow(KEPT_OF_MOST, elapsedSeconds / HALF_LIFE_SECONDS));
    return new MemstoreUtility(bytesPerSecond(), nanosOfByte(), usefulBytes());
  }

  private double bytesPerSecond() {
    return seconds == 0 ? 0 : writtenBytes / seconds;
  }

  private double nanosOfByte() {
    double measured = costs.nanosOfByte();
    return measured == 0 ? USUAL_NANOS_OF_BYTE : measured;
  }

  /** Where memstores come nowhere near their limit, regions are flushed at their own. */
  private long usefulBytes() {
    return (long) ((needsAll() ? MORE : 1) * mostUsed / (NEARNESS * lowMark));
  }

  private boolean needsAll() {
    return mostUsed > NEARNESS * lowMark * bytes();
  }

  @Override
  public String reason() {
    return String.format(
        Locale.ROOT,
        "%.1f MB a second are written, a flush of 1 MB takes %.0f ms%s",
        bytesPerSecond() / MEGABYTE,
        nanosOfByte() * MEGABYTE / 1e6,
        needsAll() ? "" : ", and regions are flushed before the limit");
  }
}
