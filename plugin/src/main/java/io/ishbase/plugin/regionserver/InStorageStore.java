package io.ishbase.plugin.regionserver;

import io.ishbase.core.Gate;
import io.ishbase.core.ReadMode;
import io.ishbase.core.Reason;
import io.ishbase.core.Setting;
import io.ishbase.core.cache.Stretch;
import io.ishbase.core.compaction.WarmUpMode;
import io.ishbase.plugin.regionserver.compaction.OffloadingCompactor;
import io.ishbase.plugin.regionserver.warmup.WarmCacheConfig;
import io.ishbase.plugin.regionserver.warmup.WarmUp;
import io.ishbase.plugin.regionserver.warmup.WarmUps;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.ipc.RpcCall;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.apache.hadoop.hbase.regionserver.MemStoreSizing;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.regionserver.StoreEngine;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileScannerAccess;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.querymatcher.ScanQueryMatcher;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.shaded.protobuf.generated.ClientProtos.ScanRequest;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.common.collect.ImmutableCollection;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store whose HFiles are read by the storage daemons, if the table, the family or the operation
 * says so. It replaces the file scanners that HBase's store makes for a read, grouped by storage
 * node, and changes nothing else.
 *
 * <p>Relies on HBase 2.6: {@code HStore.createScanner} makes the {@code StoreScanner} of every user
 * read, which in its constructor, on the same thread, calls the longest of the {@code getScanners};
 * the list it gets holds file scanners in ascending order, then memstore scanners; {@code
 * recreateScanners} may return null, which keeps the scanners as they are.
 */
final class InStorageStore extends HStore implements WarmUps.Owner, StoreSettings.Owner {
  private static final Logger LOG = LoggerFactory.getLogger(InStorageStore.class);

  /** More rows than a client takes at once: its way to say all. */
  private static final int NO_ROW_LIMIT = 100_000;

  private final StorageNodes nodes;
  private final Gates gates;
  private final CachedStore cache;
  private final HotRows hotRows;
  private final WarmUps warmUps;
  private volatile StoreSettings settings;

  InStorageStore(
      HRegion region,
      ColumnFamilyDescriptor family,
      Configuration regionConf,
      boolean warmup,
      StorageNodes nodes)
      throws IOException {
    super(region, family, regionConf, warmup);
    this.nodes = nodes;
    this.gates = nodes.gates(getTableName(), family.getNameAsString());
    this.settings = StoreSettings.read(this);
    this.warmUps =
        new WarmUps(
            this, this::readsBlocks, this::warmUpMode, nodes.settings().warmUpBytesPerSecond());
    this.cache = openCache();
    this.hotRows = cache == null || warmup ? null : HotRows.open(this, cache, nodes, settings);
  }

  private CachedStore openCache() {
    if (!(getStoreEngine() instanceof CachingStoreEngine engine)) {
      return null;
    }
    String name =
        getTableName() + "/" + getRegionInfo().getEncodedName() + "/" + getColumnFamilyName();
    CachedStore opened;
    try {
      opened =
          new CachedStore(this, nodes.cache().open(name), nodes.settings().rpcTimeoutMillis() / 4);
    } catch (IllegalStateException e) {
      LOG.warn("{} is not cached", name, e);
      return null;
    }
    engine.tell(opened);
    nodes.cachedStores().add(opened);
    return opened;
  }

  // HBase calls it before the fields of this class are set.
  @Override
  protected StoreEngine<?, ?, ?, ?> createStoreEngine(
      HStore store, Configuration storeConf, CellComparator comparator) throws IOException {
    boolean caches =
        StorageNodes.of(storeConf).cache() != null
            && Setting.CACHE.isTrue(storeConf::get)
            && store.isPrimaryReplicaStore()
            && !store.getColumnFamilyDescriptor().isNewVersionBehavior()
            // Then reads of the latest versions do not look into all files.
            && !StoreFileWriter.shouldEnableHistoricalCompactionFiles(storeConf)
            && CachingStoreEngine.suits(storeConf);
    return caches
        ? CachingStoreEngine.of(store, storeConf, comparator)
        : super.createStoreEngine(store, storeConf, comparator);
  }

