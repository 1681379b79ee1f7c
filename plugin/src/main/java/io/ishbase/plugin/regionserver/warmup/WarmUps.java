package io.ishbase.plugin.regionserver.warmup;

import io.ishbase.core.Setting;
import io.ishbase.core.compaction.WarmUpMode;
import io.ishbase.plugin.regionserver.compaction.CompactionClient;
import io.ishbase.plugin.regionserver.compaction.CompactionMetrics;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The warm-ups of a store, one at a time: a compaction that ends while another's blocks are still
 * being fetched gets none, unless it takes the other's new file, which ends the other's. They wait
 * for, and run on, the two threads of the region server.
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

  private static final AtomicReference<Pace> PACE = new AtomicReference<>();

  private final HStore store;
  private final BooleanSupplier readsBlocks;
  private final Map<Path, RemoteFile> written = new ConcurrentHashMap<>();
  private final AtomicReference<WarmUp> current = new AtomicReference<>();

  /** {@code readsBlocks}: whether reads of the store use HBase's block cache. */
  public WarmUps(HStore store, BooleanSupplier readsBlocks) {
    this.store = store;
    this.readsBlocks = readsBlocks;
  }

  /** What the next compaction of the store is to be followed by. */
  public WarmUpMode mode() {
    Configuration conf = store.getReadOnlyConfiguration();
    String text = Setting.COMPACTION_WARMUP.text(conf::get);
    WarmUpMode mode = WarmUpMode.of(text);
    if (mode == null) {
      LOG.warn(
          "{} = '{}' for {}: must be one of {}; there is no warm-up",
          Setting.COMPACTION_WARMUP.key(),
          text,
          store,
          Setting.COMPACTION_WARMUP.unit());
      return WarmUpMode.NONE;
    }
    CacheConfig cache = store.getCacheConfig();
    boolean isOfUse =
        readsBlocks.getAsBoolean()
            && cache != null
            && cache.getBlockCache().isPresent()
            && cache.shouldCacheDataOnRead()
            // HBase then fetches the whole file when it opens it.
            && !cache.shouldPrefetchOnOpen()
            && !StoreFileWriter.shouldEnableHistoricalCompactionFiles(conf)
            && store.isPrimaryReplicaStore()
            && store.getFileSystem() instanceof HFileSystem;
    return isOfUse ? mode : WarmUpMode.NONE;
  }

  /** A worker has written these files, which are about to be committed. */
  public void written(List<Path> files, CompactionClient worker) {
    if (files.size() == 1 && mode() != WarmUpMode.NONE) {
      Path file = files.get(0);
      written.put(file, new RemoteFile(worker, file.getName()));
    }
  }

  /** A compaction whose files are about to be committed. */
  public final class Commit {
    private final RemoteFile file;
    private final WarmUp warmUp;
    private final WarmUpMode mode;
    private final WarmUp superseded;

    /** All but the mode may be null; {@code superseded}: its new file is among those compacted. */
    private Commit(RemoteFile file, WarmUp warmUp, WarmUpMode mode, WarmUp superseded) {
      this.file = file;
      this.warmUp = warmUp;
      this.mode = mode;
      this.superseded = superseded;
    }

    /** The store has the files now; null: it has not. */
    public void done(List<HStoreFile> files) {
      if (superseded != null && files != null) {
        superseded.end();
      }
      if (file == null) {
        return;
      }
      if (files != null && mode == WarmUpMode.REMOTE) {
        THREADS.execute(() -> readFrom(file, files.get(0).getPath()));
        return;
      }
      if (warmUp == null || files == null) {
        file.release();
        finish(warmUp);
        return;
      }
      CompactionMetrics.get().warmUpBegan();
      THREADS.execute(() -> warm(files.get(0).getPath()));
    }

    private void warm(Path path) {
      try {
        BlockWarmer.run(warmUp, mode, pace(), store, path, file);
      } catch (Exception e) {
        if (!warmUp.hasEnded()) {
          CompactionMetrics.get().warmUpFailed();
          LOG.warn("Warm-up of {} for {} ends early", path, store, e);
        }
      } finally {
        finish(warmUp);
        file.release();
        CompactionMetrics.get().warmUpEnded();
      }
    }
  }

  /** Called before the store's files change; what it returns must be told how that went. */
  public Commit commit(Collection<HStoreFile> compacted, List<Path> newFiles) {
    RemoteFile file = newFiles.size() == 1 ? written.remove(newFiles.get(0)) : null;
    WarmUpMode mode = mode();
    WarmUp running = current.get();
    boolean supersedes =
        running != null
            && compacted.stream()
                .anyMatch(
                    compactedFile -> compactedFile.getPath().getName().equals(running.newName()));
    WarmUp superseded = supersedes ? running : null;
    boolean begins =
        file != null
            && mode != WarmUpMode.NONE
            && mode != WarmUpMode.REMOTE
            && running == superseded;
    WarmUp warmUp = begins ? begin(compacted, newFiles.get(0).getName(), superseded) : null;
    return new Commit(file, warmUp, mode, superseded);
  }

  /**
   * {@code superseded} may be null. Rows that it had not come to are read from its new file now.
   */
  private WarmUp begin(Collection<HStoreFile> compacted, String newName, WarmUp superseded) {
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

  private void replace(RemoteReads reads) {
    if (store.getCacheConfig() instanceof WarmCacheConfig config) {
      RemoteReads before = config.replace(reads);
      if (before != null) {
        before.close();
      }
    }
  }

  private void finish(WarmUp warmUp) {
    if (warmUp != null) {
      warmUp.end();
      current.compareAndSet(warmUp, null);
    }
  }

  /** The warm-up that is under way, or null. */
  public WarmUp current() {
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

  private Pace pace() {
    Pace pace = PACE.get();
    if (pace == null) {
      long mbPerSecond =
          Setting.COMPACTION_WARMUP_RATE.integer(store.getReadOnlyConfiguration()::get);
      PACE.compareAndSet(null, new Pace(mbPerSecond << 20));
      pace = PACE.get();
    }
    return pace;
  }
}
