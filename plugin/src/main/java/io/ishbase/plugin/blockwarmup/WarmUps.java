package io.ishbase.plugin.blockwarmup;

import io.ishbase.core.compaction.WarmUpMode;
import io.ishbase.core.compaction.WarmUpThrottle;
import io.ishbase.plugin.hbase.FileSelection;
import io.ishbase.plugin.metrics.CompactionMetrics;
import io.ishbase.plugin.node.WorkerClient;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.regionserver.DefaultStoreEngine;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The warm-ups of a store, one at a time: a compaction that ends while another's blocks are still
 * being fetched gets none, unless it takes the other's new file, which ends the other's. They wait
 * for, and run on, the two threads of the region server; {@link WarmUpBounds} says how many and for
 * how long.
 */
public final class WarmUps {
  private static final Logger LOG = LoggerFactory.getLogger(WarmUps.class);

  /** A store that has them. */
  public interface Owner {
    WarmUps warmUps();
  }

  private static final ExecutorService THREADS =
      Executors.newFixedThreadPool(
          2, new ThreadFactoryBuilder().setNameFormat("warm-up-%d").setDaemon(true).build());

  /** Of all stores of the region server: at work or waiting. */
  private static final int MAX_WARM_UPS = 10;

  private static final long MAX_MINUTES = 10;

  private static final WarmUpBounds BOUNDS =
      new WarmUpBounds(
          MAX_WARM_UPS,
          TimeUnit.MINUTES.toMillis(MAX_MINUTES),
          Executors.newSingleThreadScheduledExecutor(
              new ThreadFactoryBuilder().setNameFormat("warm-up-end").setDaemon(true).build()));

  private static final AtomicReference<WarmUpThrottle> THROTTLE = new AtomicReference<>();

  private final HStore store;
  private final BooleanSupplier readsBlocks;
  private final Supplier<WarmUpMode> configured;
  private final long bytesPerSecond;
  private final Map<Path, RemoteFile> written = new ConcurrentHashMap<>();
  private final AtomicReference<WarmUp> current = new AtomicReference<>();

  /**
   * @param readsBlocks whether reads of the store use HBase's block cache
   * @param configured what the store's settings say
   * @param bytesPerSecond of all throttled warm-ups of the region server
   */
  public WarmUps(
      HStore store,
      BooleanSupplier readsBlocks,
      Supplier<WarmUpMode> configured,
      long bytesPerSecond) {
    this.store = store;
    this.readsBlocks = readsBlocks;
    this.configured = configured;
    this.bytesPerSecond = bytesPerSecond;
  }

  /** What the next compaction of the store is to be followed by. */
  public WarmUpMode mode() {
    WarmUpMode mode = configured.get();
    CacheConfig cache = store.getCacheConfig();
    boolean isOfUse =
        readsBlocks.getAsBoolean()
            && cache != null
            && cache.getBlockCache().isPresent()
            && cache.shouldCacheDataOnRead()
            // HBase then fetches the whole file when it opens it.
            && !cache.shouldPrefetchOnOpen()
            && !StoreFileWriter.shouldEnableHistoricalCompactionFiles(
                store.getReadOnlyConfiguration())
            && store.isPrimaryReplicaStore()
            // The others' compactions have several new files, and take part of the rows or times.
            && store.getStoreEngine() instanceof DefaultStoreEngine
            && store.getFileSystem() instanceof HFileSystem;
    return isOfUse ? mode : WarmUpMode.NONE;
  }

  /** A worker has written these files, which are about to be committed. */
  public void written(List<Path> files, WorkerClient worker) {
    if (files.size() == 1 && mode() != WarmUpMode.NONE) {
      Path file = files.get(0);
      written.put(file, new RemoteFile(worker, file.getName()));
    }
  }

  /** A compaction whose files are about to be committed. */
  public final class Commit {
    private final @Nullable RemoteFile file;
    private final @Nullable WarmUp warmUp;
    private final WarmUpBounds.@Nullable Place place;
    private final WarmUpMode mode;
    private final @Nullable WarmUp superseded;
    private final boolean endsRemoteReads;

    /**
     * {@code superseded}: its new file is among those compacted; {@code place}: the warm-up's;
     * {@code endsRemoteReads}: that on which misses go to a worker is.
     */
    private Commit(
        @Nullable RemoteFile file,
        @Nullable WarmUp warmUp,
        WarmUpBounds.@Nullable Place place,
        WarmUpMode mode,
        @Nullable WarmUp superseded,
        boolean endsRemoteReads) {
      this.endsRemoteReads = endsRemoteReads;
      this.file = file;
      this.warmUp = warmUp;
      this.place = place;
      this.mode = mode;
      this.superseded = superseded;
    }

    /** The store has the files now; null: it has not. */
    public void done(@Nullable List<HStoreFile> files) {
      if (superseded != null && files != null) {
        superseded.end();
      }
      if (file != null && files != null && mode == WarmUpMode.REMOTE) {
        THREADS.execute(() -> readFrom(file, files.get(0).getPath()));
        return;
      }
      if (endsRemoteReads && files != null) {
        THREADS.execute(() -> replace(null));
      }
      if (file == null) {
        return;
      }
      if (warmUp == null || place == null || files == null) {
        file.release();
        finish();
        return;
      }
      CompactionMetrics.get().warmUpBegan();
      Path path = files.get(0).getPath();
      place.begin(() -> expire(warmUp, path));
      THREADS.execute(() -> warm(warmUp, path, file));
    }

