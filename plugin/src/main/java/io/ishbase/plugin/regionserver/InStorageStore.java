package io.ishbase.plugin.regionserver;

import io.ishbase.plugin.blockwarmup.WarmUps;
import io.ishbase.plugin.cache.CachingStoreEngine;
import io.ishbase.plugin.compaction.Offload;
import io.ishbase.plugin.compaction.OffloadingEngines;
import io.ishbase.plugin.hbase.CompactedFiles;
import io.ishbase.plugin.hbase.FileSelection;
import io.ishbase.plugin.hbase.FlushObserver;
import io.ishbase.plugin.prewarm.Prewarmed;
import io.ishbase.plugin.settings.StoreSettings;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.NavigableSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.monitoring.MonitoredTask;
import org.apache.hadoop.hbase.regionserver.ChangedReadersObserver;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.apache.hadoop.hbase.regionserver.MemStoreSizing;
import org.apache.hadoop.hbase.regionserver.MemStoreSnapshot;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.regionserver.StoreEngine;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.querymatcher.ScanQueryMatcher;
import org.apache.hadoop.hbase.regionserver.throttle.ThroughputController;
import org.apache.hadoop.hbase.security.User;
import org.apache.hbase.thirdparty.com.google.common.collect.ImmutableCollection;
import org.jspecify.annotations.Nullable;

/**
 * A store whose HFiles are read by the storage daemons, if the table, the family or the operation
 * says so. It replaces the file scanners that HBase's store makes for a read, grouped by storage
 * node, and changes nothing else. It only passes on what HBase calls: {@link StoreParts} has what
 * is added, {@link StoreReads} does the reads.
 *
 * <p>Relies on HBase 2.6: {@code HStore.createScanner} makes the {@code StoreScanner} of every user
 * read, which in its constructor, on the same thread, calls the longest of the {@code getScanners};
 * the list it gets holds file scanners in ascending order, then memstore scanners; {@code
 * recreateScanners} may return null, which keeps the scanners as they are.
 */
