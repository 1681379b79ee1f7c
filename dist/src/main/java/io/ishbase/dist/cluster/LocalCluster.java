package io.ishbase.dist.cluster;

import static io.ishbase.dist.cluster.Ports.Port.*;

import io.ishbase.cluster.ClusterServer;
import io.ishbase.cluster.ClusterServer.Kind;
import io.ishbase.cluster.NetworkRig;
import io.ishbase.cluster.Progress;
import io.ishbase.dist.CliException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;

/**
 * A real HBase cluster on this machine: ZooKeeper, an HDFS NameNode, two or three DataNodes each
 * with our daemon beside it, HMaster and one or more region servers, every one a process of its
 * own.
 *
 * <p>Which processes belong to it stands in a file, written before the next one is started, so that
 * a later run can end them. Only processes in that file are ever ended.
 */
public final class LocalCluster {
  private static final Pattern PLAIN = Pattern.compile("[^\\s:;%#?*]+");

  /** The most DataNodes, each with a daemon beside it. */
  public static final int MAX_STORAGE_NODES = Network.MAX_STORAGE_NODES;

  private static final Duration PROCESS_LIMIT = Duration.ofSeconds(300);

  /**
   * Longer than HBase waits until it reads a log that HDFS cannot recover, by
   * hbase.lease.recovery.timeout: of one that was begun while a disk was full HDFS never can.
   */
  private static final Duration AGAIN_LIMIT = Duration.ofMinutes(20);

  private static final Duration MASTER_LIMIT = Duration.ofSeconds(300);
  private static final Duration MASTER_LOOK = Duration.ofSeconds(20);
  private static final Duration TERM_LIMIT = Duration.ofSeconds(20);
  private static final Duration KILL_LIMIT = Duration.ofSeconds(60);
  private static final Duration PAGES_LIMIT = Duration.ofSeconds(15);
  private static final String OWNER = "owner";
  private static final String PROCESS = "process.";
  private static final String MASTER = "master";
  private static final String SECURED = "secured";
  private static final String KDC_SERVER = "kdc";
  private static final String REGION_SERVER = "regionserver-";
  private static final String COMPACTION_SERVER = "compaction-server-";
  private static final String DATANODE = "datanode-";
  private static final String DAEMON = "issn-";
  private static final String ZOOKEEPER_SERVER = "zookeeper";
  private static final String CLIENT = "client-";

  private final ClusterFiles files;
  private final Network network;
  private final Ports ports;
  private final boolean secured;
  private final List<ServerProcess> processes;

  /** Processor time of servers that were ended to be started again, by kind. */
  private final Map<String, Double> secondsOfEnded = new ConcurrentHashMap<>();

  /** Looks after servers that ended by themselves. */
  private volatile Runnable supervision = () -> {};

  // Of its supervision.
  private long masterSeenNanos = System.nanoTime();
  private boolean masterAborts;

  private boolean stopped;

  private LocalCluster(
      ClusterFiles files,
      Network network,
      Ports ports,
      boolean secured,
      List<ServerProcess> processes) {
    this.files = files;
    this.network = network;
    this.ports = ports;
    this.secured = secured;
    this.processes = Collections.synchronizedList(processes);
  }

  /** The cluster that a run wrote down in {@code dir}, whether it lives or not. */
  public static Optional<LocalCluster> open(Path dir) {
    ClusterFiles files = new ClusterFiles(dir);
    Properties state = load(files.state());
    if (state.isEmpty()) {
      return Optional.empty();
    }
    List<ServerProcess> processes = new ArrayList<>();
    for (String key : state.stringPropertyNames()) {
      if (key.startsWith(PROCESS)) {
        processes.add(ServerProcess.parse(key.substring(PROCESS.length()), state.getProperty(key)));
      }
    }
    LocalCluster cluster =
        new LocalCluster(
            files,
            Networks.open(state),
            Ports.open(state),
            Boolean.parseBoolean(state.getProperty(SECURED)),
            processes);
    cluster.observe();
    return Optional.of(cluster);
  }