  @Override
  public ImmutableCollection<HStoreFile> close() throws IOException {
    if (hotRows != null) {
      hotRows.close();
    }
    warmUps.close();
    List<HStoreFile> beingRead =
        getCompactedFiles().stream().filter(HStoreFile::isReferencedInReads).toList();
    ImmutableCollection<HStoreFile> files;
    try {
      files = super.close();
    } finally {
      if (cache != null) {
        nodes.cachedStores().remove(cache);
        cache.close();
      }
    }
    if (isPrimaryReplicaStore()) {
      archive(beingRead);
    }
    return files;
  }

  /**
   * Archives compacted files that HBase left where they are because a scanner had them open. For
   * all that lies there a split or a merge makes references, and where a file with puts was left
   * and that with their delete markers was not, deleted rows come back. Scanners of a closed region
   * find nothing any more.
   */
  private void archive(List<HStoreFile> compacted) {
    List<HStoreFile> left = new ArrayList<>();
    try {
      for (HStoreFile file : compacted) {
        // HBase has archived it if its last scanner was closed in time.
        if (getFileSystem().exists(file.getPath())) {
          left.add(file);
        }
      }
      if (!left.isEmpty()) {
        getRegionFileSystem().removeStoreFiles(getColumnFamilyName(), left);
      }
    } catch (IOException e) {
      LOG.warn("{} were compacted and are not archived", left, e);
    }
  }

  @Override
  public void add(Cell cell, MemStoreSizing memstoreSizing) {
    if (cache != null) {
      cache.written(cell);
    }
    super.add(cell, memstoreSizing);
  }

  @Override
  public void add(Iterable<Cell> cells, MemStoreSizing memstoreSizing) {
    if (cache != null) {
      cells.forEach(cache::written);
    }
    super.add(cells, memstoreSizing);
  }

  @Override
  public StoreSettings settings() {
    return settings;
  }

  /** Whether reads may go to the storage nodes without their asking for it. */
  boolean readsInStorage() {
    return !readsBlocks();
  }

  @Override
  public void onConfigurationChange(Configuration newConf) {
    super.onConfigurationChange(newConf);
    settings = StoreSettings.read(this);
    nodes.forgetFailures();
  }

  // HBase calls it before the fields of this class are set.
  @Override
  protected CacheConfig createCacheConf(ColumnFamilyDescriptor family) {
    return new WarmCacheConfig(super.createCacheConf(family));
  }

  // Blocks come from the memory of a daemon.
  private WarmUpMode warmUpMode() {
    return nodes
            .confidentiality()
            .admits(getFileSystem(), getRegionFileSystem().getStoreDir(getColumnFamilyName()))
        ? settings.warmUp()
        : WarmUpMode.NONE;
  }

  private boolean readsBlocks() {
    return settings.reads().byDefault() == ReadMode.STOCK;
  }

  @Override
  public WarmUps warmUps() {
    return warmUps;
  }