final class InStorageStore extends HStore
    implements WarmUps.Owner, StoreSettings.Owner, StoreReads.Owner, Prewarmed {
  private final InStorageRegion region;
  private final StoreParts parts;

  InStorageStore(
      InStorageRegion region,
      RegionServerNodes nodes,
      ColumnFamilyDescriptor family,
      Configuration regionConf,
      boolean warmup)
      throws IOException {
    super(region, family, regionConf, warmup);
    this.region = region;
    this.parts = new StoreParts(this, nodes);
    if (!warmup) {
      parts.opened();
    }
  }

  // HBase calls it before the fields of this class are set.
  @Override
  protected StoreEngine<?, ?, ?, ?> createStoreEngine(
      HStore store, Configuration storeConf, CellComparator comparator) throws IOException {
    InStorageRegion opening = (InStorageRegion) store.getHRegion();
    RegionServerNodes shared = opening.nodes();
    if (shared != null && !opening.isOfSnapshot() && shared.caches(store, storeConf)) {
      return CachingStoreEngine.of(store, storeConf, comparator);
    }
    StoreEngine<?, ?, ?, ?> engine = OffloadingEngines.of(store, storeConf, comparator);
    return engine == null ? super.createStoreEngine(store, storeConf, comparator) : engine;
  }

  /** The region is about to close, and serves as long as this takes. */
  void closesSoon() {
    parts.closesSoon();
  }

  /** Whether there is anything to do when the server is about to stop. */
  boolean keepsRows() {
    return parts.keepsRows();
  }

  /**
   * The server is about to stop, and serves as long as this takes.
   *
   * @param goesOn asked now and then
   */
  void serverStops(BooleanSupplier goesOn) {
    parts.serverStops(goesOn);
  }

  /** Gives back what it has of the region server; nobody has read it. */
  void giveUp() {
    parts.closing();
    parts.closed();
  }

  @Override
  public ImmutableCollection<HStoreFile> close() throws IOException {
    parts.closing();
    List<HStoreFile> beingRead = CompactedFiles.beingRead(this);
    ImmutableCollection<HStoreFile> files;
    try {
      files = super.close();
    } finally {
      parts.closed();
    }
    CompactedFiles.archive(this, beingRead);
    return files;
  }

  @Override
  public void add(Cell cell, MemStoreSizing memstoreSizing) {
    parts.written(cell);
    super.add(cell, memstoreSizing);
  }

  @Override
  public void add(Iterable<Cell> cells, MemStoreSizing memstoreSizing) {
    parts.written(cells);
    super.add(cells, memstoreSizing);
  }

  @Override
  public StoreSettings settings() {
    return parts.settings();
  }

  @Override
  public StoreReads reads() {
    return parts.reads();
  }

  @Override
  public @Nullable RegionServerServices services() {
    return region.services();
  }

  @Override
  public boolean readsInStorage() {
    return parts.readsInStorage();
  }

  @Override
  public boolean readsReplacedFiles() {
    return warmUps().current() != null;
  }

  @Override
  public void onConfigurationChange(Configuration newConf) {
    super.onConfigurationChange(newConf);
    parts.readSettings();
  }

  // HBase calls it before the fields of this class are set.
  @Override
  protected CacheConfig createCacheConf(ColumnFamilyDescriptor family) {
    return ((InStorageRegion) getHRegion()).watched(super.createCacheConf(family));
  }

  @Override
  public WarmUps warmUps() {
    return parts.warmUps();
  }

  @Override
  protected List<Path> flushCache(
      long sequenceId,
      MemStoreSnapshot snapshot,
      MonitoredTask status,
      ThroughputController throughput,
      FlushLifeCycleTracker tracker,
      Consumer<Path> created)
      throws IOException {
    long begun = System.nanoTime();
    List<Path> files = super.flushCache(sequenceId, snapshot, status, throughput, tracker, created);
    parts.flushed(snapshot.getDataSize(), System.nanoTime() - begun);
    return files;
  }

  @Override
  protected List<HStoreFile> doCompaction(
      @Nullable CompactionRequestImpl request,
      @Nullable Collection<HStoreFile> compacted,
      User user,
      long startMillis,
      List<Path> newFiles)
      throws IOException {
    Offload.noteOthers(this, request);
    WarmUps.Commit commit = warmUps().commit(compacted, newFiles);
    List<HStoreFile> files = null;
    try {
      files = super.doCompaction(request, compacted, user, startMillis, newFiles);
      return files;
    } finally {
      commit.done(files);
    }
  }

  @Override
  protected KeyValueScanner createScanner(
      Scan scan, ScanInfo scanInfo, @Nullable NavigableSet<byte[]> columns, long readPoint)
      throws IOException {
    return parts
        .reads()
        .scanner(
            scan,
            scanInfo,
            columns,
            readPoint,
            rules -> super.createScanner(scan, rules, columns, readPoint));
  }

  @Override
  public void addChangedReaderObserver(ChangedReadersObserver scanner) {
    super.addChangedReaderObserver(new FlushObserver(scanner, this));
  }

  @Override
  public void deleteChangedReaderObserver(ChangedReadersObserver scanner) {
    super.deleteChangedReaderObserver(new FlushObserver(scanner, this));
  }

  @Override
  public List<KeyValueScanner> getScanners(
      boolean cacheBlocks,
      boolean usePread,
      boolean isCompaction,
      ScanQueryMatcher matcher,
      byte[] startRow,
      boolean includeStartRow,
      byte[] stopRow,
      boolean includeStopRow,
      long readPoint,
      boolean onlyLatestVersion)
      throws IOException {
    FileSelection asked =
        new FileSelection(
            cacheBlocks,
            usePread,
            isCompaction,
            matcher,
            startRow,
            includeStartRow,
            stopRow,
            includeStopRow,
            readPoint,
            onlyLatestVersion);
    return parts
        .reads()
        .scanners(asked, selection -> selection.ask(super::getScanners), memstore::getScanners);
  }

  @Override
  public @Nullable List<KeyValueScanner> recreateScanners(
      List<KeyValueScanner> currentFileScanners,
      boolean cacheBlocks,
      boolean usePread,
      boolean isCompaction,
      ScanQueryMatcher matcher,
      byte[] startRow,
      boolean includeStartRow,
      byte[] stopRow,
      boolean includeStopRow,
      long readPoint,
      boolean includeMemstoreScanner)
      throws IOException {
    // HBase switches a long scan from positional to stream reads; other scanners do not read files.
    if (!currentFileScanners.stream().allMatch(StoreFileScanner.class::isInstance)) {
      return null;
    }
    return super.recreateScanners(
        currentFileScanners,
        cacheBlocks,
        usePread,
        isCompaction,
        matcher,
        startRow,
        includeStartRow,
        stopRow,
        includeStopRow,
        readPoint,
        includeMemstoreScanner);
  }
}
