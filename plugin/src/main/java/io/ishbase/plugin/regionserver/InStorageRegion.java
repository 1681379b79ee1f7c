package io.ishbase.plugin.regionserver;

import io.ishbase.core.ReadMode;
import io.ishbase.core.Setting;
import io.ishbase.plugin.blockwarmup.WarmCacheConfig;
import io.ishbase.plugin.hbase.CompactionHooks;
import io.ishbase.plugin.hbase.OwnedResults;
import io.ishbase.plugin.hbase.RegionScan;
import io.ishbase.plugin.hbase.ServedRegion;
import io.ishbase.plugin.node.RegionHome;
import io.ishbase.plugin.node.StorageNodes;
import io.ishbase.plugin.prewarm.StopObserver;
import io.ishbase.plugin.settings.MemstoreSettings;
import io.ishbase.plugin.shadow.ShadowRead;
import io.ishbase.plugin.trace.RegionRecorder;
import io.ishbase.protocol.ReleaseAdapter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.PackagePrivateFieldAccessor;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.ipc.RpcCall;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionFileSystem;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.RegionScannerImpl;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.regionserver.WatchedRegionScanners;
import org.apache.hadoop.hbase.shaded.protobuf.generated.AdminProtos.ClearRegionBlockCacheRequest;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WAL;
import org.jspecify.annotations.Nullable;

/**
 * The region that {@code hbase.hregion.impl} names. In user tables it makes stores that can be read
 * in-storage, and it gives itself a home: the DataNode to which HBase then writes its flushes and
 * compactions. Regions of system tables, the master's own store among them, stay as HBase makes
 * them.
 *
 * <p>Relies on HBase 2.6: the two constructors by which HBase makes a region, {@code
 * HRegion.instantiateHStore}, {@code getStores} where a block cache is cleared, by the thread that
 * has the call, and {@code RegionServerServices.updateRegionFavoredNodesMapping}; for recording,
 * that all reads of users go through {@code instantiateRegionScanner}, and what they write through
 * the longest {@code batchMutate}, but for {@code mutateRowsWithLocks}.
 */
public class InStorageRegion extends HRegion implements ServedRegion, StopObserver.Stopping {
  private static final byte[] STOCK = Bytes.toBytes(ReadMode.STOCK.toString());

  private static final String FLUSHED_BEFORE = "hbase.hregion.preclose.flush.size";
  private static final long FLUSHED_BEFORE_BYTES = 5L << 20;

  private final @Nullable RegionServerServices services;
  private final boolean isOfSnapshot;
  private final @Nullable RegionServerNodes nodes;

  /** Null: its files go wherever HBase lets them. */
  private final @Nullable RegionHome home;

  /**
   * What was made for it. HBase forgets a store that opens after another one of the region failed
   * to, and never closes it. Guarded by itself.
   */
  private final List<InStorageStore> made = new ArrayList<>();

  /** Until it closes; guarded by {@code made}. */
  private boolean takesStores = true;

  /** Null: nothing is recorded of the region. */
  private final @Nullable RegionRecorder recorder;

  public InStorageRegion(
      HRegionFileSystem regionFs,
      WAL wal,
      Configuration conf,
      TableDescriptor table,
      @Nullable RegionServerServices services) {
    super(regionFs, wal, conf, table, services);
    this.services = services;
    this.isOfSnapshot = false;
    this.nodes = follow(conf);
    this.home = home(conf);
    this.recorder = recorder();
  }

  // HRegion.newHRegion calls it by reflection
  public InStorageRegion(
      Path tableDirectory,
      WAL wal,
      FileSystem fs,
      Configuration conf,
      RegionInfo region,
      TableDescriptor table,
      @Nullable RegionServerServices services) {
    this(tableDirectory, wal, fs, conf, region, table, services, false);
  }

  /**
   * The same.
   *
   * @param isOfSnapshot whether no region server has it and nobody will ever write to it
   */
  @SuppressWarnings("deprecation") // of HBase's two it is the one for files that are no region's
  protected InStorageRegion(
      Path tableDirectory,
      WAL wal,
      FileSystem fs,
      Configuration conf,
      RegionInfo region,
      TableDescriptor table,
      @Nullable RegionServerServices services,
      boolean isOfSnapshot) {
    super(tableDirectory, wal, fs, conf, region, table, services);
    this.services = services;
    this.isOfSnapshot = isOfSnapshot;
    this.nodes = follow(conf);
    this.home = home(conf);
    this.recorder = recorder();
  }