  @Override
  protected List<HStoreFile> doCompaction(
      CompactionRequestImpl request,
      Collection<HStoreFile> compacted,
      User user,
      long startMillis,
      List<Path> newFiles)
      throws IOException {
    OffloadingCompactor.noteOthers(this, request);
    WarmUps.Commit commit = warmUps.commit(compacted, newFiles);
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
      Scan scan, ScanInfo scanInfo, NavigableSet<byte[]> columns, long readPoint)
      throws IOException {
    ReadMode wanted = modeOf(scan);
    byte[] explain = scan.getAttribute(Explanations.ATTRIBUTE);
    if (explain != null) {
      return explained(Bytes.toString(explain), wanted, scan, scanInfo, columns, readPoint);
    }
    if (wanted == ReadMode.STOCK || getStorefilesCount() == 0) {
      return stock(scan, scanInfo, columns, readPoint);
    }
    CacheVisibility.Reader reader = cache == null ? null : cache.reader(scan, scanInfo, readPoint);
    CacheVisibility.Reader cached = reader != null && reader.mayUse() ? reader : null;
    if (cached != null && scan.isGetScan()) {
      CachedRowScanner row = cache.get(cached, scan.getStartRow(), columns);
      if (row != null) {
        return of(row, scan, scanInfo, columns, readPoint);
      }
    }
    if (nodes.live().isEmpty()) {
      InStorageMetrics.get().fellBack(Reason.NO_DAEMON);
      return stock(scan, scanInfo, columns, readPoint);
    }
    int rowLimit = rowLimit(scan);
    MultiGet multiGet =
        scan.isGetScan()
            ? MultiGet.of(this, getRegionInfo(), scan.getStartRow(), cached, columns)
            : null;
    TimedRead timed = null;
    if (wanted == ReadMode.AUTO) {
      Gate gate = gates.gate(scan, columns, rowLimit, multiGet != null);
      Gate.Choice choice = multiGet == null ? gate.choose() : multiGet.road(gate);
      InStorageMetrics.get().took(choice.road());
      timed = new TimedRead(gate, choice, multiGet);
      if (choice.road() == Gate.Road.BLOCK) {
        TimedRead ofBlocks = timed;
        return ReadSetup.makeStock(
            () -> ofBlocks.scanner(this, scanInfo, scan, columns, readPoint));
      }
    }
    boolean fills = reader != null && reader.mayFill();
    CacheFill fill = fills ? cache.fill(reader, scan) : null;
    if (fills && fill == null && cached != null) {
      // Another Get has fetched the row meanwhile.
      CachedRowScanner row = cache.get(cached, scan.getStartRow(), columns);
      if (row != null) {
        return of(row, scan, scanInfo, columns, readPoint);
      }
    }
    NodeRead read =
        new NodeRead(
            scan,
            getRegionInfo(),
            scanInfo,
            columns,
            readPoint,
            rowLimit,
            multiGet,
            settings.firstBatchBytes(),
            settings.maxBatchBytes(),
            cached,
            fill,
            null);
    TimedRead measured = timed;
    boolean made = false;
    try {
      KeyValueScanner scanner =
          new ReadSetup(this, scan, readPoint, null, read)
              .make(
                  () ->
                      measured == null
                          ? super.createScanner(scan, scanInfo, columns, readPoint)
                          : measured.scanner(this, scanInfo, scan, columns, readPoint));
      made = true;
      return scanner;
    } finally {
      if (!made && fill != null) {
        fill.abandon();
      }
    }
  }

  private KeyValueScanner stock(
      Scan scan, ScanInfo scanInfo, NavigableSet<byte[]> columns, long readPoint)
      throws IOException {
    return ReadSetup.makeStock(() -> super.createScanner(scan, scanInfo, columns, readPoint));
  }

  /** HBase's scanner over the cached row of a Get and the memstores. */
  private KeyValueScanner of(
      CachedRowScanner row,
      Scan scan,
      ScanInfo scanInfo,
      NavigableSet<byte[]> columns,
      long readPoint)
      throws IOException {
    MultiGet.served(this, scan.getStartRow());
    KeyValueScanner scanner = null;
    try {
      scanner =
          new ReadSetup(this, scan, readPoint, row, null)
              .make(() -> super.createScanner(scan, scanInfo, columns, readPoint));
    } finally {
      if (scanner == null) {
        row.close();
      }
    }
    return scanner;
  }

