package io.ishbase.plugin.regionserver;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.ishbase.core.Homes;
import io.ishbase.core.Quarantine;
import io.ishbase.core.Reason;
import io.ishbase.core.Rendezvous;
import io.ishbase.core.Setting;
import io.ishbase.core.cache.SegmentCache;
import io.ishbase.protocol.Protocol;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.WeakHashMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.DirectMemoryUtils;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.hbase.zookeeper.ZKConfig;
import org.apache.hadoop.metrics2.util.MBeans;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a region server knows of the storage nodes: which daemons live, where files lie, who is
 * quarantined. One per process and ZooKeeper ensemble.
 *
 * <p>{@code nodes} is an immutable snapshot that the registry's thread replaces, {@code scanning}
 * one that is replaced under the monitor of {@code homes}; all else is concurrent by itself. The
 * regions that follow the nodes are guarded by their own monitor, under which nothing of HBase is
 * called.
 */
public final class StorageNodes implements StorageNodesMXBean {
  private static final Logger LOG = LoggerFactory.getLogger(StorageNodes.class);
  private static final Map<String, StorageNodes> INSTANCES = new ConcurrentHashMap<>();
  private static final long QUARANTINE_FIRST_MILLIS = 1_000;
  private static final long QUARANTINE_MAX_MILLIS = 60_000;

  /** How often it looks whether a home is given up, or a failure forgotten. */
  private static final long LOOK_MINUTES = 1;

  private static final int BACKGROUND_ANSWERS = 64;
  private static final long BACKGROUND_IDLE_SECONDS = 60;

  private static volatile List<ServerName> fixed;

  private final DaemonClient client;
  private final ServerSettings settings;
  private final FilterPushdown filters;
  private final Confidentiality confidentiality;
  private final AtomicLong heldBytes = new AtomicLong();
  private final Quarantine quarantine =
      new Quarantine(QUARANTINE_FIRST_MILLIS, QUARANTINE_MAX_MILLIS);

  /** Path to the data-transfer addresses of the DataNodes that hold the whole file. */
  private final Cache<String, List<String>> holders =
      Caffeine.newBuilder().maximumSize(100_000).expireAfterWrite(10, TimeUnit.MINUTES).build();

  private final Explanations explanations = new Explanations();
  private final Map<String, Gates> gates = new ConcurrentHashMap<>();
  private final Set<InStorageRegion> regions = Collections.newSetFromMap(new WeakHashMap<>());
  private final SegmentCache cache;
  private final Set<CachedStore> cachedStores = ConcurrentHashMap.newKeySet();

  /** Puts answers into the cache that nobody waits for. What it has no time for is dropped. */
  private final Executor background = backgroundThread();

