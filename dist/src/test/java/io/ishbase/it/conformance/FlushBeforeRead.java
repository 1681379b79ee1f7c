package io.ishbase.it.conformance;

import java.io.IOException;
import java.lang.reflect.Field;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionLifeCycleTracker;

/**
 * Flushes a region before it is read, so that tests whose data would never leave the memstore read
 * files; and as HBase does after a flush, asks for a compaction where there are enough files.
 *
 * <p>Relies on HBase 2.6: {@code HRegion.updatesLock}, which a read inside a mutation (Increment,
 * Append) holds, and which a flush would wait for.
 */
final class FlushBeforeRead {
  private static final AtomicLong FLUSHES = new AtomicLong();
  private static final Field UPDATES_LOCK = updatesLock();

  private FlushBeforeRead() {}

  private static Field updatesLock() {
    try {
      Field field = HRegion.class.getDeclaredField("updatesLock");
      field.setAccessible(true);
      return field;
    } catch (NoSuchFieldException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /**
   * Flushes {@code region} if it has anything in memory and this thread may.
   *
   * @param services those of the region server, or null
   */
  static void flush(HRegion region, RegionServerServices services) throws IOException {
    if (DaemonsInJvm.isSystem(region.getTableDescriptor().getTableName())
        || region.getMemStoreDataSize() == 0
        || region.isReadOnly()
        || isMutating(region)) {
      return;
    }
    HRegion.FlushResult result = region.flush(true);
    if (!result.isFlushSucceeded()) {
      return;
    }
    FLUSHES.incrementAndGet();
    if (result.isCompactionNeeded()
        && services != null
        && services.getCompactionRequestor() != null) {
      services
          .getCompactionRequestor()
          .requestCompaction(
              region, "flushed before a read", 1, CompactionLifeCycleTracker.DUMMY, null);
    }
  }

  private static boolean isMutating(HRegion region) {
    try {
      return ((ReentrantReadWriteLock) UPDATES_LOCK.get(region)).getReadHoldCount() > 0;
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  /** How many have been made in this JVM. */
  static long flushes() {
    return FLUSHES.get();
  }
}