  /**
   * Prepares a cluster in {@code dir} that takes its data from there if there is any; {@link
   * #start} brings it up. Between the two the caller arranges that {@link #stop} is called come
   * what may.
   */
  public static LocalCluster prepare(Path dir, ClusterOptions options, Consumer<String> say) {
    ClusterFiles files = new ClusterFiles(dir);
    requirePlain(files.root());
    requireOfItsKind(files, options);
    try {
      Files.createDirectories(files.root());
      ClusterFiles.delete(files.logs());
      Addresses addresses = Addresses.in(files.addresses());
      LocalCluster cluster = fresh(files, addresses, options, options.loopback());
      try {
        cluster.network.create();
      } catch (IOException e) {
        cluster.network.close();
        say.accept(
            "No network namespaces ("
                + e.getMessage().replace('\n', ' ')
                + "): running on loopback, uncapped, bytes counted per connection.");
        cluster = fresh(files, addresses, options, true);
      }
      try {
        addresses.keep(cluster.network, cluster.ports);
        new SiteConfig(files, cluster.network, cluster.ports, options).write();
      } catch (IOException | RuntimeException e) {
        cluster.network.close();
        throw e;
      }
      return cluster;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * HDFS takes the names of its directories for URIs and formats, and class paths end at colons.
   */
  private static void requirePlain(Path root) {
    if (!PLAIN.matcher(root.toString()).matches()) {
      throw new CliException(
          "'"
              + root
              + "': HDFS and class paths bear neither blanks nor any of : ; % # ? * in it; clone to"
              + " a path without");
    }
  }

  // Files belong to the users that servers were.
  private static void requireOfItsKind(ClusterFiles files, ClusterOptions options) {
    if (!Files.exists(files.data("namenode"))) {
      ClusterFiles.delete(files.secured());
    } else if (Files.exists(files.secured()) != options.secured()) {
      throw new CliException(
          "The data in "
              + files.root()
              + " is of a cluster "
              + (options.secured() ? "without" : "with")
              + " security: start it so, or delete it with ./ishbase down --delete");
    }
  }

  /** A cluster that is written down before anything of it is there. */
  private static LocalCluster fresh(
      ClusterFiles files, Addresses addresses, ClusterOptions options, boolean loopback)
      throws IOException {
    Network network = addresses.network(loopback, NetworkNodes.of(options));
    LocalCluster cluster =
        new LocalCluster(
            files, network, addresses.ports(network), options.secured(), new ArrayList<>());
    cluster.save();
    return cluster;
  }

  /**
   * Starts all servers and returns when the cluster answers. Another thread may stop it meanwhile.
   *
   * @param options those that it was prepared with
   * @param lib the directory with the class path of the servers
   * @param ours jars to add to it
   */
  public void start(ClusterOptions options, Path lib, List<Path> ours) throws IOException {
    start(options, lib, ours, Optional.empty());
  }

  /**
   * The same with HBase's servers and the daemons from what is installed, which has to be said
   * again to start one of these once more.
   */
  public void start(ClusterOptions options, Path lib, Installed installed) throws IOException {
    start(options, lib, List.of(), Optional.of(installed));
  }

  private void start(
      ClusterOptions options, Path lib, List<Path> ours, Optional<Installed> installed)
      throws IOException {
    synchronized (this) {
      requireNotStopped();
      files.fillLib(lib, ours);
    }
    ServerLauncher launcher = new ServerLauncher(files, network, options, installed);
    try (Progress progress = new Progress("starting the cluster", 7)) {
      if (secured) {
        progress.note("Kerberos");
        Files.createDirectories(files.secured());
        launch(KDC_SERVER, () -> launcher.kdc(ports.of(KDC)));
        awaitPort(KDC_SERVER, KDC);
      }
      progress.note("ZooKeeper, NameNode");
      launch(ZOOKEEPER_SERVER, launcher::zooKeeper);
      if (!Files.exists(files.data("namenode"))) {
        format(launcher);
      }
      launch("namenode", launcher::nameNode);
      awaitPort(ZOOKEEPER_SERVER, ZOOKEEPER);
      progress.add(1);
      awaitPort("namenode", NAMENODE);
      progress.add(1);
      progress.note("DataNodes");
      for (int node = 1; node <= options.storageNodes(); node++) {
        int each = node;
        launch(DATANODE + node, () -> launcher.dataNode(each));
      }
      await(
          "NameNode does not see its DataNodes",
          PROCESS_LIMIT,
          () -> areLive(options.storageNodes()));
      if (secured) {
        await("HBase's directory is not made", PROCESS_LIMIT, this::makeRootDir);
      }
      progress.add(2);
      progress.note("HMaster, region servers, daemons");
      launch(MASTER, launcher::master);
      int regionServers = options.regionServers().size();
      for (int number = 1; number <= regionServers; number++) {
        int each = number;
        launch(REGION_SERVER + number, () -> launcher.regionServer(each));
      }
      for (int node = 1; node <= options.storageNodes(); node++) {
        int each = node;
        launch(DAEMON + node, () -> launcher.daemon(each));
      }
      try (ClusterProbe probe = new ClusterProbe(clientConfiguration())) {
        await(
            "The daemons do not register in ZooKeeper",
            MASTER_LIMIT,
            () -> probe.daemons().size() == options.storageNodes());
        progress.add(1);
        await("HMaster does not become active", MASTER_LIMIT, probe::masterIsReady);
        await(
            "The region servers do not all report to HMaster",
            MASTER_LIMIT,
            () -> probe.regionServers().size() == regionServers);
        // They may have none.
        Await.holdsWithin(PAGES_LIMIT, () -> probe.reported() == regionServers);
        progress.add(2);
      }
      progress.done(network.toString());
    }
    observe();
  }

  /**
   * Starts one more compaction server and returns when it has registered.
   *
   * @param options those that the cluster was prepared with, with room for it
   */
  public void startCompactionServer(ClusterOptions options) throws IOException {
    int number = serversNamed(COMPACTION_SERVER).size() + 1;
    launch(
        COMPACTION_SERVER + number,
        () -> new ServerLauncher(files, network, options).compactionServer(number));
    try (ClusterProbe probe = new ClusterProbe(clientConfiguration())) {
      await(
          "The compaction server does not register in ZooKeeper",
          PROCESS_LIMIT,
          () -> probe.daemons().size() == options.storageNodes() + number);
    }
  }

  /** The servers whose names begin so. */
  private List<ServerProcess> serversNamed(String prefix) {
    return processes().stream().filter(server -> server.name().startsWith(prefix)).toList();
  }

  /**
   * Processor time so far of this process, which is the client, and of the servers that live or
   * were ended to be started again, by kind of server. In seconds, counted by the kernel in
   * hundredths.
   */
  // Under the same lock as take(): no time is lost or counted twice.
  public synchronized Map<String, Double> processorSeconds() {
    Map<String, Double> seconds = new TreeMap<>(secondsOfEnded);
    seconds.put("client", ServerProcess.processorSeconds(ProcessHandle.current().pid()));
    for (ServerProcess server : List.copyOf(processes)) {
      seconds.merge(kind(server.name()), ServerProcess.processorSeconds(server.pid()), Double::sum);
    }
    return seconds;
  }

  private static String kind(String server) {
    return server.replaceFirst("-\\d+$", "");
  }

  /**
   * A server.
   *
   * @param number of the storage node, the region server or the compaction server, from 1; of the
   *     others there is one
   * @param options those that the cluster was prepared with
   */
  public ClusterServer server(Kind kind, int number, ClusterOptions options) {
    return server(kind, number, new ServerLauncher(files, network, options));
  }

  /** The same; HMaster, region servers and daemons start again from what is installed. */
  public ClusterServer server(Kind kind, int number, ClusterOptions options, Installed installed) {
    return server(
        kind, number, new ServerLauncher(files, network, options, Optional.of(installed)));
  }

  private ClusterServer server(Kind kind, int number, ServerLauncher launcher) {
    return switch (kind) {
      case DATANODE ->
          control(
              DATANODE + number,
              () -> launcher.dataNode(number),
              probe -> blockReports(probe, address(DATANODE_1, number)));
      case DAEMON ->
          control(
              DAEMON + number,
              () -> launcher.daemon(number),
              probe -> startingWith(address(ISSN_1, number), probe.daemons().stream()));
      case REGION_SERVER ->
          control(
              REGION_SERVER + number,
              () -> launcher.regionServer(number),
              probe ->
                  startingWith(
                      network.regionServerAddress(number)
                          + ":"
                          + ports.of(Ports.Port.ofNode(REGIONSERVER_1, number)),
                      probe.regionServers().stream().map(ServerName::getServerName)));
      case COMPACTION_SERVER ->
          control(
              COMPACTION_SERVER + number,
              () -> launcher.compactionServer(number),
              probe ->
                  startingWith(
                      network.compactionServerAddress(number)
                          + ":"
                          + ports.of(Ports.Port.ofNode(WORKER_1, number)),
                      probe.daemons().stream()));
      case MASTER -> control(MASTER, launcher::master, ClusterProbe::readyMasters);
      case ZOOKEEPER ->
          control(
              ZOOKEEPER_SERVER,
              launcher::zooKeeper,
              probe -> {
                probe.daemons(); // Is answered, so it serves.
                return Set.of(Long.toString(server(ZOOKEEPER_SERVER).pid()));
              });
    };
  }

  /** What a client in a JVM of its own left: its exit code, and what it printed. */
  public record Client(int exitCode, Path log) {}

  /**
   * Runs a client in a JVM of its own to its end, or the cluster's.
   *
   * @param name of its log, not that of another
   * @param classPath what it needs beside the cluster's client configuration
   * @param options those that the cluster was prepared with
   */
  public Client runClient(
      String name,
      String classPath,
      int heapMb,
      List<String> mainAndArguments,
      ClusterOptions options)
      throws IOException {
    ServerLauncher launcher = new ServerLauncher(files, network, options);
    Process process =
        launch(
            CLIENT + name,
            () -> launcher.client(CLIENT + name, classPath, heapMb, mainAndArguments));
    try {
      int exitCode = process.waitFor();
      processes.removeIf(server -> server.pid() == process.pid());
      return new Client(exitCode, files.log(CLIENT + name));
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException(name + ": interrupted", e);
    }
  }

  /** Where a client of the cluster may keep what need not last. */
  public Path clientWork(String name) {
    return files.work(CLIENT + name);
  }

  /** The links of its nodes; empty if there is nothing between them that could be cut. */
  public Optional<Links> links() {
    return network.links();
  }

  /** Where the DataNode of a storage node keeps its blocks. */
  public Path blocks(int node) {
    return files.data(DATANODE + node);
  }

  OwnClock clock(String server) {
    return new OwnClock(files.clock(server));
  }

  /** Asks the cluster. */
  private interface Question {
    Set<String> ask(ClusterProbe probe) throws IOException;
  }

  private ClusterServer control(String name, Launch launch, Question known) {
    return new LocalServer(
        this,
        name,
        new LocalServer.Service() {
          @Override
          public Process start() throws IOException {
            return launch.start();
          }

          @Override
          public Set<String> known() throws IOException {
            try (ClusterProbe probe = new ClusterProbe(clientConfiguration())) {
              return known.ask(probe);
            }
          }
        });
  }

  /** Those servers, as HBase names them, that listen at {@code address}. */
  private static Set<String> startingWith(String address, Stream<String> servers) {
    String name = address.replace(':', ',') + ",";
    return servers.filter(server -> server.startsWith(name)).collect(Collectors.toSet());
  }

  private Set<String> blockReports(ClusterProbe probe, String dataNode) throws IOException {
    return secured
        ? realm().as(Realm.HDFS, () -> probe.blockReports(fileSystem(), dataNode))
        : probe.blockReports(fileSystem(), dataNode);
  }

  /** Where a server on a storage node listens, as {@code host:port}. */
  private String address(Ports.Port first, int node) {
    return network.storageAddress(node) + ":" + ports.of(Ports.Port.ofNode(first, node));
  }

  /** The file system as a client sees it. */
  private URI fileSystem() {
    return URI.create("hdfs://" + network.clientAddress() + ":" + ports.of(NAMENODE));
  }

  /** The server of that name, which is one of the cluster's. */
  ServerProcess server(String name) throws IOException {
    return processes().stream()
        .filter(server -> server.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IOException(name + " does not run"));
  }

  /** Ends a server as {@code how} says, so that it can be launched again. */
  synchronized void take(String name, Consumer<ServerProcess> how) throws IOException {
    ServerProcess server = server(name);
    // Its last hundredths of a second are lost: nobody can ask for them any more.
    double seconds = ServerProcess.processorSeconds(server.pid());
    how.accept(server);
    if (!Await.holdsWithin(TERM_LIMIT, () -> !server.isAlive())) {
      throw new IOException(name + " does not end");
    }
    processes.remove(server);
    secondsOfEnded.merge(kind(name), seconds, Double::sum);
    save();
  }

  /** Waits until a server that was launched again is known. */
  void awaitServing(String name, Await.Condition known) {
    await(name + " is not known again", AGAIN_LIMIT, known);
  }

  private static List<String> names(List<ServerProcess> servers) {
    return servers.stream().map(ServerProcess::name).toList();
  }

  private void format(ServerLauncher launcher) throws IOException {
    Process format = launch("namenode-format", launcher::nameNodeFormat);
    Await.until("NameNode is not formatted", PROCESS_LIMIT, () -> !format.isAlive());
    if (format.exitValue() != 0) {
      throw died("namenode-format");
    }
    processes.removeIf(server -> server.pid() == format.pid());
  }

  /** Something that starts a process. */
  interface Launch {
    Process start() throws IOException;
  }

  // Under the same lock as stop(): no process starts behind its back.
  synchronized Process launch(String name, Launch launch) throws IOException {
    requireNotStopped();
    Process process = launch.start();
    processes.add(ServerProcess.of(name, process));
    save();
    return process;
  }

  private void requireNotStopped() {
    if (stopped) {
      throw new CliException("The cluster was stopped while it started");
    }
  }

  /** Has the traffic of the servers measured that run now. */
  synchronized void observe() {
    List<Integer> storagePorts = new ArrayList<>();
    for (int node = 1; node <= serversNamed(DATANODE).size(); node++) {
      storagePorts.add(ports.of(Ports.Port.ofNode(DATANODE_1, node)));
      storagePorts.add(ports.of(Ports.Port.ofNode(ISSN_1, node)));
    }
    network.observe(
        serversNamed(REGION_SERVER).stream().map(ServerProcess::pid).toList(), storagePorts);
  }

  private void awaitPort(String server, Ports.Port port) {
    await(
        server + " does not listen on port " + ports.of(port),
        PROCESS_LIMIT,
        () -> {
          try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(network.clientAddress(), ports.of(port)), 500);
            return true;
          }
        });
  }