  /** A scanner that finds nothing; how it would have been read is noted. */
  private KeyValueScanner explained(
      String id,
      ReadMode wanted,
      Scan scan,
      ScanInfo scanInfo,
      NavigableSet<byte[]> columns,
      long readPoint)
      throws IOException {
    List<String> lines = new ArrayList<>();
    int rowLimit = rowLimit(scan);
    lines.add(
        "family "
            + getColumnFamilyName()
            + " of region "
            + getRegionInfo().getRegionNameAsString());
    Gate gate = gates.gate(scan, columns, rowLimit, false);
    lines.add(
        wanted
            + " reads"
            + (settings.reads().isProhibited() ? "; the table or the family allows no others" : "")
            + (wanted == ReadMode.AUTO
                ? "; the gate sends such reads over "
                    + (gate.road() == Gate.Road.BLOCK ? "blocks" : "the storage nodes")
                : "")
            + (nodes.live().isEmpty() ? "; no storage daemon is registered" : ""));
    if (cache != null
        && scan.isGetScan()
        && cache.reader(scan, scanInfo, readPoint).covers(scan.getStartRow(), columns)) {
      lines.add("the segment cache has the row; without it:");
    }
    NodeRead read =
        new NodeRead(
            scan,
            getRegionInfo(),
            scanInfo,
            columns,
            readPoint,
            rowLimit,
            null,
            settings.firstBatchBytes(),
            settings.maxBatchBytes(),
            null,
            null,
            lines);
    try {
      return new ReadSetup(this, scan, readPoint, null, read)
          .make(() -> super.createScanner(scan, scanInfo, columns, readPoint));
    } finally {
      nodes.explanations().add(id, lines);
    }
  }

  private ReadMode modeOf(Scan scan) {
    byte[] asked = scan.getAttribute(Setting.READ.key());
    return settings.reads().of(asked == null ? null : Bytes.toString(asked));
  }

  // A client's limit is not part of the Scan that the region sees, but of the call that brings it.
  private static int rowLimit(Scan scan) {
    int limit = scan.getLimit() > 0 ? scan.getLimit() : Integer.MAX_VALUE;
    if (scan.getCaching() > 0) {
      limit = Math.min(limit, scan.getCaching());
    }
    Message call = RpcServer.getCurrentCall().map(RpcCall::getParam).orElse(null);
    if (call instanceof ScanRequest request) {
      if (request.getLimitOfRows() > 0) {
        limit = Math.min(limit, request.getLimitOfRows());
      }
      if (request.getNumberOfRows() > 0) {
        limit = Math.min(limit, request.getNumberOfRows());
      }
    }
    return limit < NO_ROW_LIMIT ? limit : 0;
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
    ReadSetup setup = isCompaction ? null : ReadSetup.take(this, startRow, readPoint);
    if (setup != null && setup.row() != null) {
      // HBase holds the store engine's lock until the scanner is made: no flush ends meanwhile.
      List<KeyValueScanner> scanners = new ArrayList<>(4);
      scanners.add(setup.row());
      scanners.addAll(memstore.getScanners(readPoint));
      return scanners;
    }
    NodeRead read = setup == null ? null : setup.read();
    // Every read of the store goes by the threshold: a row that went over to the new file stays
    // there.
    WarmUp warmUp = isCompaction ? null : warmUps.current();
    if (warmUp != null) {
      List<KeyValueScanner> scanners =
          whileWarming(
              warmUp,
              cacheBlocks,
              usePread,
              matcher,
              startRow,
              includeStartRow,
              stopRow,
              includeStopRow,
              readPoint,
              onlyLatestVersion);
      if (scanners != null) {
        return read == null ? scanners : instead(read, scanners);
      }
    }
    // A scanner for stream reads opens its file anew; as a guard that may never be used that is
    // waste.
    List<KeyValueScanner> scanners =
        super.getScanners(
            cacheBlocks,
            usePread || read != null,
            isCompaction,
            matcher,
            startRow,
            includeStartRow,
            stopRow,
            includeStopRow,
            readPoint,
            onlyLatestVersion);
    if (read == null) {
      return scanners;
    }
    try {
      ReadPlan plan = new ReadPlan(this, nodes, read, scanners);
      if (read.explanation() == null) {
        return carryOut(plan, read);
      }
      plan.explain(read.explanation());
    } catch (RuntimeException e) {
      scanners.forEach(KeyValueScanner::close);
      throw e;
    }
    scanners.forEach(KeyValueScanner::close);
    return List.of();
  }

  /** Has a read that storage nodes should answer done by {@code scanners}, of old files and new. */
  private static List<KeyValueScanner> instead(NodeRead read, List<KeyValueScanner> scanners) {
    if (read.explanation() != null) {
      read.explanation().add("reads all files itself: " + Reason.WARMING_UP.description());
      scanners.forEach(KeyValueScanner::close);
      return List.of();
    }
    InStorageMetrics.get().fellBack(Reason.WARMING_UP);
    if (read.fill() != null) {
      read.fill().abandon();
    }
    return scanners;
  }