    private void expire(WarmUp begun, Path path) {
      if (begun.end()) {
        CompactionMetrics.get().warmUpSkipped();
        LOG.info(
            "Warm-up of {} for {} ends after {} min: the rest stays cold",
            path,
            store,
            MAX_MINUTES);
      }
    }

    private void finish() {
      if (warmUp != null) {
        warmUp.end();
        current.compareAndSet(warmUp, null);
      }
      if (place != null) {
        place.close();
      }
    }

    private void warm(WarmUp begun, Path path, RemoteFile from) {
      try {
        if (begun.hasEnded()) {
          return;
        }
        BlockWarmer.run(begun, mode, throttle(), store, path, from);
      } catch (Exception e) {
        if (!begun.hasEnded()) {
          CompactionMetrics.get().warmUpFailed();
          LOG.warn("Warm-up of {} for {} ends early", path, store, e);
        }
      } finally {
        CompactionMetrics.get().warmUpEnded();
        finish();
        from.release();
      }
    }
  }

  /**
   * Called before the store's files change; what it returns must be told how that went.
   *
   * @param compacted null: HBase's own tests do not say
   */
  public Commit commit(@Nullable Collection<HStoreFile> compacted, List<Path> newFiles) {
    RemoteFile file = newFiles.size() == 1 ? written.remove(newFiles.get(0)) : null;
    WarmUpMode mode = mode();
    WarmUp running = current.get();
    boolean supersedes =
        running != null
            && compacted != null
            && compacted.stream()
                .anyMatch(
                    compactedFile -> compactedFile.getPath().getName().equals(running.newName()));
    WarmUp superseded = supersedes ? running : null;
    boolean begins =
        file != null
            && compacted != null
            && mode != WarmUpMode.NONE
            && mode != WarmUpMode.REMOTE
            && running == superseded;
    WarmUpBounds.Place place = begins ? BOUNDS.enter() : null;
    if (begins && place == null) {
      CompactionMetrics.get().warmUpSkipped();
      LOG.info(
          "No warm-up for {} of {}: {} others wait or are at work",
          newFiles.get(0).getName(),
          store,
          MAX_WARM_UPS);
    }
    WarmUp warmUp =
        place == null || compacted == null
            ? null
            : begin(compacted, newFiles.get(0).getName(), superseded);
    if (place != null && warmUp == null) {
      place.close();
    }
    boolean endsRemoteReads =
        compacted != null
            && store.getCacheConfig() instanceof WarmCacheConfig config
            && config.readsAnyOf(compacted);
    return new Commit(file, warmUp, place, mode, superseded, endsRemoteReads);
  }

  /** Rows that {@code superseded} had not come to are read from its new file now. */
  private @Nullable WarmUp begin(
      Collection<HStoreFile> compacted, String newName, @Nullable WarmUp superseded) {
    try {
      WarmUp warmUp =
          superseded == null
              ? new WarmUp(compacted, newName, store.getComparator())
              : superseded.supersede(compacted, newName);
      // The superseded one's thread may have seen its end.
      if (current.compareAndSet(superseded, warmUp) || current.compareAndSet(null, warmUp)) {
        return warmUp;
      }
      warmUp.end();
    } catch (RuntimeException e) {
      CompactionMetrics.get().warmUpFailed();
      LOG.warn("There is no warm-up for {} of {}", newName, store, e);
    }
    return null;
  }

  /** Makes misses on the file at {@code path} go to its worker, and no more those on another. */
  private void readFrom(RemoteFile file, Path path) {
    try {
      replace(new RemoteReads(store, path, file));
      if (!store.areWritesEnabled()) {
        replace(null);
      }
    } catch (IOException | RuntimeException e) {
      CompactionMetrics.get().warmUpFailed();
      LOG.warn("{} is not read from its worker", path, e);
      file.release();
    }
  }

  private void replace(@Nullable RemoteReads reads) {
    if (store.getCacheConfig() instanceof WarmCacheConfig config) {
      RemoteReads before = config.replace(reads);
      if (before != null) {
        before.close();
      }
    }
  }

  /**
   * The scanners of a read in the time between old files and new, those of memstores last. Every
   * read of the store goes by the threshold: a row that went over to the new file stays there.
   *
   * @return null: as always
   */
  public @Nullable List<KeyValueScanner> scanners(
      FileSelection asked, FileSelection.Memstores memstores) throws IOException {
    WarmUp warmUp = current.get();
    if (asked.isCompaction()
        || warmUp == null
        || warmUp.isBehind(asked.startRow(), asked.stopRow())) {
      return null;
    }
    store.getStoreEngine().readLock();
    try {
      List<KeyValueScanner> scanners = warmUp.scanners(asked.files(store), asked);
      if (scanners != null) {
        try {
          scanners.addAll(memstores.scanners(asked.readPoint()));
        } catch (IOException | RuntimeException | Error e) {
          scanners.forEach(KeyValueScanner::close);
          throw e;
        }
      }
      return scanners;
    } finally {
      store.getStoreEngine().readUnlock();
    }
  }

  /** The warm-up that is under way, or null. */
  public @Nullable WarmUp current() {
    return current.get();
  }

  /** Ends what is under way: the store closes. */
  public void close() {
    WarmUp warmUp = current.get();
    if (warmUp != null) {
      warmUp.end();
    }
    replace(null);
  }

  private WarmUpThrottle throttle() {
    return THROTTLE.updateAndGet(
        throttle ->
            throttle == null ? new WarmUpThrottle(bytesPerSecond, System::nanoTime) : throttle);
  }
}