  private boolean areLive(int dataNodes) throws IOException {
    return secured
        ? asHdfs(hdfs -> hdfs.getDataNodeStats(DatanodeReportType.LIVE).length) == dataNodes
        : areLiveSaysThePage(dataNodes);
  }

  /** Something to ask or to do as HDFS's superuser. */
  private interface HdfsAction<T> {
    T of(DistributedFileSystem hdfs) throws IOException;
  }

  private <T> T asHdfs(HdfsAction<T> action) throws IOException {
    Configuration conf = clientConfiguration();
    return realm()
        .as(
            Realm.HDFS,
            () -> {
              try (DistributedFileSystem hdfs = new DistributedFileSystem()) {
                hdfs.initialize(fileSystem(), conf);
                return action.of(hdfs);
              }
            });
  }

  /** Makes the directory that HBase may not make itself below a root that is HDFS's. */
  private boolean makeRootDir() throws IOException {
    return asHdfs(
        hdfs -> {
          for (String user : List.of(Realm.HBASE, Realm.ADMIN)) {
            org.apache.hadoop.fs.Path dir =
                new org.apache.hadoop.fs.Path(
                    user.equals(Realm.HBASE) ? "/hbase" : "/user/" + user);
            hdfs.mkdirs(dir);
            hdfs.setOwner(dir, user, user);
          }
          return true;
        });
  }

