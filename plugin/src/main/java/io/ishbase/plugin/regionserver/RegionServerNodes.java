package io.ishbase.plugin.regionserver;

import io.ishbase.core.Gates;
import io.ishbase.core.Release;
import io.ishbase.core.Setting;
import io.ishbase.core.cache.SegmentCache;
import io.ishbase.core.sizing.DirectMemory;
import io.ishbase.plugin.cache.CacheOnDisk;
import io.ishbase.plugin.cache.CachedRows;
import io.ishbase.plugin.cache.CachingStoreEngine;
import io.ishbase.plugin.cache.RowCodec;
import io.ishbase.plugin.compaction.OffloadingCompactor;
import io.ishbase.plugin.memory.ServerMemory;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.node.ReadBuffers;
import io.ishbase.plugin.node.StorageNodes;
import io.ishbase.plugin.page.ServerPages;
import io.ishbase.plugin.prewarm.HotRows;
import io.ishbase.plugin.prewarm.RestartDirectory;
import io.ishbase.plugin.prewarm.StopObserver;
import io.ishbase.plugin.scan.Confidentiality;
import io.ishbase.plugin.scan.FilterPushdown;
import io.ishbase.plugin.scan.ReadContext;
import io.ishbase.plugin.settings.ServerSettings;
import io.ishbase.plugin.shadow.ShadowReads;
import io.ishbase.plugin.trace.AccessRecorder;
import io.ishbase.protocol.Dictionary;
import io.ishbase.protocol.DictionaryTrainer;
import io.ishbase.protocol.Packing;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import javax.management.ObjectName;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.regionserver.compactions.DefaultCompactor;
import org.apache.hadoop.hbase.util.DirectMemoryUtils;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.hbase.util.Threads;
import org.apache.hadoop.metrics2.util.MBeans;
import org.apache.hbase.thirdparty.com.google.common.collect.MapMaker;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What all regions of a region server share: the storage nodes, the segment cache, gates, buffers
 * and explanations. Here the plug-in's parts are put together. One per process and ZooKeeper
 * ensemble. Thread safe.
 */
final class RegionServerNodes implements StorageNodesMXBean {
  private static final Logger LOG = LoggerFactory.getLogger(RegionServerNodes.class);
  private static final Map<StorageNodes, RegionServerNodes> INSTANCES = new ConcurrentHashMap<>();

  /** What operators see; null: nothing yet. */
  private static @Nullable ObjectName bean;

  private static final int BACKGROUND_ANSWERS = 64;
  private static final long BACKGROUND_IDLE_SECONDS = 60;

  private final Configuration conf;
  private final StorageNodes storageNodes;
  private final @Nullable SegmentCache cache;
  private final @Nullable CacheOnDisk cacheOnDisk;
  private final @Nullable RestartDirectory restartDirectory;
  private final ServerMemory memory;

  /** Whether cached rows are to be made small now, and what learns how. */
  private final BooleanSupplier packsRows;

  private final DictionaryTrainer trainer;
  private final ReadContext reads;
  private final Explanations explanations = new Explanations();
  private final ShadowReads shadows = new ShadowReads(EnvironmentEdgeManager::currentTime);

  private final Gates.WarmUp warmUp;

  /** Of families with an open store, which holds it. */
  private final ConcurrentMap<String, Gates> gates = new MapMaker().weakValues().makeMap();

  private final Set<CachedRows> cachedStores = ConcurrentHashMap.newKeySet();

  private final ServerPages pages;

  private final Map<String, AccessRecorder> recorders = new ConcurrentHashMap<>();

  /** Puts answers into the cache that nobody waits for. What it has no time for is dropped. */
  private final Executor background =
      new ThreadPoolExecutor(
          0,
          1,
          BACKGROUND_IDLE_SECONDS,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(BACKGROUND_ANSWERS),
          new ThreadFactoryBuilder().setDaemon(true).setNameFormat("ishbase-cache-fill").build(),
          new ThreadPoolExecutor.DiscardPolicy());

