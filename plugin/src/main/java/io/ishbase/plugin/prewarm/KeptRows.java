package io.ishbase.plugin.prewarm;

import io.ishbase.core.Release;
import io.ishbase.core.cache.SegmentCache;
import io.ishbase.core.cache.Ticket;
import io.ishbase.plugin.cache.CachedRows;
import io.ishbase.plugin.cache.FlushedRows;
import io.ishbase.plugin.cache.SavedRows;
import io.ishbase.plugin.hbase.FileReaders;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.scan.Confidentiality;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.regionserver.HRegionFileSystem;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is cached of a store, from a region server that stops to the one in its place: written down
 * while the store serves, made up for what flushes wrote from then until it closed, and read. Never
 * fails: what cannot be kept is not.
 */
final class KeptRows {
  private static final Logger LOG = LoggerFactory.getLogger(KeptRows.class);
  private static final int IO_BYTES = 1 << 20;

  private final HStore store;
  private final Prewarmed about;
  private final CachedRows cache;
  private final SegmentCache all;
  private final Confidentiality confidentiality;
  private final RestartDirectory directory;

  /** Null: nothing has been written down. Guarded by this. */
  private @Nullable Saved saved;

  /** Until then the directory has what the server before this left. Guarded by this. */
  private boolean isRestored;

  /**
   * What lies in the directory.
   *
   * @param origin what it follows from
   * @param flushed since it was begun
   */
  private record Saved(List<String> origin, FlushedRows flushed) {}

  /** Of a store, of whose rows {@code cache} has some. */
  KeptRows(
      HStore store,
      Prewarmed about,
      CachedRows cache,
      SegmentCache all,
      Confidentiality confidentiality,
      RestartDirectory directory) {
    this.store = store;
    this.about = about;
    this.cache = cache;
    this.all = all;
    this.confidentiality = confidentiality;
    this.directory = directory;
  }

  /**
   * Puts into the cache what the server before this left. Once.
   *
   * @param goesOn asked now and then
   */
  void restore(BooleanSupplier goesOn) {
    synchronized (this) {
      if (isRestored) {
        return;
      }
    }
    try (InputStream file = directory.open(store);
        InputStream flushed = directory.openFlushed(store)) {
      if (file != null
          && flushed != null
          && about.readsInStorage()
          && cache.mayFill()
          && isInTheClear()) {
        Ticket ticket = cache.rows().ticket();
        List<String> origin = origin();
        long rows =
            origin == null
                ? 0
                : new SavedRows(cache, origin)
                    .load(
                        new BufferedInputStream(file, IO_BYTES),
                        new BufferedInputStream(flushed, IO_BYTES),
                        ticket,
                        () -> goesOn.getAsBoolean() && all.hasRoomFor(IO_BYTES));
        InStorageMetrics.get().restored(rows);
        LOG.info("{} rows of {} are cached as before the restart", rows, cache);
      }
    } catch (IOException | RuntimeException e) {
      LOG.info("Not all rows of {} are cached as before the restart: {}", cache, e.toString());
    }
    synchronized (this) {
      isRestored = true;
      directory.delete(store);
    }
  }

  /**
   * Writes down what is cached, while the store serves: its server is about to stop. Once.
   *
   * @param goesOn asked now and then
   */
  synchronized void save(BooleanSupplier goesOn) {
    if (isRestored && saved == null) {
      saved = saved(goesOn);
    }
  }

  /** Null: nothing lies there now, or what did before. */
  private @Nullable Saved saved(BooleanSupplier goesOn) {
    FlushedRows flushed = cache.watch();
    List<String> origin = mayBeKept() ? origin() : null;
    if (origin == null || cache.rows().isEmpty()) {
      flushed.anyChanged();
      return null;
    }
    try (OutputStream out = new BufferedOutputStream(directory.create(store), IO_BYTES)) {
      new SavedRows(cache, origin).save(out, () -> directory.hasRoom() && goesOn.getAsBoolean());
    } catch (IOException | RuntimeException e) {
      LOG.warn("What is cached of {} is not kept through a restart: {}", cache, e.toString());
      directory.delete(store);
      flushed.anyChanged();
      return null;
    }
    return new Saved(origin, flushed);
  }

  /**
   * Sees to it that what was written down is what is cached, or that nothing is left of it: the
   * store is about to close, and does not change any more. Its clients wait, so that nothing is
   * written down that was not before.
   *
   * @param isOfUse whether a server may start in the place of this one
   */
  synchronized void close(boolean isOfUse) {
    Saved before = saved;
    if (before != null && !(isOfUse && before.flushed.areAll() && isMadeUp(before))) {
      directory.delete(store);
    }
  }

  /** Whether what lies in the directory is of use now. */
  private boolean isMadeUp(Saved before) {
    Ticket ticket = cache.rows().ticket();
    List<String> origin = mayBeKept() ? origin() : null;
    if (origin == null) {
      return false;
    }
    try (OutputStream out = new BufferedOutputStream(directory.createFlushed(store), IO_BYTES)) {
      new SavedRows(cache, origin).saveFlushed(before.flushed, before.origin, out);
    } catch (IOException | RuntimeException e) {
      LOG.warn("What is cached of {} is not kept through a restart: {}", cache, e.toString());
      return false;
    }
    return before.flushed.areAll()
        && origin.containsAll(before.origin)
        && cache.rows().isUnchangedSince(ticket);
  }

  /** Whether there is anything to write down. */
  boolean hasRows() {
    return mayBeKept() && !cache.rows().isEmpty();
  }

  private boolean mayBeKept() {
    return about.readsInStorage() && isInTheClear();
  }

  private boolean isInTheClear() {
    HRegionFileSystem region = store.getHRegion().getRegionFileSystem();
    return !Confidentiality.hasKeys(store)
        && !confidentiality.mayBeInZone(
            region.getFileSystem(), region.getStoreDir(store.getColumnFamilyName()));
  }

  /**
   * What cached rows follow from: the store's files and the family's rules, and who may change
   * either, coprocessors and releases of ours. Null while reads may see other files in their place,
   * or other cells than a file has.
   */
  private @Nullable List<String> origin() {
    List<String> origin = new ArrayList<>();
    origin.add(Release.name());
    origin.add(store.getColumnFamilyDescriptor().toString());
    RegionCoprocessorHost coprocessors = store.getHRegion().getCoprocessorHost();
    if (coprocessors != null) {
      origin.addAll(new TreeSet<>(coprocessors.getCoprocessors()));
    }
    store.getStoreEngine().readLock();
    try {
      Collection<HStoreFile> files = store.getStorefiles();
      if (about.readsReplacedFiles()
          || !files.stream().allMatch(file -> FileReaders.isHBases(store, file.getReader()))) {
        return null;
      }
      files.stream().map(file -> file.getPath().getName()).sorted().forEach(origin::add);
    } finally {
      store.getStoreEngine().readUnlock();
    }
    return origin;
  }
}