  /** The scanners of a read in the time between old files and new; null: as always. */
  private List<KeyValueScanner> whileWarming(
      WarmUp warmUp,
      boolean cacheBlocks,
      boolean usePread,
      ScanQueryMatcher matcher,
      byte[] startRow,
      boolean includeStartRow,
      byte[] stopRow,
      boolean includeStopRow,
      long readPoint,
      boolean onlyLatestVersion)
      throws IOException {
    if (warmUp.isBehind(startRow, stopRow)) {
      return null;
    }
    getStoreEngine().readLock();
    try {
      List<KeyValueScanner> scanners =
          warmUp.scanners(
              getStoreEngine()
                  .getStoreFileManager()
                  .getFilesForScan(
                      startRow, includeStartRow, stopRow, includeStopRow, onlyLatestVersion),
              startRow,
              stopRow,
              cacheBlocks,
              usePread,
              matcher,
              readPoint);
      if (scanners != null) {
        scanners.addAll(memstore.getScanners(readPoint));
      }
      return scanners;
    } finally {
      getStoreEngine().readUnlock();
    }
  }

  private List<KeyValueScanner> carryOut(ReadPlan plan, NodeRead read) {
    plan.reasons().forEach(InStorageMetrics.get()::fellBack);
    List<KeyValueScanner> scanners = new ArrayList<>(plan.parts().size() + plan.others().size());
    CacheFill fill = read.fill();
    if (fill != null && !(plan.hasAllFiles() && fill.expect(plan.parts().size()))) {
      fill.abandon();
      fill = null;
    }
    // Neighbours may still be read from the old files while a warm-up is under way.
    if (fill instanceof RowFill ofGet && plan.isOneRequest() && warmUps.current() == null) {
      fetchNeighbours(ofGet, plan.parts().iterator().next(), read);
    }
    boolean isCachedScan =
        read.cache() != null
            && !read.scan().isGetScan()
            && plan.hasAllFiles()
            && plan.parts().size() == 1;
    boolean isSole = plan.isSole();
    for (ReadPlan.Part part : plan.parts()) {
      NodeScanner scanner = new NodeScanner(nodes, part, read, isSole, fill, getComparator());
      scanners.add(isCachedScan ? new CachedScanner(scanner, read, this) : scanner);
    }
    // Memstore scanners stay at the end, where StoreScanner expects them.
    scanners.addAll(plan.others());
    return scanners;
  }

  /**
   * Where Gets miss many rows of a neighbourhood, asks for all of it, in the background.
   *
   * @param part all files of the store: others may have the neighbours
   */
  private void fetchNeighbours(RowFill fill, ReadPlan.Part part, NodeRead read) {
    Stretch stretch = fill.neighbours();
    if (stretch == null
        || part.guards().stream()
            .anyMatch(file -> StoreFileScannerAccess.maxSequenceId(file) > read.readPoint())) {
      return;
    }
    WholeRows source =
        new WholeRows(part.node(), part.directory(), part.names(), read.readPoint(), fill.ticket());
    ReadRequest request =
        source
            .request((int) Math.min(stretch.maxBytes(), settings.maxBatchBytes()))
            .addRange(WholeRows.range(stretch.from(), stretch.to()))
            .build();
    ScanFill neighbours = fill.fillOf(stretch);
    nodes
        .client()
        .read(part.node().address(), request)
        .thenAcceptAsync(
            response -> {
              try {
                neighbours.received(
                    NodeBatch.of(
                        response, getComparator(), source.files().size(), read.readPoint(), false),
                    request,
                    null);
              } catch (DaemonException e) {
                // Nobody waits for it; who wants these rows will see for himself.
                LOG.debug("Neighbours of a row of {} did not come", this, e);
              }
            },
            nodes.background());
  }

  @Override
  public List<KeyValueScanner> recreateScanners(
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