  private boolean areLiveSaysThePage(int dataNodes) throws IOException {
    String query =
        "http://"
            + network.clientAddress()
            + ":"
            + ports.of(NAMENODE_HTTP)
            + "/jmx?qry=Hadoop:service=NameNode,name=FSNamesystemState";
    try (InputStream in = URI.create(query).toURL().openStream()) {
      String state = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return state.matches("(?s).*\"NumLiveDataNodes\"\\s*:\\s*" + dataNodes + "\\D.*");
    }
  }

  /** Waits for {@code condition} as long as all servers live. */
  private void await(String otherwise, Duration limit, Await.Condition condition) {
    try {
      Await.until(
          otherwise,
          limit,
          () -> {
            supervision.run();
            for (ServerProcess server : List.copyOf(processes)) {
              // A client ends when it has done its work.
              if (!server.isAlive() && !server.name().startsWith(CLIENT)) {
                throw died(server.name());
              }
            }
            return condition.holds();
          });
    } catch (CliException e) {
      throw e.getMessage().contains(files.logs().toString())
          ? e
          : new CliException(e.getMessage() + "; the logs are in " + files.logs(), e);
    }
  }

  /**
   * From now on a region server or HMaster that ends by itself is started again, as a system's
   * supervisor would: whenever something is waited for, and when the answer is run.
   *
   * @param told which server ended, and why
   */
  public Runnable supervise(ClusterOptions options, BiConsumer<String, String> told) {
    supervision =
        () -> {
          for (int number = 1; number <= options.regionServers().size(); number++) {
            startIfEnded(REGION_SERVER + number, server(Kind.REGION_SERVER, number, options), told);
          }
          endIfHung(told);
          startIfEnded(MASTER, server(Kind.MASTER, 1, options), told);
        };
    return supervision;
  }

