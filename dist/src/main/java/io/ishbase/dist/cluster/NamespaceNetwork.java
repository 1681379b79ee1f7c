package io.ishbase.dist.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Nodes as Linux network namespaces: compute, a further compute node for each region server beside
 * the first, one for each compaction server, the storage nodes, and one more for the bridges
 * between them. All that crosses between a compute node and storage crosses that node's interface
 * {@code stor0}, where it is counted, and may be capped there and at the bridge's port to it, one
 * for each direction; each compute node and each compaction server has the capped rate to itself.
 * Clients reach the compute nodes and the DataNodes, and compute nodes each other, over a second
 * bridge, neither counted nor capped.
 */
final class NamespaceNetwork implements Network {
  static final String KIND = "namespaces";

  private static final String ID = "network.id";
  private static final String LINK = "network.link";
  private static final String REGION_SERVERS = "network.regionservers";
  private static final String STORAGE = "network.storagenodes";
  private static final String COMPACTION_SERVERS = "network.compactionservers";
  private static final String WITH_REGION_SERVER = "network.withregionserver";
  private static final String COUNTED = "stor0";
  private static final int LINKS = 1 << 12;

  /**
   * Number of the first compute node's address in the storage network, behind those of the storage
   * nodes that every cluster has.
   */
  private static final int FIRST_COMPUTE = LEAST_STORAGE_NODES + 1;

  /** Number of the first compaction server's address in the storage network. */
  private static final int FIRST_COMPACTION_SERVER = FIRST_COMPUTE + MAX_REGION_SERVERS;

  /**
   * Number of the address of the first storage node that not every cluster has, behind all others:
   * where those are, HDFS has written down.
   */
  private static final int FURTHER_STORAGE = FIRST_COMPACTION_SERVER + MAX_COMPACTION_SERVERS;

  /** Number of storage node 0's address in the clients' link, behind the region servers'. */
  private static final int LINK_TO_STORAGE = 1 + MAX_REGION_SERVERS;

  private final String id;

  /** Which /28 of 10.89.0.0/16 the clients' link has, and of 10.90.0.0/16 the storage network. */
  private final int link;

  private final NetworkNodes nodes;
  private volatile List<Long> regionServerPids = List.of();

  /** What was read last, for the time in which a server is gone: its interface stays. */
  private final Map<Long, Traffic> lastTraffic = new ConcurrentHashMap<>();

  private NamespaceNetwork(String id, int link, NetworkNodes nodes) {
    this.id = id;
    this.link = link;
    this.nodes = nodes;
  }

  /** A network whose names and addresses nobody uses on this machine. */
  static NamespaceNetwork withFreeNames(NetworkNodes nodes) {
    long seed = ProcessHandle.current().pid() * 4 + System.nanoTime() % 4;
    NamespaceNetwork network;
    do {
      network =
          new NamespaceNetwork(
              "ish" + Long.toString(seed, 36), (int) Math.floorMod(seed, LINKS), nodes);
      seed++;
    } while (network.isTaken());
    return network;
  }

  static NamespaceNetwork open(Properties state) {
    return withNamesOf(
        state,
        new NetworkNodes(
            Integer.parseInt(state.getProperty(REGION_SERVERS)),
            Integer.parseInt(state.getProperty(STORAGE, "" + LEAST_STORAGE_NODES)),
            Integer.parseInt(state.getProperty(COMPACTION_SERVERS)),
            Integer.parseInt(state.getProperty(WITH_REGION_SERVER, "0"))));
  }

  /** One with the names and addresses that {@link #save} wrote down, of other numbers of nodes. */
  static NamespaceNetwork withNamesOf(Properties state, NetworkNodes nodes) {
    return new NamespaceNetwork(
        state.getProperty(ID), Integer.parseInt(state.getProperty(LINK)), nodes);
  }

  static boolean hasNames(Properties state) {
    return state.containsKey(ID);
  }

  @Override
  public void save(Properties state) {
    state.setProperty(Networks.KIND, KIND);
    state.setProperty(ID, id);
    state.setProperty(LINK, Integer.toString(link));
    state.setProperty(REGION_SERVERS, Integer.toString(nodes.regionServers()));
    state.setProperty(STORAGE, Integer.toString(nodes.storageNodes()));
    state.setProperty(COMPACTION_SERVERS, Integer.toString(nodes.compactionServers()));
    state.setProperty(WITH_REGION_SERVER, Integer.toString(nodes.withRegionServer()));
  }

