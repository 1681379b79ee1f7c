package io.ishbase.plugin.prewarm;

import io.ishbase.core.cache.SegmentCache;
import io.ishbase.core.hot.HotIntervals;
import io.ishbase.core.hot.WarmUpPace;
import io.ishbase.plugin.cache.CachedRows;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.scan.Confidentiality;
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
import java.util.function.BooleanSupplier;
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

  private static final long LOOK_MILLIS = 200;
  private static final long BEFORE_NEXT_TRY_MILLIS = 1_000;
  private static final long LONGEST_CLOSE_MILLIS = 1_000;
  private static final long LONGEST_BEFORE_CLOSE_MILLIS = 10_000;

  /** Of what the cache holds of a store. */
  private static final long LONGEST_SAVE_MILLIS = 10_000;

  /** Then it is swept what a server left of which the regions went elsewhere. */
  private static final long SWEEP_MINUTES = 30;

  /** So often a file is read that is damaged: it may still be being written. */
  private static final int MOST_LOOKS_AT_DAMAGED = 3;

  /** So often fetching begins, within four minutes: daemons may be starting, too. */
  private static final int MOST_TRIES = 12;

  private static final long LONGEST_BEFORE_NEXT_TRY_MILLIS = 30_000;

  /** Where others wait, a store's turn ends then. */
  private static final long TURN_NANOS = TimeUnit.SECONDS.toNanos(5);

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

  /** Null: nothing is kept through a restart. */
  private final @Nullable KeptRows kept;

  private final long bytesPerSecond;
  private final long periodSeconds;
  private final List<Path> parents;
  private final long openedNanos = System.nanoTime();
  private final CountDownLatch closing = new CountDownLatch(1);

  /** Hot rows of the file when the store opened; more than any store has until it was read. */
  private volatile int remembered = Integer.MAX_VALUE;

  /** Whether the rows are yet to be fetched. Used by the fetching thread. */
  private boolean isWaiting = true;

  // Used by the fetching thread.
  private int tries;
  private @Nullable HotRowsFetch begun;
  private @Nullable HotIntervals wanted;

  private volatile @Nullable Future<?> writing;

  private volatile boolean isWritten;

  /** From then on the hottest rows may be a part of them. */
  private volatile boolean isCacheClosed;

  /** Used by the writing thread. */
  private long hitsWritten;

  /** Guarded by this. */
  private boolean isSwept;

  private HotRows(
      HStore store,
      Prewarmed about,
      RegionServerServices services,
      CachedRows cache,
      SegmentCache all,
      ReadContext context,
      StoreSettings settings,
      @Nullable RestartDirectory restartDirectory) {
    this.kept =
        restartDirectory == null
            ? null
            : new KeptRows(store, about, cache, all, context.confidentiality(), restartDirectory);
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
   * @param restartDirectory null: there is none
   * @return null if they are not to be remembered; what was, is deleted
   */
  public static @Nullable HotRows open(
      HStore store,
      Prewarmed about,
      CachedRows cache,
      SegmentCache all,
      ReadContext context,
      StoreSettings settings,
      @Nullable RestartDirectory restartDirectory) {
    RegionServerServices services = about.services();
    if (services == null) {
      return null;
    }
    // Row keys of an encrypted family do not go into a file in the clear.
    if (store.getColumnFamilyDescriptor().getEncryptionType() != null
        || settings.prewarmBytesPerSecond() == 0) {
      WRITING.execute(() -> forget(store));
      return null;
    }
    HotRows hotRows;
    try {
      hotRows =
          new HotRows(store, about, services, cache, all, context, settings, restartDirectory);
    } catch (RuntimeException e) {
      LOG.warn("The hot rows of {} are not remembered", cache, e);
      return null;
    }
    InStorageMetrics.get().prewarming(1);
    hotRows.fetchIn(LOOK_MILLIS);
    hotRows.writeRegularly();
    return hotRows;
  }

  /** Sweeps a directory once all regions that a server gets at its start are open. */
  public static void sweepLater(RestartDirectory directory) {
    WRITING.schedule(directory::sweep, SWEEP_MINUTES, TimeUnit.MINUTES);
  }

  private static void forget(HStore store) {
    try {
      HotRowsFile.delete(store.getHRegion().getRegionFileSystem(), store.getColumnFamilyName());
    } catch (IOException | RuntimeException e) {
      LOG.warn("The hot rows of {} are still remembered: {}", store, e.toString());
    }
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
    FETCHING.schedule(this::fetchOnceOpen, millis, TimeUnit.MILLISECONDS);
  }

  // The store is there before its region has replayed its log and is open.
  private void fetchOnceOpen() {
    if (closing.getCount() == 0 || System.nanoTime() - openedNanos > LONGEST_OPENING_NANOS) {
      waitsNoMore();
    } else if (services.getRegion(store.getRegionInfo().getEncodedName()) == store.getHRegion()) {
      fetch();
    } else {
      fetchIn(LOOK_MILLIS);
    }
  }

  private void fetch() {
    HotRowsFetch warmUp = begun;
    if (warmUp == null) {
      warmUp =
          new HotRowsFetch(
              store, about, cache, all, context, new WarmUpPace(bytesPerSecond), closing);
      begun = warmUp;
    }
    if (kept != null) {
      kept.restore(() -> closing.getCount() > 0);
    }
    try {
      // Another server may write them anew meanwhile: a fetch goes on in those that it began with.
      HotIntervals hottest = wanted == null ? read() : wanted;
      wanted = hottest;
      remembered = hottest.count();
      if (!hottest.isEmpty() && about.readsInStorage() && cache.mayFill()) {
        long rest = warmUp.fetch(hottest, this::isTurnOver);
        if (rest > 0) {
          fetchIn(rest);
          return;
        }
        LOG.info("Pre-warmed {} with {} rows", cache, warmUp.fetchedRows());
      }
    } catch (IOException | RuntimeException e) {
      // Others are fetched meanwhile.
      int most = remembered == Integer.MAX_VALUE ? MOST_LOOKS_AT_DAMAGED : MOST_TRIES;
      if (e instanceof IOException && warmUp.fetchedRows() == 0 && ++tries < most) {
        fetchIn(Math.min(BEFORE_NEXT_TRY_MILLIS << (tries - 1), LONGEST_BEFORE_NEXT_TRY_MILLIS));
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

  private boolean isTurnOver(long turnNanos) {
    return turnNanos >= TURN_NANOS && InStorageMetrics.get().prewarming() > 1;
  }

  private void waitsNoMore() {
    // The list may be of megabytes.
    wanted = null;
    begun = null;
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
      try {
        // Its own from now on: parents go with the first compaction.
        HotRowsFile.write(region, family, hottest);
      } catch (IOException e) {
        LOG.info("The hot rows of {} are not remembered: {}", cache, e.toString());
      }
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
      boolean isYoung =
          remembered == Integer.MAX_VALUE || System.nanoTime() - openedNanos < YOUNG_NANOS;
      if (hottest.isEmpty()
          || isYoung && hottest.count() < remembered(region)
          || isCacheClosed
          || Confidentiality.hasKeys(store)) {
        return;
      }
      HotRowsFile.write(region, store.getColumnFamilyName(), hottest);
      if (!isSwept) {
        isSwept = true;
        HotRowsFile.deleteThoseOfDroppedFamilies(
            region, store.getHRegion().getTableDescriptor().getColumnFamilyNames());
      }
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
    // With the whole cluster: nobody has told the server to stop.
    if (!services.isStopped() && isServerStopping()) {
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LONGEST_SAVE_MILLIS);
      await(CLOSING.submit(() -> serverStops(() -> System.nanoTime() < end)), LONGEST_SAVE_MILLIS);
    }
  }

  /** Whether there is anything to write down when the server stops. */
  public boolean keepsRows() {
    return kept != null && kept.hasRows();
  }

  /**
   * Writes down what is cached while the store serves: its server is about to stop.
   *
   * @param goesOn asked now and then
   */
  public void serverStops(BooleanSupplier goesOn) {
    if (kept != null) {
      // Whoever closes the store waits for this, and a part of it is of use.
      kept.save(() -> closing.getCount() > 0 && goesOn.getAsBoolean());
    }
  }

  private boolean isServerStopping() {
    return services.isStopped() || services.isStopping();
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
      LOG.info("What is hot or kept of {} is not written down in time", cache, e);
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
    if (kept != null) {
      boolean isOfUse = isServerStopping() && !services.isAborted();
      await(CLOSING.submit(() -> kept.close(isOfUse)), LONGEST_SAVE_MILLIS);
    }
    isCacheClosed = true;
  }
}
