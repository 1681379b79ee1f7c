package io.ishbase.plugin.node;

import io.ishbase.core.Homes;
import io.ishbase.core.Topology;
import io.ishbase.core.WriteTargets;
import io.ishbase.plugin.settings.ServerSettings;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.Recurring;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.hbase.zookeeper.ZKConfig;
import org.apache.hbase.thirdparty.com.google.common.collect.MapMaker;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The storage nodes of a cluster as one process sees them, be it a region server, the master or the
 * command line: which daemons are registered and answer, how they fare, where files lie. One per
 * process and ZooKeeper ensemble.
 *
 * <p>{@code nodes} is an immutable snapshot that the registry replaces, one thread at a time,
 * {@code scanning} one that is replaced under the monitor of {@code homes}; all else is concurrent
 * by itself. The followers are guarded by their own monitor, under which nothing of HBase is
 * called.
 */
public final class StorageNodes {
  private static final Logger LOG = LoggerFactory.getLogger(StorageNodes.class);
  private static final Map<String, StorageNodes> INSTANCES = new ConcurrentHashMap<>();

  /** How long daemons have to register and answer before somebody goes on without them. */
  private static final long FIRST_ANSWER_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** How often it looks whether a home is given up, or a failure forgotten. */
  private static final long RACKS_SECONDS = 5;

  private static final long LOOK_MINUTES = 1;

  /** Regions are not told more often to choose their homes. */
  private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static volatile @Nullable List<StorageNode> fixed;
  private static volatile @Nullable ReadClient fixedReads;

  /** One who has a home among the storage nodes. */
  public interface Follower {
    /** Chooses its home anew. Does not wait. */
    void chooseHome(Homes homes);
  }

  private final DaemonClient client;
  private final ReadClient reads;
  private final ServerSettings settings;
  private final NodeHealth health;
  private final FileLocations locations;

  /** By identity: a region that opens anew is, for HBase, equal to the one that it was. */
  private final Set<Follower> followers =
      Collections.newSetFromMap(new MapMaker().weakKeys().makeMap());

  /** When they were told last, and whether they will be soon; guarded by {@code followers}. */
  private long toldNanos = System.nanoTime() - CALM_NANOS;

  private boolean tellsSoon;

  /** Told when the line to the storage nodes has become another. */
  private final List<Runnable> lineListeners = new CopyOnWriteArrayList<>();