  /** An HMaster that gives up may wait for ever for its own threads. */
  private synchronized void endIfHung(BiConsumer<String, String> told) {
    long now = System.nanoTime();
    if (now - masterSeenNanos < MASTER_LOOK.toNanos()) {
      return;
    }
    masterSeenNanos = now;
    boolean aborts = LogExcerpt.endsWith(files.log(MASTER), "***** ABORTING master");
    if (aborts && masterAborts) {
      told.accept(MASTER, "it hangs after an abort");
      serversNamed(MASTER).forEach(ServerProcess::kill);
    }
    masterAborts = aborts;
  }

  /** What a region server wrote to its log since the cluster began, with these words. */
  public List<String> linesOfRegionServer(int number, String words) throws IOException {
    return LogExcerpt.with(files.log(REGION_SERVER + number), words);
  }

  /** Ends all clients at once. */
  public void endClients() {
    serversNamed(CLIENT).forEach(ServerProcess::kill);
  }

  private synchronized void startIfEnded(
      String name, ClusterServer server, BiConsumer<String, String> told) {
    Optional<ServerProcess> ended =
        processes.stream().filter(each -> each.name().equals(name) && !each.isAlive()).findAny();
    if (ended.isPresent()) {
      told.accept(name, LogExcerpt.lastFailure(files.log(name)));
      processes.remove(ended.get());
      try {
        server.start();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private CliException died(String server) {
    return new CliException(
        server
            + " ended: "
            + LogExcerpt.lastFailure(files.log(server))
            + "; its log is "
            + files.log(server));
  }

  /** Stops what lives, clients' side first so that data reaches the disk, and ends the network. */
  public void stop() {
    stop(
        List.of(
            names(serversNamed(REGION_SERVER)),
            names(serversNamed(COMPACTION_SERVER)),
            and(MASTER, DAEMON),
            and("namenode", DATANODE),
            List.of(ZOOKEEPER_SERVER, "namenode-format", KDC_SERVER)),
        TERM_LIMIT);
  }

  /** A server, and those whose names begin so. */
  private List<String> and(String server, String prefix) {
    List<String> together = new ArrayList<>(names(serversNamed(prefix)));
    together.add(server);
    return together;
  }

  /** Stops what lives without care for the data and ends the network. */
  public void discard() {
    stop(List.of(names(processes())), Duration.ZERO);
  }

  private synchronized void stop(List<List<String>> order, Duration patience) {
    stopped = true;
    for (List<String> together : order) {
      List<ServerProcess> servers =
          processes().stream()
              .filter(server -> together.contains(server.name()) && server.isAlive())
              .toList();
      if (!patience.isZero()) {
        servers.forEach(ServerProcess::terminate);
        Await.holdsWithin(patience, () -> servers.stream().noneMatch(ServerProcess::isAlive));
      }
      servers.forEach(ServerProcess::kill);
      if (!Await.holdsWithin(
          KILL_LIMIT, () -> servers.stream().noneMatch(ServerProcess::isAlive))) {
        throw new CliException(
            "These processes do not end: "
                + servers.stream().filter(ServerProcess::isAlive).toList());
      }
    }
    network.close();
    ClusterFiles.delete(files.state());
  }

  /** All processes, whether they live or not, in no particular order. */
  List<ServerProcess> processes() {
    synchronized (processes) {
      return List.copyOf(processes);
    }
  }

  /** Whether any of its processes lives. */
  public boolean isAlive() {
    return processes().stream().anyMatch(ServerProcess::isAlive);
  }

  /** Whether all of its processes live. */
  public boolean isWhole() {
    return processes().stream().allMatch(ServerProcess::isAlive);
  }

  /** Whether the program that started it lives and is not this one. */
  public boolean hasLivingOwner() {
    String owner = load(files.state()).getProperty(OWNER);
    return owner != null
        && ServerProcess.parse(OWNER, owner).isAlive()
        && ServerProcess.parse(OWNER, owner).pid() != ProcessHandle.current().pid();
  }

  /** One line for each server. */
  public List<String> status() {
    return processes().stream()
        .sorted((a, b) -> a.name().compareTo(b.name()))
        .map(
            server ->
                String.format(
                    "%-14s %-8d %s",
                    server.name(),
                    server.pid(),
                    server.isAlive()
                        ? "runs"
                        : "ended: " + LogExcerpt.lastFailure(files.log(server.name()))))
        .toList();
  }

  public NetworkRig rig() {
    return network;
  }

  public ClusterFiles files() {
    return files;
  }

  /** Where clients find ZooKeeper, as {@code host:port}. */
  public String zooKeeper() {
    return network.clientAddress() + ":" + ports.of(ZOOKEEPER);
  }

  /** Where the region servers listen, as {@code host:port}. */
  public List<String> regionServers() {
    List<String> addresses = new ArrayList<>();
    int count = serversNamed(REGION_SERVER).size();
    for (int number = 1; number <= count; number++) {
      addresses.add(
          network.regionServerAddress(number)
              + ":"
              + ports.of(Ports.Port.ofNode(REGIONSERVER_1, number)));
    }
    return addresses;
  }

  /** The web page of the first region server. */
  public String regionServerPage() {
    return (secured ? "https://" : "http://")
        + network.regionServerAddress(1)
        + ":"
        + ports.of(REGIONSERVER_INFO_1);
  }

  /** The directory with the files that make any client of HBase and HDFS one of this cluster. */
  public Path clientConf() {
    return files.conf("client");
  }

  /** The properties of its first region server that are not HBase's defaults. */
  public Configuration site() {
    Configuration conf = new Configuration(false);
    conf.addResource(
        new org.apache.hadoop.fs.Path(files.conf("rs1").resolve("hbase-site.xml").toUri()));
    return conf;
  }

  /** What nodes are made of here. */
  public String networkName() {
    return network.toString();
  }

  /** The configuration of a client of this cluster. */
  public Configuration clientConfiguration() {
    Configuration conf = HBaseConfiguration.create();
    String zooKeeper = zooKeeper();
    int colon = zooKeeper.lastIndexOf(':');
    conf.set("hbase.zookeeper.quorum", zooKeeper.substring(0, colon));
    conf.set("hbase.zookeeper.property.clientPort", zooKeeper.substring(colon + 1));
    if (secured) {
      for (String file :
          List.of("core-site.xml", "hdfs-site.xml", "hbase-site.xml", "ssl-client.xml")) {
        conf.addResource(new org.apache.hadoop.fs.Path(clientConf().resolve(file).toUri()));
      }
      try {
        realm().enter(conf, Realm.ADMIN);
      } catch (IOException e) {
        throw new CliException("Cannot log in to the cluster as " + Realm.ADMIN + ": " + e, e);
      }
    }
    return conf;
  }

  /** Whether it is a secured one. */
  public boolean isSecured() {
    return secured;
  }

  /**
   * The users of a secured cluster.
   *
   * @throws IllegalStateException if it is none
   */
  public Realm realm() {
    if (!secured) {
      throw new IllegalStateException("not secured");
    }
    return new Realm(files);
  }

  private void save() throws IOException {
    Properties state = new Properties();
    long self = ProcessHandle.current().pid();
    state.setProperty(
        OWNER, new ServerProcess(OWNER, self, ServerProcess.startOf(self).orElse(0L)).toString());
    state.setProperty(SECURED, Boolean.toString(secured));
    network.save(state);
    ports.save(state);
    processes().forEach(server -> state.setProperty(PROCESS + server.name(), server.toString()));
    Path next = files.root().resolve("cluster.properties.next");
    try (OutputStream out = Files.newOutputStream(next)) {
      state.store(out, null);
    }
    Files.move(next, files.state(), StandardCopyOption.ATOMIC_MOVE);
  }

  private static Properties load(Path file) {
    Properties state = new Properties();
    if (Files.exists(file)) {
      try (InputStream in = Files.newInputStream(file)) {
        state.load(in);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return state;
  }

  /** Our own jars in {@code target}, which the class path of the servers lacks. */
  public static List<Path> jarsIn(Path target) throws IOException {
    try (Stream<Path> list = Files.list(target)) {
      return list.filter(path -> path.toString().endsWith(".jar")).toList();
    }
  }
}