  private @Nullable RegionServerNodes follow(Configuration siteConf) {
    // Without services it is no region server that opens the region: the master makes a table's
    // first
    // regions in this way.
    if (services == null && !isOfSnapshot && !StorageNodes.isFixed()
        || getTableDescriptor().getTableName().isSystemTable()
        || getTableDescriptor().isMetaTable()
        || getTableDescriptor().getTableName().getNameAsString().startsWith("master:")
        || conf.getBoolean(USE_META_CELL_COMPARATOR, DEFAULT_USE_META_CELL_COMPARATOR)) {
      return null;
    }
    RegionServerNodes followed = RegionServerNodes.of(siteConf);
    if (isOfSnapshot) {
      followed.storageNodes().awaitReaders();
    }
    if (services != null) {
      followed.begin(services);
      followed.pages().showAt(services);
    }
    return followed;
  }

  private @Nullable RegionHome home(Configuration siteConf) {
    if (nodes == null || services == null || getRegionInfo().getReplicaId() > 0) {
      return null;
    }
    RegionHome made = new RegionHome(this, services, siteConf);
    nodes.storageNodes().follow(made);
    return made;
  }

  @Override
  public void onConfigurationChange(Configuration changed) {
    RegionCoprocessorHost before = getCoprocessorHost();
    super.onConfigurationChange(changed);
    if (getCoprocessorHost() != before) {
      readsOf(getStores()).forEach(StoreReads::coprocessorsReplaced);
    }
    if (home != null && nodes != null) {
      home.configure(changed);
      nodes.storageNodes().follow(home);
    }
  }

  private @Nullable RegionRecorder recorder() {
    int perMille = nodes == null ? 0 : Setting.TRACE.integer(conf::get);
    return nodes == null || perMille == 0 || isOfSnapshot
        ? null
        : RegionRecorder.of(
            nodes.recorder(services == null ? "local,0,0" : services.getServerName().toString()),
            this,
            perMille);
  }

  /** What the region server's regions share; null if this one stays as HBase makes it. */
  @Nullable RegionServerNodes nodes() {
    return nodes;
  }

  @Override
  public @Nullable RegionServerServices services() {
    return services;
  }

  @Override
  public boolean isOfSnapshot() {
    return isOfSnapshot;
  }

  @Override
  protected HStore instantiateHStore(ColumnFamilyDescriptor family, boolean warmup)
      throws IOException {
    if (nodes == null) {
      return super.instantiateHStore(family, warmup);
    }
    ColumnFamilyDescriptor withMemstore =
        isOfSnapshot ? family : MemstoreSettings.family(family, conf);
    if (family.isMobEnabled()) {
      return new InStorageMobStore(this, nodes, withMemstore, conf, warmup);
    }
    InStorageStore store = new InStorageStore(this, nodes, withMemstore, conf, warmup);
    boolean isTaken;
    synchronized (made) {
      isTaken = takesStores;
      made.add(store);
    }
    if (!isTaken) {
      giveUpForgotten();
    }
    return store;
  }

  /**
   * HBase asks for them, too, to clear its block cache of the region: what is cached here goes as
   * well.
   */
  @Override
  public List<HStore> getStores() {
    List<HStore> stores = super.getStores();
    if (nodes != null && clearsCaches()) {
      readsOf(stores).forEach(StoreReads::forget);
    }
    return stores;
  }

  private static Stream<StoreReads> readsOf(List<HStore> stores) {
    return stores.stream()
        .filter(StoreReads.Owner.class::isInstance)
        .map(store -> ((StoreReads.Owner) store).reads());
  }

  private static boolean clearsCaches() {
    return RpcServer.getCurrentCall().map(RpcCall::getParam).orElse(null)
        instanceof ClearRegionBlockCacheRequest;
  }

  private void giveUpForgotten() {
    List<InStorageStore> forgotten;
    synchronized (made) {
      takesStores = false;
      forgotten = new ArrayList<>(made);
      made.clear();
    }
    forgotten.removeAll(getStores());
    forgotten.forEach(InStorageStore::giveUp);
  }

  @Override
  protected RegionScannerImpl instantiateRegionScanner(
      Scan scan, @Nullable List<KeyValueScanner> more, long nonceGroup, long nonce)
      throws IOException {
    if (more != null && !more.isEmpty()) {
      // Of rows of which these have cells neither a daemon nor the cache knows what a filter makes.
      Scan stock = new Scan(scan).setAttribute(Setting.READ.key(), STOCK);
      PackagePrivateFieldAccessor.setMvccReadPoint(
          stock, PackagePrivateFieldAccessor.getMvccReadPoint(scan));
      return super.instantiateRegionScanner(stock, more, nonceGroup, nonce);
    }
    Scan outer = RegionScan.begin(scan);
    try {
      return regionScanner(scan, more, nonceGroup, nonce);
    } finally {
      RegionScan.end(scan, outer);
    }
  }