  /** For what is due later; its tasks do not wait for anything. */
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          new ThreadFactoryBuilder().setDaemon(true).setNameFormat("ishbase-timer").build());

  /** For followers, who may wait for a name server: HBase looks up the nodes that it is told. */
  private final ExecutorService telling =
      Executors.newSingleThreadExecutor(
          new ThreadFactoryBuilder().setDaemon(true).setNameFormat("ishbase-homes").build());

  private final long sinceNanos = System.nanoTime();

  /** Open once a daemon has answered that serves reads. */
  private final CountDownLatch hasReaders = new CountDownLatch(1);

  /** Null: the daemons are fixed. */
  private final @Nullable DaemonRegistry registry;

  private final AtomicBoolean saidNoReaders = new AtomicBoolean();
  private final Greetings greetings;
  private final Topology topology = new Topology(OwnPlace.addresses(), this::racksChanged);
  private final WriteTargets targets = new WriteTargets();
  private final OwnRack ownRack;

  /** Since regions chose their homes; they will soon then. */
  private final AtomicBoolean haveRacksChanged = new AtomicBoolean();

  /** By what the DataNodes are called: in a container one has another address after a restart. */
  private final Homes homes = new Homes(this::rack);

  /** Addresses of DataNodes, by what they are called. */
  private final Map<String, String> addresses = new ConcurrentHashMap<>();

  /** Addresses of DataNodes that a daemon has answered beside; guarded by {@code homes}. */
  private final Set<String> dataNodes = new HashSet<>();

  /** DataNodes that are no homes because HDFS gives them no blocks; guarded by {@code homes}. */
  private Set<String> refusing = Set.of();

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
    ReadClient others = fixedReads;
    reads = others == null ? client : others;
    client.measureBy(topology::distance);
    health = new NodeHealth(client::reconnect);
    locations =
        new FileLocations(
            () -> scanning,
            health,
            topology,
            targets,
            node -> client.usualNanos(node.address()),
            node -> client.isDoubted(node.address()),
            node -> client.begun(node.address()));
    ownRack = new OwnRack(() -> OwnPlace.rack(conf), topology);
    ownRack.look();
    greetings = new Greetings(this::greet, this::choose, timer);
    timer.scheduleWithFixedDelay(
        new Recurring(
            () -> {
              health.forgetOld();
              client.keepSigns();
              ownRack.look();
              choose();
            }),
        LOOK_MINUTES,
        LOOK_MINUTES,
        TimeUnit.MINUTES);
    client
        .answers()
        .measure(
            () -> scanning.stream().map(StorageNode::address).toList(),
            client::probe,
            () -> lineListeners.forEach(Runnable::run),
            timer);
    List<StorageNode> daemons = fixed;
    if (daemons == null) {
      // Lives as long as the process: a region server stops only with it.
      registry = new DaemonRegistry(conf, Protocol.daemonsZNode(conf), this::changed);
      new DaemonRegistry(conf, Protocol.managerZNode(conf), registered -> managers = registered);
    } else {
      registry = null;
      changed(daemons);
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
    return INSTANCES.computeIfAbsent(cluster, key -> new StorageNodes(conf));
  }

  /**
   * Makes the process use these daemons instead of the registry, for tests without ZooKeeper. To be
   * called before the first region opens.
   */
  public static void useFixed(List<ServerName> daemons) {
    useFixed(daemons.stream().map(StorageNode::at).toList(), null);
  }

  /**
   * The same, for tests without servers.
   *
   * @param reads answers the requests of reads; null: the daemons
   */
  public static void useFixed(List<StorageNode> daemons, @Nullable ReadClient reads) {
    fixed = List.copyOf(daemons);
    fixedReads = reads;
    INSTANCES.clear();
  }

  public static boolean isFixed() {
    return fixed != null;
  }

  /** Those of the process. */
  public ServerSettings settings() {
    return settings;
  }

  /** Calls the daemons. */
  public DaemonClient client() {
    return client;
  }

  /** Sends what reads ask. */
  public ReadClient reads() {
    return reads;
  }

  /** Who is left alone because it failed. */
  public NodeHealth health() {
    return health;
  }

  /** Where files lie. */
  public FileLocations locations() {
    return locations;
  }

  /** The daemons that are registered now. */
  public List<StorageNode> live() {
    return nodes;
  }

  /** Whether {@link #live} is all that is registered: for who has just begun to follow. */
  public boolean isComplete() {
    return registry == null || registry.isSettled();
  }

  /** Those of {@link #live} that have answered: what else is registered may be anything. */
  public List<StorageNode> answering() {
    return nodes.stream().filter(this::hasAnswered).toList();
  }

  private boolean hasAnswered(StorageNode node) {
    return fixed != null || greetings.hasAnswered(node.address());
  }

  /**
   * Waits until a daemon answers that serves reads, but not beyond the first seconds of this
   * object: for what would be over before the registry is read. Says once that there is none.
   */
  public void awaitReaders() {
    try {
      if (!hasReaders.await(
              FIRST_ANSWER_NANOS - (System.nanoTime() - sinceNanos), TimeUnit.NANOSECONDS)
          && saidNoReaders.compareAndSet(false, true)) {
        LOG.warn(
            "No storage daemon answers this process ({} registered): it reads from HDFS",
            nodes.size());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The names of all that is left alone now, daemons that have not answered yet among them. */
  public SortedSet<String> quarantined() {
    SortedSet<String> names = health.quarantined();
    nodes.stream().filter(node -> !hasAnswered(node)).forEach(node -> names.add(node.name()));
    return names;
  }

  /** The compaction manager that began last, if one is registered and may be asked now. */
  public Optional<StorageNode> manager() {
    return managers.stream()
        .max(Comparator.comparingLong(node -> node.address().getStartCode()))
        .filter(health::admitsManager);
  }

  /** Says that a read came that the daemons might have been asked for. */
  public void mightHaveBeenAsked() {
    client.answers().used();
  }

  /** Has {@code listener} told whenever the line to the storage nodes has become another. */
  public void onLineChange(Runnable listener) {
    lineListeners.add(listener);
  }

  /** Tells {@code follower} now and after each change to choose its home; holds it weakly. */
  public void follow(Follower follower) {
    synchronized (followers) {
      followers.add(follower);
    }
    chooseHome(follower);
  }

  /** What is registered is this from now on. */
  void changed(List<StorageNode> now) {
    nodes = List.copyOf(now);
    List<ServerName> registered = now.stream().map(StorageNode::address).toList();
    client.retain(nodes);
    greetings.registered(registered);
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

  /** The first reads bring racks one after the other; regions choose once for many. */
  private void racksChanged() {
    if (haveRacksChanged.compareAndSet(false, true)) {
      timer.schedule(this::choose, RACKS_SECONDS, TimeUnit.SECONDS);
    }
  }

  /**
   * Reads ask the daemons that have answered; where these stand, regions have homes. Called by the
   * registry's threads and by that of {@code timer}.
   */
  private void choose() {
    boolean homesChanged;
    synchronized (homes) {
      List<StorageNode> answering =
          nodes.stream().filter(StorageNode::scans).filter(this::hasAnswered).toList();
      List<StorageNode> before = scanning;
      boolean othersAnswer = !haveSameNames(answering, before);
      scanning = answering;
      if (!answering.isEmpty()) {
        hasReaders.countDown();
      }
      if (othersAnswer) {
        say(before, answering);
      }
      Map<String, Integer> loads = new HashMap<>();
      boolean isNew = false;
      for (StorageNode node : answering) {
        if (!node.dataNodeIp().isEmpty()) {
          loads.put(node.dataNode(), node.loadPercent());
          addresses.put(node.dataNode(), node.dataNodeIp());
          isNew |= dataNodes.add(node.dataNodeIp());
        }
      }
      if (isNew) {
        // Where files lie the NameNode says by DataNodes, whoever answers beside them.
        locations.refresh();
      }
      long now = EnvironmentEdgeManager.currentTime();
      findRefusing(loads.keySet(), now);
      homesChanged = homes.observe(loads, refusing, now);
      homesChanged |= haveRacksChanged.getAndSet(false);
    }
    if (homesChanged) {
      tellFollowers();
    }
  }

  /** Under {@code homes}. */
  private void findRefusing(Set<String> present, long now) {
    Set<String> found = new TreeSet<>();
    for (String dataNode : present) {
      if (!targets.takesBlocks(dataNode, now)
          || !targets.takesBlocks(addresses.getOrDefault(dataNode, dataNode), now)) {
        found.add(dataNode);
      }
    }
    if (!found.equals(refusing)) {
      LOG.info(
          "DataNodes that are no homes of regions, for HDFS gives them no new blocks (full, or"
              + " going out of service): {}",
          found.isEmpty() ? "none" : found);
      refusing = found;
    }
  }

  private @Nullable String rack(String dataNode) {
    String rack = topology.rack(dataNode);
    return rack != null ? rack : topology.rack(addresses.getOrDefault(dataNode, dataNode));
  }

  /** At once, or in a moment if they were told just now: daemons come by the dozen. */
  private void tellFollowers() {
    long wait;
    synchronized (followers) {
      if (tellsSoon || followers.isEmpty()) {
        return;
      }
      wait = toldNanos + CALM_NANOS - System.nanoTime();
      tellsSoon = true;
    }
    timer.schedule(() -> telling.execute(this::tellNow), Math.max(0, wait), TimeUnit.NANOSECONDS);
  }

  private void tellNow() {
    List<Follower> told;
    synchronized (followers) {
      tellsSoon = false;
      toldNanos = System.nanoTime();
      told = new ArrayList<>(followers);
    }
    told.forEach(this::chooseHome);
  }

  private static void say(List<StorageNode> before, List<StorageNode> answering) {
    Set<String> gone = names(before);
    Set<String> come = names(answering);
    gone.removeAll(names(answering));
    come.removeAll(names(before));
    LOG.info(
        "Storage daemons that answer: {}{}{}",
        answering.size(),
        come.isEmpty() ? "" : ", now also " + come,
        gone.isEmpty() ? "" : ", no longer " + gone);
  }

  private static Set<String> names(List<StorageNode> nodes) {
    Set<String> names = new TreeSet<>();
    nodes.forEach(node -> names.add(node.name()));
    return names;
  }

  // One that cannot must not keep the others from it.
  private void chooseHome(Follower follower) {
    try {
      follower.chooseHome(homes);
    } catch (RuntimeException e) {
      LOG.warn("{} has no home among the storage nodes", follower, e);
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
}