  private RegionServerNodes(StorageNodes storageNodes, Configuration conf) {
    this.conf = conf;
    this.storageNodes = storageNodes;
    storageNodes.onLineChange(() -> gates.values().forEach(Gates::lineChanged));
    ServerSettings settings = storageNodes.settings();
    warmUp = new Gates.WarmUp(settings.readWarmUp());
    cache = cache(settings, DirectMemory.of(conf::get));
    restartDirectory = cache == null ? null : RestartDirectory.of(settings.cacheRestartDirectory());
    if (restartDirectory != null) {
      HotRows.sweepLater(restartDirectory);
    }
    memory = new ServerMemory(conf, settings.movesMemory(), cache);
    packsRows = packsRows(settings.cacheCompression(), cache);
    trainer =
        new DictionaryTrainer(
            Dictionary.MAX_BYTES,
            task -> Threads.setDaemonThreadRunning(new Thread(task), "ishbase-dictionaries"),
            System::nanoTime);
    Confidentiality confidentiality = new Confidentiality(conf, settings.readsEncrypted());
    cacheOnDisk = cache == null ? null : CacheOnDisk.of(settings, cache, confidentiality);
    reads =
        new ReadContext(
            storageNodes.reads(),
            storageNodes.health(),
            storageNodes.locations(),
            new ReadBuffers(settings.scanBufferBytes()),
            new FilterPushdown(settings.cellLocalFilters()),
            confidentiality,
            conf.getLong(
                HConstants.HBASE_SERVER_SCANNER_MAX_RESULT_SIZE_KEY,
                HConstants.DEFAULT_HBASE_SERVER_SCANNER_MAX_RESULT_SIZE),
            bytes -> {
              if (cache != null) {
                cache.traffic(bytes);
              }
            });
    pages = new ServerPages(storageNodes, cache, this);
  }

  /** Those of the region server whose configuration {@code conf} is. */
  static RegionServerNodes of(Configuration conf) {
    return INSTANCES.computeIfAbsent(
        StorageNodes.of(conf),
        storageNodes -> {
          RegionServerNodes nodes = new RegionServerNodes(storageNodes, conf);
          nodes.show();
          return nodes;
        });
  }

  /** In the place of those of a region server that was in this process before. */
  private void show() {
    synchronized (INSTANCES) {
      if (bean != null) {
        MBeans.unregister(bean);
      }
      bean = MBeans.register("HBase", "RegionServer,sub=InStorageNodes", this);
    }
  }

  private static BooleanSupplier packsRows(String compression, @Nullable SegmentCache cache) {
    if (cache == null || compression.equals("none") || !Packing.isAvailable()) {
      return () -> false;
    }
    return compression.equals("zstd") ? () -> true : cache::isNearlyFull;
  }

  private static @Nullable SegmentCache cache(ServerSettings settings, DirectMemory others) {
    long bytes = settings.cacheBytes();
    long configuredDirect = DirectMemoryUtils.getDirectMemorySize();
    long direct = configuredDirect > 0 ? configuredDirect : Runtime.getRuntime().maxMemory();
    if (bytes > direct) {
      LOG.warn(
          "{} = {}: more than the JVM's direct memory, {} (-XX:MaxDirectMemorySize); a quarter of"
              + " that is used",
          Setting.CACHE_BYTES.key(),
          bytes,
          direct);
    }
    if (bytes < 0 || bytes > direct) {
      bytes = others.usualSegmentCache(direct);
    }
    others.shortage(direct, bytes).ifPresent(LOG::warn);
    if (bytes < SegmentCache.MIN_BUDGET_BYTES) {
      if (bytes > 0) {
        LOG.warn(
            "{} = {}: too little, there is no segment cache; give it {} at least",
            Setting.CACHE_BYTES.key(),
            bytes,
            SegmentCache.MIN_BUDGET_BYTES);
      }
      return null;
    }
    long most =
        settings.movesMemory() ? ServerMemory.maxSegmentBytes(bytes, direct, others) : bytes;
    SegmentCache made = new SegmentCache(bytes, most, System::nanoTime);
    InStorageMetrics.show(made);
    return made;
  }

  /** A region of the server that these are of opens. */
  void begin(RegionServerServices services) {
    memory.begin(services);
    if (restartDirectory != null) {
      StopObserver.watch(services);
    }
  }

  /** The server's memory, which is moved between those who use it. */
  ServerMemory memory() {
    return memory;
  }

  /** Where the region server shows what it counts. */
  ServerPages pages() {
    return pages;
  }

  /** The storage nodes of the cluster. */
  StorageNodes storageNodes() {
    return storageNodes;
  }

  /** What all in-storage reads share. */
  ReadContext reads() {
    return reads;
  }

  /** The cache that all stores share; null if there is none. */
  @Nullable SegmentCache cache() {
    return cache;
  }