  private RegionScannerImpl regionScanner(
      Scan scan, @Nullable List<KeyValueScanner> more, long nonceGroup, long nonce)
      throws IOException {
    WatchedRegionScanners.Watch watch = recorder == null ? null : recorder.watch(scan);
    ShadowRead shadow = more == null ? shadow(scan) : null;
    return watch == null && shadow == null && !(nodes != null && WatchedRegionScanners.counts(scan))
        ? super.instantiateRegionScanner(scan, more, nonceGroup, nonce)
        : WatchedRegionScanners.of(this, scan, more, nonceGroup, nonce, shadow, watch);
  }

  /** Null: the read is not to be checked, or cannot be. */
  private @Nullable ShadowRead shadow(Scan scan) {
    if (nodes == null) {
      return null;
    }
    int oneIn = 0;
    for (byte[] family : scan.getFamilyMap().keySet()) {
      oneIn = getStore(family) instanceof StoreReads.Owner store ? store.reads().shadows(scan) : 0;
      if (oneIn > 0) {
        break;
      }
    }
    return nodes.shadows().isNext(oneIn)
        ? ShadowRead.of(
            scan, getTableDescriptor(), getRegionInfo(), new Unwatched(), nodes.shadows())
        : null;
  }

  private RegionScannerImpl unwatched(Scan scan) throws IOException {
    startRegionOperation(Operation.SCAN);
    Scan outer = RegionScan.begin(scan);
    try {
      return super.instantiateRegionScanner(scan, null, HConstants.NO_NONCE, HConstants.NO_NONCE);
    } finally {
      RegionScan.end(scan, outer);
      closeRegionOperation(Operation.SCAN);
    }
  }

  private final class Unwatched implements ShadowRead.Region {
    @Override
    public RegionScanner open(Scan scan) throws IOException {
      return unwatched(scan);
    }

    @Override
    public List<HStoreFile> files() {
      List<HStoreFile> files = new ArrayList<>();
      getStores().forEach(store -> files.addAll(store.getStorefiles()));
      return files;
    }

    @Override
    public boolean hasReadHooks() {
      return getStores().stream().anyMatch(CompactionHooks::mayChangeReads);
    }

    @Override
    public void forget(String family) {
      if (getStore(Bytes.toBytes(family)) instanceof StoreReads.Owner store) {
        store.reads().forget();
      }
    }
  }

  @Override
  public OperationStatus[] batchMutate(
      Mutation[] mutations, boolean atomic, long nonceGroup, long nonce) throws IOException {
    OperationStatus[] results = super.batchMutate(mutations, atomic, nonceGroup, nonce);
    OwnedResults.own(results);
    if (recorder != null) {
      recorder.wrote(mutations, results);
    }
    return results;
  }

  /** What HBase 2.5 calls. */
  @Override
  public @Nullable Map<byte[], List<HStoreFile>> close(boolean abort) throws IOException {
    if (ReleaseAdapter.IS_2_6) {
      // It goes on to the other.
      return super.close(abort);
    }
    closesSoon(abort);
    try {
      return super.close(abort);
    } finally {
      closed();
    }
  }

  @Override
  public @Nullable Map<byte[], List<HStoreFile>> close(
      boolean abort, boolean ignoreStatus, boolean isGracefulStop) throws IOException {
    closesSoon(abort);
    try {
      return super.close(abort, ignoreStatus, isGracefulStop);
    } finally {
      closed();
    }
  }

  private void closesSoon(boolean isAbort) {
    if (!isAbort && services != null && !services.isAborted() && !isClosing() && !isClosed()) {
      for (HStore store : getStores()) {
        if (store instanceof InStorageStore ours) {
          ours.closesSoon();
        }
      }
    }
  }

  private void closed() {
    if (home != null) {
      home.close();
    }
    giveUpForgotten();
    if (recorder != null) {
      recorder.close();
    }
  }

  @Override
  public void serverStops(BooleanSupplier goesOn) throws IOException {
    List<InStorageStore> keeping = new ArrayList<>();
    for (HStore store : getStores()) {
      if (store instanceof InStorageStore ours && ours.keepsRows()) {
        keeping.add(ours);
      }
    }
    // HBase does so when it closes the region; what it writes then is to be made up for.
    long flushedBefore = getReadOnlyConfiguration().getLong(FLUSHED_BEFORE, FLUSHED_BEFORE_BYTES);
    if (!keeping.isEmpty() && goesOn.getAsBoolean() && getMemStoreDataSize() >= flushedBefore) {
      flush(true);
    }
    for (InStorageStore store : keeping) {
      if (goesOn.getAsBoolean()) {
        store.serverStops(goesOn);
      }
    }
  }

  /** The same configuration, with a block cache that is watched for what it is worth. */
  CacheConfig watched(CacheConfig config) {
    return new WarmCacheConfig(config, nodes == null ? null : nodes.memory().blockCache(services));
  }
}