  /** Whether something on this machine has its names or addresses. */
  boolean isTaken() {
    try {
      return Files.exists(Path.of("/run/netns", name("c")))
          || Files.exists(Path.of("/sys/class/net", id + "m"))
          || !Commands.runLine("ip -4 -o addr show to " + linkAddress(0) + "/28").isBlank()
          || !Commands.runLine("ip -4 route show root " + storageNet(0) + "/28").isBlank();
    } catch (IOException e) {
      return false; // Without `ip` there is nothing to collide with; create() will say so.
    }
  }

  @Override
  public void create() throws IOException {
    for (String node : names()) {
      Commands.runLine("ip netns add " + name(node));
      Commands.runLine("ip -n " + name(node) + " link set lo up");
    }
    for (String bridge : List.of("br0", "br1")) {
      Commands.runLine("ip -n " + name("b") + " link add " + bridge + " type bridge");
      Commands.runLine("ip -n " + name("b") + " link set " + bridge + " up");
    }
    for (int node = 1; node <= nodes.storageNodes(); node++) {
      plug("s" + node, storageAddress(node));
    }
    for (int number = 1; number <= nodes.compactionServers(); number++) {
      plug("w" + number, compactionServerAddress(number));
    }
    Commands.runLines(
        List.of(
            "ip link add " + id + "m type veth peer name clients netns " + name("b"),
            "ip addr add " + linkAddress(1) + "/28 dev " + id + "m",
            "ip link set " + id + "m up",
            "ip -n " + name("b") + " link set clients master br1 up"));
    for (int number = 1; number <= nodes.computeNodes(); number++) {
      plugCompute(number);
    }
    routeTo(computeAddress(), clientAddress());
    for (int node = 1; node <= nodes.storageNodes(); node++) {
      plugClients("s" + node, linkAddress(LINK_TO_STORAGE + node));
      routeTo(storageAddress(node), linkAddress(LINK_TO_STORAGE + node));
    }
    // Shows at once whether the kernel can shape, and tc is there.
    try {
      capMbps(1000);
      capMbps(0);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private void plug(String node, String address) throws IOException {
    Commands.runLines(
        List.of(
            "ip -n "
                + name(node)
                + " link add stor0 type veth peer name "
                + node
                + " netns "
                + name("b"),
            "ip -n " + name(node) + " addr add " + address + "/28 dev stor0",
            "ip -n " + name(node) + " link set stor0 up",
            "ip -n " + name("b") + " link set " + node + " master br0 up"));
  }

  private void plugCompute(int number) throws IOException {
    String node = compute(number);
    plug(node, storageNet(FIRST_COMPUTE + number - 1));
    plugClients(node, regionServerAddress(number));
    if (number > 1) {
      // The NameNode is asked past the capped link, as it is by the first region server beside it.
      Commands.runLine(
          "ip -n " + name(node) + " route add " + computeAddress() + "/32 via " + clientAddress());
    }
  }

  private void plugClients(String node, String address) throws IOException {
    String in = "ip -n " + name(node);
    Commands.runLines(
        List.of(
            in + " link add client0 type veth peer name " + node + "-client netns " + name("b"),
            in + " addr add " + address + "/28 dev client0",
            in + " link set client0 up",
            "ip -n " + name("b") + " link set " + node + "-client master br1 up"));
  }

  // HDFS's clients are told the addresses that its servers have in the storage network.
  private void routeTo(String storageAddress, String linkAddress) throws IOException {
    Commands.runLine(
        "ip route add " + storageAddress + "/32 via " + linkAddress + " dev " + id + "m");
  }

  /** The node of region server 1, 2, … */
  private String compute(int number) {
    if (isOnStorage(number)) {
      return "s" + nodes.withRegionServer();
    }
    return number == 1 ? "c" : "c" + number;
  }

  private boolean isOnStorage(int number) {
    return number > nodes.computeNodes();
  }

  private List<String> names() {
    List<String> names = new ArrayList<>();
    for (int number = 1; number <= nodes.computeNodes(); number++) {
      names.add(compute(number));
    }
    for (int number = 1; number <= nodes.compactionServers(); number++) {
      names.add("w" + number);
    }
    for (int node = 1; node <= nodes.storageNodes(); node++) {
      names.add("s" + node);
    }
    names.add("b");
    return names;
  }

  @Override
  public String clientAddress() {
    return regionServerAddress(1);
  }

  @Override
  public String regionServerAddress(int number) {
    return linkAddress(
        isOnStorage(number) ? LINK_TO_STORAGE + nodes.withRegionServer() : 1 + number);
  }

  @Override
  public List<String> inRegionServer(int number) {
    return List.of("ip", "netns", "exec", name(compute(number)));
  }

  @Override
  public String computeAddress() {
    return storageNet(FIRST_COMPUTE);
  }

  @Override
  public String compactionServerAddress(int number) {
    return storageNet(FIRST_COMPACTION_SERVER + number - 1);
  }

  @Override
  public List<String> inCompactionServer(int number) {
    return List.of("ip", "netns", "exec", name("w" + number));
  }

  @Override
  public String storageAddress(int node) {
    return storageNet(
        node <= LEAST_STORAGE_NODES ? node : FURTHER_STORAGE + node - LEAST_STORAGE_NODES - 1);
  }

  @Override
  public List<String> inCompute() {
    return List.of("ip", "netns", "exec", name("c"));
  }

  @Override
  public List<String> inStorage(int node) {
    return List.of("ip", "netns", "exec", name("s" + node));
  }

  @Override
  public boolean hasOwnPorts() {
    return true;
  }

  @Override
  public Optional<Links> links() {
    return Optional.of(
        new NamespaceLinks(
            this::name,
            this::compute,
            this::storageAddress,
            number ->
                isOnStorage(number)
                    ? storageAddress(nodes.withRegionServer())
                    : storageNet(FIRST_COMPUTE + number - 1)));
  }

  @Override
  public void observe(List<Long> pids, List<Integer> storagePorts) {
    // What crosses the interface of a storage node is for others, too.
    regionServerPids = List.copyOf(pids.subList(0, Math.min(pids.size(), nodes.computeNodes())));
  }

  @Override
  public boolean canCap() {
    return true;
  }

  @Override
  public void capMbps(int mbps) {
    for (int number = 1; number <= nodes.computeNodes(); number++) {
      cap(compute(number), mbps);
    }
    for (int number = 1; number <= nodes.compactionServers(); number++) {
      cap("w" + number, mbps);
    }
  }

  @Override
  public void capStorageMbps(int mbps) {
    for (int node = 1; node <= nodes.storageNodes(); node++) {
      cap("s" + node, mbps);
    }
  }

  private void cap(String node, int mbps) {
    try {
      shape(name(node), COUNTED, mbps);
      shape(name("b"), node, mbps);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void shape(String namespace, String device, int mbps) throws IOException {
    String tc = "tc -n " + namespace + " qdisc ";
    if (mbps == 0) {
      Commands.attempt(tc + "del dev " + device + " root");
      return;
    }
    long bytesPerSecond = mbps * 1_000_000L / 8;
    long burstBytes = Math.max(16 << 10, bytesPerSecond * 2 / 1000);
    long limitBytes = Math.max(512 << 10, bytesPerSecond * 50 / 1000);
    Commands.runLine(
        tc
            + "replace dev "
            + device
            + " root tbf rate "
            + mbps
            + "mbit burst "
            + burstBytes
            + " limit "
            + limitBytes);
  }

  @Override
  public Traffic traffic() {
    try {
      Traffic traffic = new Traffic(0, 0);
      for (long pid : regionServerPids) {
        traffic = traffic.plus(trafficOf(pid));
      }
      return traffic;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Traffic trafficOf(long pid) throws IOException {
    List<String> lines;
    try {
      lines = Files.readAllLines(Path.of("/proc/" + pid + "/net/dev"));
    } catch (NoSuchFileException e) {
      return lastTraffic.getOrDefault(pid, new Traffic(0, 0));
    }
    for (String line : lines) {
      String[] words = line.strip().split("[:\\s]+");
      if (words[0].equals(COUNTED)) {
        // Bytes received stand first, bytes sent behind the eight fields of reception.
        Traffic traffic = new Traffic(Long.parseLong(words[1]), Long.parseLong(words[9]));
        lastTraffic.put(pid, traffic);
        return traffic;
      }
    }
    throw new IOException("no interface " + COUNTED + " in a compute node");
  }

  @Override
  public String counting() {
    return "bytes on the region servers' interfaces to the storage nodes, headers included";
  }

  @Override
  public void close() {
    Commands.attempt("ip link del " + id + "m");
    for (String node : names()) {
      if (Files.exists(Path.of("/run/netns", name(node)))) {
        Commands.attempt("ip netns del " + name(node));
      }
    }
  }

  /** What the user calls the namespace of the compute node. */
  @Override
  public String toString() {
    return "network namespaces "
        + names().stream()
            .filter(node -> !node.equals("b"))
            .map(this::name)
            .collect(Collectors.joining(", "));
  }

  private String name(String node) {
    return id + "-" + node;
  }

  private String linkAddress(int host) {
    return "10.89." + inSubnet(host);
  }

  private String storageNet(int host) {
    return "10.90." + inSubnet(host);
  }

  private String inSubnet(int host) {
    return link / 16 + "." + (link % 16 * 16 + host);
  }
}
