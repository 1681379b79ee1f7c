package io.ishbase.plugin.prewarm;

import io.ishbase.core.cache.SegmentCache;
import io.ishbase.core.hot.HotIntervals;
import io.ishbase.core.hot.WarmUpPace;
import io.ishbase.plugin.cache.CachedRows;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.scan.ReadContext;
import io.ishbase.plugin.settings.StoreSettings;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.regionserver.HRegionFileSystem;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers a store's hot rows with its region when it closes, and now and then, and fetches them
 * into the segment cache when it opens, here or elsewhere. Opening never waits for it, closing a
 * second at most; it fails with a line in the log.
 *
 * <p>{@link #open} and {@link #close} are called by HBase's threads, all else runs on two of its
 * own: one fetches, for all stores of the process, one after the other.
 */
public final class HotRows {
  private static final Logger LOG = LoggerFactory.getLogger(HotRows.class);

  private static final long FIRST_LOOK_MILLIS = 100;
  private static final long LONGEST_LOOK_MILLIS = 5_000;
  private static final long BEFORE_NEXT_TRY_MILLIS = 1_000;
  private static final long LONGEST_CLOSE_MILLIS = 1_000;
  private static final long LONGEST_BEFORE_CLOSE_MILLIS = 10_000;

  /** Fetching is tried so often: a file may still be being written, daemons may not be known yet. */
  private static final int MOST_TRIES = 3;

  /** A region that does not open within this time has failed to. */
  private static final long LONGEST_OPENING_NANOS = TimeUnit.MINUTES.toNanos(30);

  /** A store that closes sooner has not shown what is hot in it. */
  private static final long YOUNG_NANOS = TimeUnit.MINUTES.toNanos(10);

  private static final ScheduledThreadPoolExecutor FETCHING = executor("ishbase-prewarm");
  private static final ScheduledThreadPoolExecutor WRITING = executor("ishbase-hot-rows");

  /** Those of regions that are about to close; as many as HBase closes at a time. */
  private static final ExecutorService CLOSING =
      Executors.newCachedThreadPool(
          new ThreadFactoryBuilder().setDaemon(true).setNameFormat("ishbase-hot-rows-%d").build());

  private final HStore store;
  private final Prewarmed about;
  private final CachedRows cache;
  private final SegmentCache all;
  private final ReadContext context;
  private final RegionServerServices services;
  private final long bytesPerSecond;
  private final long periodSeconds;
  private final List<Path> parents;
  private final long openedNanos = System.nanoTime();
  private final CountDownLatch closing = new CountDownLatch(1);

  /** Hot rows of the file when the store opened; more than any store has until it was read. */
  private volatile int remembered = Integer.MAX_VALUE;

  /** Whether the rows are yet to be fetched. Used by the fetching thread. */
  private boolean isWaiting = true;

  /** Used by the fetching thread. */
  private int tries;

  private volatile @Nullable Future<?> writing;

  private volatile boolean isWritten;

  /** From then on the hottest rows may be a part of them. */
  private volatile boolean isCacheClosed;

  /** Used by the writing thread. */
  private long hitsWritten;

  private HotRows(
      HStore store,
      Prewarmed about,
      RegionServerServices services,
      CachedRows cache,
      SegmentCache all,
      ReadContext context,
      StoreSettings settings) {
    this.store = store;
    this.about = about;
    this.cache = cache;
    this.all = all;
    this.context = context;
    this.services = services;
    this.parents = HotRowsFile.parents(store.getStorefiles());
    this.bytesPerSecond = settings.prewarmBytesPerSecond();
    this.periodSeconds = settings.prewarmPeriodSeconds();
  }

  private static ScheduledThreadPoolExecutor executor(String name) {
    ScheduledThreadPoolExecutor executor =
        new ScheduledThreadPoolExecutor(
            1, new ThreadFactoryBuilder().setDaemon(true).setNameFormat(name).build());
    executor.setRemoveOnCancelPolicy(true);
    return executor;
  }

  /**
   * Those of a store that a region server opens.
   *
   * @param about the same store
   * @param all the cache that all stores share
   * @return null if they are not to be remembered
   */
  public static @Nullable HotRows open(
      HStore store,
      Prewarmed about,
      CachedRows cache,
      SegmentCache all,
      ReadContext context,
      StoreSettings settings) {
    // Row keys of an encrypted family do not go into a file in the clear.
    RegionServerServices services = about.services();
    if (services == null || store.getColumnFamilyDescriptor().getEncryptionType() != null) {
      return null;
    }
    HotRows hotRows;
    try {
      hotRows = new HotRows(store, about, services, cache, all, context, settings);
    } catch (RuntimeException e) {
      LOG.warn("The hot rows of {} are not remembered", cache, e);
      return null;
    }
    if (hotRows.bytesPerSecond == 0) {
      return null;
    }
    InStorageMetrics.get().prewarming(1);
    hotRows.fetchIn(FIRST_LOOK_MILLIS);
    hotRows.writeRegularly();
    return hotRows;
  }

  private void writeRegularly() {
    if (periodSeconds > 0) {
      // Not all stores of a server that starts at the same time.
      long first = 1 + ThreadLocalRandom.current().nextLong(periodSeconds);
      writing =
          WRITING.scheduleWithFixedDelay(this::writeIfHit, first, periodSeconds, TimeUnit.SECONDS);
    }
  }

  private void fetchIn(long millis) {
    FETCHING.schedule(() -> fetchOnceOpen(millis), millis, TimeUnit.MILLISECONDS);
  }

  // The store is there before its region has replayed its log and is open.
  private void fetchOnceOpen(long waitedMillis) {
    if (closing.getCount() == 0 || System.nanoTime() - openedNanos > LONGEST_OPENING_NANOS) {
      waitsNoMore();
    } else if (services.getRegion(store.getRegionInfo().getEncodedName()) == store.getHRegion()) {
      fetch();
    } else {
      fetchIn(Math.min(2 * waitedMillis, LONGEST_LOOK_MILLIS));
    }
  }

  private void fetch() {
    HotRowsFetch warmUp =
        new HotRowsFetch(
            store, about, cache, all, context, new WarmUpPace(bytesPerSecond), closing);
    try {
      HotIntervals hottest = read();
      remembered = hottest.count();
      if (!hottest.isEmpty() && about.readsInStorage() && cache.mayFill()) {
        long start = System.nanoTime();
        warmUp.fetch(hottest);
        LOG.info(
            "Pre-warmed {} with {} rows in {} ms",
            cache,
            warmUp.fetchedRows(),
            TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
      }
    } catch (IOException | RuntimeException e) {
      if (e instanceof IOException && warmUp.fetchedRows() == 0 && ++tries < MOST_TRIES) {
        // Others are fetched meanwhile.
        fetchIn(tries * BEFORE_NEXT_TRY_MILLIS);
        return;
      }
      if (remembered == Integer.MAX_VALUE) {
        // It cannot be read, so it may be written.
        remembered = 0;
      }
      LOG.info(
          "Pre-warming of {} ends after {} rows: {}", cache, warmUp.fetchedRows(), e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    waitsNoMore();
  }

  private void waitsNoMore() {
    if (isWaiting) {
      isWaiting = false;
      InStorageMetrics.get().prewarming(-1);
    }
  }

  private HotIntervals read() throws IOException {
    HRegionFileSystem region = store.getHRegion().getRegionFileSystem();
    String family = store.getColumnFamilyName();
    HotIntervals own = HotRowsFile.read(region, family);
    if (own != null) {
      return own;
    }
    HotIntervals hottest = HotRowsFile.ofParents(region, store.getRegionInfo(), family, parents);
    if (!hottest.isEmpty()) {
      // Its own from now on: parents go with the first compaction.
      HotRowsFile.write(region, family, hottest);
    }
    return hottest;
  }

  private void writeIfHit() {
    long hits = cache.stats().hits();
    if (hits != hitsWritten) {
      hitsWritten = hits;
      write();
    }
  }

  private synchronized void write() {
    try {
      HotIntervals hottest = cache.rows().hottest();
      HRegionFileSystem region = store.getHRegion().getRegionFileSystem();
      boolean isYoung = System.nanoTime() - openedNanos < YOUNG_NANOS;
      if (hottest.isEmpty() || isYoung && hottest.count() < remembered(region) || isCacheClosed) {
        return;
      }
      HotRowsFile.write(region, store.getColumnFamilyName(), hottest);
    } catch (IOException | RuntimeException e) {
      LOG.info("The hot rows of {} are not remembered: {}", cache, e.toString());
    }
  }

  /** Of the file, also before its turn to be read has come. */
  private int remembered(HRegionFileSystem region) throws IOException {
    int known = remembered;
    if (known < Integer.MAX_VALUE || !parents.isEmpty()) {
      return known;
    }
    HotIntervals own = HotRowsFile.read(region, store.getColumnFamilyName());
    return own == null ? 0 : own.count();
  }

  /** Writes while the store serves, so that nobody waits: its region is about to close. */
  public void closesSoon() {
    stopWriting();
    isWritten = await(CLOSING.submit(this::write), LONGEST_BEFORE_CLOSE_MILLIS);
  }

  private void stopWriting() {
    Future<?> regularly = writing;
    if (regularly != null) {
      regularly.cancel(false);
    }
  }

  /** Whether it has ended in time. */
  private boolean await(Future<?> written, long millis) {
    try {
      written.get(millis, TimeUnit.MILLISECONDS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.info("The hot rows of {} are not remembered in time", cache, e);
    }
    return false;
  }

  /** Ends fetching, and writes if that was not done. To be called before the cache is closed. */
  public void close() {
    closing.countDown();
    stopWriting();
    if (!isWritten && !services.isAborted()) {
      await(WRITING.submit(this::write), LONGEST_CLOSE_MILLIS);
    }
    isCacheClosed = true;
  }
}