  /** Where a server that stops leaves what the cache holds; null: nowhere. */
  @Nullable RestartDirectory restartDirectory() {
    return restartDirectory;
  }

  /** Whether {@code store}, whose configuration {@code conf} is, may have a place in the cache. */
  boolean caches(HStore store, Configuration conf) {
    return cache != null
        && Setting.CACHE.isTrue(conf::get)
        && CachingStoreEngine.suits(store, conf);
  }

  /**
   * A place in the cache for {@code store}, which opens. Its engine tells the cache of changes.
   *
   * @return null if there is none
   */
  @Nullable CachedRows openCached(HStore store) {
    if (cache == null || !(store.getStoreEngine() instanceof CachingStoreEngine engine)) {
      return null;
    }
    String name =
        store.getTableName()
            + "/"
            + store.getRegionInfo().getEncodedName()
            + "/"
            + store.getColumnFamilyName();
    try {
      CachedRows opened =
          new CachedRows(
              store,
              cache.open(name),
              new RowCodec(
                  store.getTableName() + "/" + store.getColumnFamilyName(), trainer, packsRows),
              Set.of(DefaultCompactor.class, OffloadingCompactor.class),
              storageNodes.settings().rpcTimeoutMillis() / 4);
      engine.tell(opened);
      cachedStores.add(opened);
      return opened;
    } catch (IllegalStateException e) {
      LOG.warn("{} is not cached", name, e);
      return null;
    }
  }

  /** A store that {@link #openCached} gave a place has opened. */
  void cachedOpened(HStore store, CachedRows cached) {
    if (cacheOnDisk != null) {
      cacheOnDisk.admit(store, cached);
    }
  }

  /** Gives back what {@link #openCached} gave. */
  void closeCached(CachedRows opened) {
    cachedStores.remove(opened);
    opened.close();
  }

  /** For what must not hold up HBase's threads, and need not be done if there is too much of it. */
  Executor background() {
    return background;
  }

  /** Writes down what is asked of a region server of that name, of which a process has one. */
  AccessRecorder recorder(String server) {
    return recorders.computeIfAbsent(
        server, name -> new AccessRecorder(conf, name, storageNodes.settings().traceBytes()));
  }

  /** Which reads are checked, and the stores that failed a check. */
  ShadowReads shadows() {
    return shadows;
  }

  Explanations explanations() {
    return explanations;
  }

  /** The gates for reads of a column family. */
  Gates gates(TableName table, String family) {
    return gates.computeIfAbsent(table + "/" + family, name -> new Gates(warmUp));
  }

  @Override
  public String getRelease() {
    return Release.name();
  }

  @Override
  public List<String> getMemory() {
    return memory.describe();
  }

  @Override
  public List<String> getCachedStores() {
    return cachedStores.stream().map(store -> store + ": " + store.stats()).sorted().toList();
  }

  @Override
  public List<String> checkCache() {
    List<String> faults = new ArrayList<>();
    for (CachedRows store : cachedStores) {
      try {
        store.faults().forEach(fault -> faults.add(store + ": " + fault));
      } catch (IOException e) {
        faults.add(store + ": cannot be checked: " + e);
      }
    }
    return faults;
  }

  @Override
  public SortedMap<String, List<String>> getExplanations() {
    return explanations.all();
  }

  @Override
  public SortedMap<String, List<String>> getRoutes() {
    SortedMap<String, List<String>> lines = new TreeMap<>();
    gates.forEach((name, ofFamily) -> lines.put(name, ofFamily.describe()));
    return lines;
  }

  @Override
  public SortedSet<String> getQuarantined() {
    SortedSet<String> names = new TreeSet<>(storageNodes.quarantined());
    shadows.closed().forEach(store -> names.add("reads of " + store));
    return names;
  }

  @Override
  public List<String> getDaemons() {
    return storageNodes.answering().stream()
        .map(
            node ->
                node.name()
                    + (node.scans() ? ", load " + node.loadPercent() + " %" : COMPACTS_ONLY))
        .toList();
  }

  /** Lets what failed be tried again, for its settings may be others. Cells that differed stay. */
  void settingsChanged() {
    storageNodes.health().forgetFailures();
  }

  @Override
  public void forgetFailures() {
    settingsChanged();
    storageNodes.health().forgetDoubts();
    shadows.forget();
  }

  @Override
  public long getHeldBytes() {
    return reads.buffers().heldBytes();
  }
}
