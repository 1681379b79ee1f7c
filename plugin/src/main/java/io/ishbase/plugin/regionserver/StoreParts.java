package io.ishbase.plugin.regionserver;

import io.ishbase.core.ReadMode;
import io.ishbase.core.cache.SegmentCache;
import io.ishbase.core.compaction.WarmUpMode;
import io.ishbase.plugin.blockwarmup.WarmUps;
import io.ishbase.plugin.cache.CachedRows;
import io.ishbase.plugin.prewarm.HotRows;
import io.ishbase.plugin.settings.StoreSettings;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.Cell;
import org.jspecify.annotations.Nullable;

/**
 * What the plug-in adds to one store, from the store's opening to its end: settings, the place in
 * the segment cache, hot rows, warm-ups and reads. Thread safe.
 */
final class StoreParts {
  private final InStorageStore store;
  private final RegionServerNodes nodes;
  private final @Nullable CachedRows cache;
  private final WarmUps warmUps;
  private final StoreReads reads;
  private volatile StoreSettings settings;
  private volatile @Nullable HotRows hotRows;

  /** Those of a store that is being made; nothing of them asks the store yet. */
  StoreParts(InStorageStore store, RegionServerNodes nodes) {
    this.store = store;
    this.nodes = nodes;
    this.settings = StoreSettings.read(store);
    this.warmUps =
        new WarmUps(
            store,
            () -> !readsInStorage(),
            this::warmUpMode,
            nodes.storageNodes().settings().warmUpBytesPerSecond());
    this.cache = nodes.openCached(store);
    this.reads = new StoreReads(store, nodes, this::settings, cache, warmUps);
  }

  /** The store is there: its hot rows may be fetched. */
  void opened() {
    SegmentCache all = nodes.cache();
    if (cache != null && all != null) {
      nodes.cachedOpened(store, cache);
      hotRows =
          HotRows.open(store, store, cache, all, nodes.reads(), settings, nodes.restartDirectory());
    }
  }

  StoreSettings settings() {
    return settings;
  }

  /** The store's configuration is another. */
  void readSettings() {
    settings = StoreSettings.read(store);
    nodes.settingsChanged();
  }

  /** Whether its reads are answered by storage nodes unless they say otherwise. */
  boolean readsInStorage() {
    return settings.reads().byDefault() != ReadMode.STOCK;
  }

  WarmUps warmUps() {
    return warmUps;
  }

  // Blocks come from the memory of a daemon.
  private WarmUpMode warmUpMode() {
    return nodes
            .reads()
            .confidentiality()
            .admits(
                store.getFileSystem(),
                store.getRegionFileSystem().getStoreDir(store.getColumnFamilyName()))
        ? settings.warmUp()
        : WarmUpMode.NONE;
  }

  StoreReads reads() {
    return reads;
  }

  /** Takes note of a flush of so many bytes, and how long it took. */
  void flushed(long dataBytes, long nanos) {
    nodes.memory().flushed(store.services(), dataBytes, nanos);
  }

  /** Takes note of a cell that is about to be in the memstore. */
  void written(Cell cell) {
    if (cache != null) {
      cache.written(cell);
    }
  }

  /** Takes note of cells that are about to be in the memstore. */
  void written(Iterable<Cell> cells) {
    if (cache != null) {
      cells.forEach(cache::written);
    }
  }

  /** The region is about to close, and serves as long as this takes. */
  void closesSoon() {
    HotRows hot = hotRows;
    if (hot != null) {
      hot.closesSoon();
    }
  }

  /** Whether there is anything to do when the server is about to stop. */
  boolean keepsRows() {
    HotRows hot = hotRows;
    return hot != null && hot.keepsRows();
  }

  /** The server is about to stop, and serves as long as this takes. */
  void serverStops(BooleanSupplier goesOn) {
    HotRows hot = hotRows;
    if (hot != null) {
      hot.serverStops(goesOn);
    }
  }

  /** The store is about to close: nothing is fetched for it any more. */
  void closing() {
    HotRows hot = hotRows;
    if (hot != null) {
      hot.close();
    }
    warmUps.close();
  }

  /** The store has closed, or failed to. */
  void closed() {
    if (cache != null) {
      nodes.closeCached(cache);
    }
  }
}