  /** For what is due later; its tasks do not wait for anything. */
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          new ThreadFactoryBuilder().setDaemon(true).setNameFormat("ishbase-timer").build());

  private final Greetings greetings;
  private final Homes homes = new Homes();

  /** Those that are registered. */
  private volatile List<StorageNode> nodes = List.of();

  /** Those of {@code nodes} that serve reads and have answered; written under {@code homes}. */
  private volatile List<StorageNode> scanning = List.of();

  private volatile List<StorageNode> managers = List.of();

  private StorageNodes(Configuration conf) {
    settings = ServerSettings.read(conf);
    try {
      client = new DaemonClient(conf);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    filters = new FilterPushdown(settings.cellLocalFilters());
    confidentiality = new Confidentiality(conf, settings.readsEncrypted());
    cache = cache(settings.cacheBytes());
    greetings = new Greetings(this::greet, this::choose, timer);
    timer.scheduleWithFixedDelay(
        () -> {
          quarantine.forget(EnvironmentEdgeManager.currentTime());
          choose();
        },
        LOOK_MINUTES,
        LOOK_MINUTES,
        TimeUnit.MINUTES);
    List<ServerName> daemons = fixed;
    if (daemons == null) {
      // Lives as long as the process: a region server stops only with it.
      new DaemonRegistry(conf, Protocol.daemonsZNode(conf), this::changed);
      new DaemonRegistry(conf, Protocol.managerZNode(conf), registered -> managers = registered);
    } else {
      changed(daemons.stream().map(StorageNode::at).toList());
    }
  }

  /**
   * The storage nodes of the cluster that {@code conf} names; follows them from the first call on.
   */
  public static StorageNodes of(Configuration conf) {
    String cluster =
        fixed != null
            ? "fixed"
            : ZKConfig.getZKQuorumServersString(conf) + Protocol.daemonsZNode(conf);
    return INSTANCES.computeIfAbsent(
        cluster,
        key -> {
          StorageNodes storageNodes = new StorageNodes(conf);
          MBeans.register("HBase", "RegionServer,sub=InStorageNodes", storageNodes);
          return storageNodes;
        });
  }

  /**
   * Makes the process use these daemons instead of the registry, for tests without ZooKeeper. To be
   * called before the first region opens.
   */
  public static void useFixed(List<ServerName> daemons) {
    fixed = List.copyOf(daemons);
    INSTANCES.clear();
  }

  static boolean isFixed() {
    return fixed != null;
  }

  private static Executor backgroundThread() {
    return new ThreadPoolExecutor(
        0,
        1,
        BACKGROUND_IDLE_SECONDS,
        TimeUnit.SECONDS,
        new ArrayBlockingQueue<>(BACKGROUND_ANSWERS),
        new ThreadFactoryBuilder().setDaemon(true).setNameFormat("ishbase-cache-fill").build(),
        new ThreadPoolExecutor.DiscardPolicy());
  }

  /** For what must not hold up HBase's threads, and need not be done if there is too much of it. */
  Executor background() {
    return background;
  }

  private static SegmentCache cache(long configuredBytes) {
    long bytes = configuredBytes;
    if (bytes < 0) {
      long direct = DirectMemoryUtils.getDirectMemorySize();
      bytes = (direct > 0 ? direct : Runtime.getRuntime().maxMemory()) / 4;
    }
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
    SegmentCache made = new SegmentCache(bytes, System::nanoTime);
    InStorageMetrics.show(made);
    return made;
  }

  /** The cache that all stores share; null if there is none. */
  SegmentCache cache() {
    return cache;
  }

  /** Those that are open; each enters when it opens, and leaves. */
  Set<CachedStore> cachedStores() {
    return cachedStores;
  }

  @Override
  public List<String> getCachedStores() {
    return cachedStores.stream().map(store -> store + ": " + store.stats()).sorted().toList();
  }

  @Override
  public List<String> checkCache() {
    List<String> faults = new ArrayList<>();
    for (CachedStore store : cachedStores) {
      try {
        store.faults().forEach(fault -> faults.add(store + ": " + fault));
      } catch (IOException e) {
        faults.add(store + ": cannot be checked: " + e);
      }
    }
    return faults;
  }

  /** Counts bytes that came from storage for a reader. */
  void came(int bytes) {
    if (cache != null) {
      cache.traffic(bytes);
    }
  }

  /** Those of the server. */
  public ServerSettings settings() {
    return settings;
  }

  /** Calls the daemons. */
  public DaemonClient client() {
    return client;
  }

  /** The daemons that are registered now. */
  public List<StorageNode> live() {
    return nodes;
  }

  /** The compaction manager that began last, if one is registered and may be asked now. */
  public Optional<StorageNode> manager() {
    return managers.stream()
        .max(Comparator.comparingLong(node -> node.address().getStartCode()))
        .filter(this::admitsCompactions);
  }

  /** Tells {@code region} now and after each change to choose its home. */
  void follow(InStorageRegion region) {
    synchronized (regions) {
      regions.add(region);
    }
    region.chooseHome(homes);
  }

  private void changed(List<StorageNode> now) {
    nodes = List.copyOf(now);
    greetings.registered(now.stream().map(StorageNode::address).toList());
    choose();
  }

  private CompletableFuture<Void> greet(ServerName daemon) {
    // No read uses the connection yet, and the next attempt is to have another.
    return client
        .greet(daemon)
        .whenCompleteAsync(
            (nothing, failure) -> {
              if (failure != null) {
                client.reconnect(daemon);
              }
            },
            timer);
  }

  /**
   * Reads ask the daemons that have answered; where these stand, regions have homes. Called by
   * ZooKeeper's thread and by that of {@code timer}.
   */
  private void choose() {
    boolean homesChanged;
    synchronized (homes) {
      List<StorageNode> answering =
          nodes.stream()
              .filter(StorageNode::scans)
              .filter(node -> fixed != null || greetings.hasAnswered(node.address()))
              .toList();
      boolean othersAnswer = !haveSameNames(answering, scanning);
      scanning = answering;
      if (othersAnswer) {
        LOG.info("Storage daemons that answer: {}", answering);
        holders.invalidateAll();
      }
      Map<String, Integer> loads = new HashMap<>();
      for (StorageNode node : answering) {
        if (!node.dataNodeIp().isEmpty()) {
          loads.put(node.dataNodeIp(), node.loadPercent());
        }
      }
      homesChanged = homes.observe(loads, EnvironmentEdgeManager.currentTime());
    }
    if (homesChanged) {
      List<InStorageRegion> followers;
      synchronized (regions) {
        followers = new ArrayList<>(regions);
      }
      followers.forEach(region -> region.chooseHome(homes));
    }
  }

  // Both are in the order of the registry. Called for each load that is reported.
  private static boolean haveSameNames(List<StorageNode> some, List<StorageNode> others) {
    if (some.size() != others.size()) {
      return false;
    }
    for (int i = 0; i < some.size(); i++) {
      if (!some.get(i).address().equals(others.get(i).address())) {
        return false;
      }
    }
    return true;
  }

  Explanations explanations() {
    return explanations;
  }

  @Override
  public SortedMap<String, List<String>> getExplanations() {
    return explanations.all();
  }

  /** The gates for reads of a column family. */
  Gates gates(TableName table, String family) {
    return gates.computeIfAbsent(table + "/" + family, name -> new Gates());
  }

  @Override
  public SortedMap<String, List<String>> getRoads() {
    SortedMap<String, List<String>> lines = new TreeMap<>();
    gates.forEach((name, ofFamily) -> lines.put(name, ofFamily.describe()));
    return lines;
  }

  @Override
  public SortedSet<String> getQuarantined() {
    SortedSet<String> names = quarantine.closed(EnvironmentEdgeManager.currentTime());
    nodes.stream()
        .filter(node -> fixed == null && !greetings.hasAnswered(node.address()))
        .forEach(node -> names.add(node.name()));
    return names;
  }

  @Override
  public List<String> getDaemons() {
    return nodes.stream()
        .filter(node -> !node.scans() || scanning.contains(node))
        .map(node -> node.name() + ", load " + node.loadPercent() + " %")
        .toList();
  }

  @Override
  public void forgetFailures() {
    quarantine.clear();
  }

  /** Whether {@code name}, a node or a path, may be used now. */
  boolean admits(String name) {
    return quarantine.admits(name, EnvironmentEdgeManager.currentTime());
  }

  /**
   * Takes note of an answered request.
   *
   * @param pushdown what was left out of the answer
   */
  void succeeded(StorageNode node, List<String> paths, Pushdown pushdown) {
    succeeded(node, paths);
    if (quarantine.size() > 0 && pushdown.filterClass() != null) {
      quarantine.succeeded(filterAt(node, pushdown.filterClass()));
    }
  }

  /** Takes note of an answered request for whole rows. */
  void succeeded(StorageNode node, List<String> paths) {
    if (quarantine.size() > 0) {
      quarantine.succeeded(node.name());
      paths.forEach(quarantine::succeeded);
    }
  }

  /**
   * Takes note of a failed request: closes the node or the files for a while, forgets locations.
   */
  void failed(StorageNode node, List<String> paths, Reason reason) {
    long now = EnvironmentEdgeManager.currentTime();
    if (reason.isFaultOfNode()) {
      quarantine.failed(node.name(), now);
      client.reconnect(node.address());
    } else if (reason == Reason.BUSY) {
      // Its other requests are being worked on: the connection stays.
      quarantine.failed(node.name(), now);
    }
    for (String path : paths) {
      holders.invalidate(path);
      if (reason.isFaultOfFile()) {
        quarantine.failed(path, now);
      }
    }
  }

  /** What {@code node} may leave out for {@code read}. */
  Pushdown pushdown(NodeRead read, boolean isSole, StorageNode node, boolean mayFilter) {
    Pushdown pushdown =
        new Pushdown(read.scan(), read.family(), read.columns(), filters, isSole, mayFilter);
    return quarantine.size() == 0
            || pushdown.filterClass() == null
            || admits(filterAt(node, pushdown.filterClass()))
        ? pushdown
        : new Pushdown(read.scan(), read.family(), read.columns(), filters, isSole, false);
  }

  /** Takes note that {@code node} does not use the filter class. */
  void failedFilter(StorageNode node, String filterClass) {
    quarantine.failed(filterAt(node, filterClass), EnvironmentEdgeManager.currentTime());
  }

  /** Whether {@code node} may be asked for compactions now. */
  public boolean admitsCompactions(StorageNode node) {
    return admits(compactionsAt(node));
  }

  /** Takes note that {@code node} carried out a compaction, or failed to. */
  public void compacted(StorageNode node, boolean failed) {
    if (failed) {
      quarantine.failed(compactionsAt(node), EnvironmentEdgeManager.currentTime());
    } else {
      quarantine.succeeded(compactionsAt(node));
    }
  }

  private static String compactionsAt(StorageNode node) {
    return "compactions at " + node.name();
  }

  private static String filterAt(StorageNode node, String filterClass) {
    return filterClass + " at " + node.name();
  }

  /** What may cross the network between storage and compute. */
  Confidentiality confidentiality() {
    return confidentiality;
  }

  /** Whether readers may fetch {@code bytes} more than they need at once. */
  boolean hasRoom(int bytes) {
    return heldBytes.get() + bytes <= settings.scanBufferBytes();
  }

  /** Counts bytes that are on their way or wait for their reader; negative: not any more. */
  void hold(int bytes) {
    heldBytes.addAndGet(bytes);
  }

  @Override
  public long getHeldBytes() {
    return heldBytes.get();
  }

  /**
   * The node that should serve the file at {@code path}, or null if there is none. Of several that
   * hold it the one in {@code preferred} wins, so that a store's files go into one request, then
   * the least loaded of those that are not quarantined. A file that no live daemon holds whole is
   * read by one that is chosen by its directory: it still spares the network between storage and
   * compute.
   */
  StorageNode nodeFor(FileSystem fs, Path path, Set<StorageNode> preferred) {
    List<StorageNode> live = scanning;
    if (live.isEmpty()) {
      return null;
    }
    List<String> addresses = holders(fs, path);
    StorageNode best = null;
    for (StorageNode node : live) {
      if (addresses.contains(node.dataNodeIp())) {
        if (preferred.contains(node)) {
          return node;
        }
        if (best == null || isBetter(node, best)) {
          best = node;
        }
      }
    }
    return best != null ? best : byDirectory(path, live);
  }

  private boolean isBetter(StorageNode node, StorageNode best) {
    boolean closed = isClosed(node);
    return closed == isClosed(best) ? node.loadPercent() < best.loadPercent() : !closed;
  }

  private boolean isClosed(StorageNode node) {
    return quarantine.isClosed(node.name(), EnvironmentEdgeManager.currentTime());
  }

  /** The data-transfer addresses of the DataNodes that hold the whole file at {@code path}. */
  public List<String> holders(FileSystem fs, Path path) {
    return holders.get(path.toUri().getPath(), key -> locate(fs, path));
  }

  private StorageNode byDirectory(Path path, List<StorageNode> live) {
    if (live.size() == 1) {
      return live.get(0);
    }
    Map<String, StorageNode> byName = new HashMap<>();
    for (StorageNode node : live) {
      if (!isClosed(node)) {
        byName.put(node.name(), node);
      }
    }
    if (byName.isEmpty()) {
      return live.get(0);
    }
    return byName.get(Rendezvous.first(path.getParent().toUri().getPath(), byName.keySet()));
  }

  /** Data-transfer addresses of the DataNodes that hold every block; empty if unknown or none. */
  private static List<String> locate(FileSystem fs, Path path) {
    try {
      List<String> all = null;
      for (BlockLocation block : fs.getFileBlockLocations(path, 0, Long.MAX_VALUE)) {
        List<String> names = List.of(block.getNames());
        if (all == null) {
          all = new ArrayList<>(names);
        } else {
          all.retainAll(names);
        }
      }
      return all == null ? List.of() : List.copyOf(all);
    } catch (IOException e) {
      LOG.warn("The NameNode does not say where {} lies", path, e);
      return List.of();
    }
  }
}
