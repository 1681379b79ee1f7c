package io.ishbase.plugin.cache;

import io.ishbase.plugin.hbase.FileReaders;
import io.ishbase.plugin.scan.Confidentiality;
import java.io.IOException;
import java.util.Collection;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.regionserver.DefaultStoreEngine;
import org.apache.hadoop.hbase.regionserver.DefaultStoreFlusher;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreEngine;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HBase's default store engine, which tells the store's part of the segment cache what every change
 * of its files does to it.
 *
 * <p>A change is announced before the files are switched and ends after, so that no fill that read
 * the old files lands. What a flush wrote goes into the cache before the switch: a reader that took
 * its files and memstores before it may then find a cell twice, which HBase's matcher takes for
 * one; no reader ever finds a hole.
 *
 * <p>Relies on HBase 2.6: files are added by {@code StoreEngine.addStoreFiles} (flushes, bulk
 * loads) and replaced by {@code replaceStoreFiles} (compactions) or {@code refreshStoreFiles} only.
 */
public final class CachingStoreEngine extends DefaultStoreEngine {
  private static final Logger LOG = LoggerFactory.getLogger(CachingStoreEngine.class);

  private final HStore store;

  /** Null: it is not cached. */
  private volatile @Nullable CachedRows cache;

  private CachingStoreEngine(HStore store) {
    this.store = store;
  }

  /**
   * Whether {@code store} may have the engine: its own would be HBase's default, and what it caches
   * would be right.
   */
  public static boolean suits(HStore store, Configuration conf) {
    return store.isPrimaryReplicaStore()
        && !store.getColumnFamilyDescriptor().isNewVersionBehavior()
        // Then reads of the latest versions do not look into all files.
        && !StoreFileWriter.shouldEnableHistoricalCompactionFiles(conf)
        && isDefault(conf, StoreEngine.STORE_ENGINE_CLASS_KEY, DefaultStoreEngine.class)
        && isDefault(conf, DEFAULT_STORE_FLUSHER_CLASS_KEY, DefaultStoreFlusher.class);
  }

  private static boolean isDefault(Configuration conf, String key, Class<?> value) {
    return conf.get(key, value.getName()).equals(value.getName());
  }

  public static CachingStoreEngine of(HStore store, Configuration conf, CellComparator comparator)
      throws IOException {
    CachingStoreEngine engine = new CachingStoreEngine(store);
    engine.createComponentsOnce(conf, store, comparator);
    return engine;
  }

  @Override
  protected void createStoreFlusher(Configuration conf, HStore store) {
    // What is not captured is dropped from the cache row by row where its file comes in: right as
    // well, and nothing is lost where nothing is cached.
    storeFlusher = new CapturingFlusher(conf, store, this::cachesAny);
  }

  private boolean cachesAny() {
    CachedRows told = cached();
    return told != null && !told.rows().isEmpty();
  }

  /** From now on {@code cachedStore} hears of changes. */
  public void tell(CachedRows cachedStore) {
    cache = cachedStore;
  }

  /** What is cached of the store; null: nothing is. */
  @Nullable CachedRows cached() {
    return cache;
  }

  private CachedRows.FileChange change() {
    return new CachedRows.FileChange(cached());
  }

  @Override
  public void addStoreFiles(Collection<HStoreFile> files, IOExceptionRunnable actionAfterAdding)
      throws IOException {
    CapturingFlusher.Written flushed = ((CapturingFlusher) storeFlusher).takeWritten(files);
    try (CachedRows.FileChange change = change()) {
      keepSecrets(files);
      try {
        added(change, files, flushed);
      } catch (RuntimeException | LinkageError e) {
        failed(change, e);
      }
      super.addStoreFiles(files, actionAfterAdding);
    }
  }

  /** A file with a key may come into a family that has none: what is read of it stays in memory. */
  private void keepSecrets(Collection<HStoreFile> added) {
    CachedRows told = cached();
    if (told != null && Confidentiality.haveKeys(added)) {
      told.rows().stayInMemory();
    }
  }

  private void added(
      CachedRows.FileChange change,
      Collection<HStoreFile> files,
      CapturingFlusher.@Nullable Written flushed) {
    if (!files.stream().allMatch(file -> FileReaders.isHBases(store, file.getReader()))) {
      // The rows were cached without what this reader hides or adds.
      change.replaced();
    } else if (flushed == null) {
      change.overwritten(files);
    } else {
      change.flushed(flushed);
    }
  }

  /** The cache does without what it had: HBase would abort the region server for a failed flush. */
  private void failed(CachedRows.FileChange change, Throwable e) {
    LOG.warn(
        "Cached rows of {} are dropped, what a change of its files does to them failed", store, e);
    change.replaced();
  }

  @Override
  public void replaceStoreFiles(
      Collection<HStoreFile> compactedFiles,
      Collection<HStoreFile> newFiles,
      IOExceptionRunnable walMarkerWriter,
      Runnable actionUnderLock)
      throws IOException {
    try (CachedRows.FileChange change = change()) {
      try {
        change.compacted(compactedFiles);
      } catch (RuntimeException | LinkageError e) {
        failed(change, e);
      }
      super.replaceStoreFiles(compactedFiles, newFiles, walMarkerWriter, actionUnderLock);
    }
  }

  @Override
  public void refreshStoreFiles() throws IOException {
    try (CachedRows.FileChange change = change()) {
      change.replaced();
      super.refreshStoreFiles();
      keepSecrets(store.getStorefiles());
    }
  }

  @Override
  public void refreshStoreFiles(Collection<String> newFiles) throws IOException {
    try (CachedRows.FileChange change = change()) {
      change.replaced();
      super.refreshStoreFiles(newFiles);
      keepSecrets(store.getStorefiles());
    }
  }
}
