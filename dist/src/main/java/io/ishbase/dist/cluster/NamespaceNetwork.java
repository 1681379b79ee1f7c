package io.ishbase.dist.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;

/**
 * Nodes as Linux network namespaces: compute, two storage nodes, and one more for the bridge
 * between them. All that crosses between compute and storage crosses compute's interface {@code
 * stor0}, where it is counted, and may be capped there and at the bridge's port to it, one for each
 * direction. Clients reach compute from the outside over a link of their own, neither counted nor
 * capped.
 */
final class NamespaceNetwork implements Network {
  static final String KIND = "namespaces";

  private static final String ID = "network.id";
  private static final String LINK = "network.link";
  private static final String STORAGE_NET = "10.88.0.";
  private static final String COUNTED = "stor0";
  private static final int LINKS = 1 << 14;

  private final String id;

  /** Which /30 of 10.89.0.0/16 the clients' link has. */
  private final int link;

  private volatile long computePid;

  private NamespaceNetwork(String id, int link) {
    this.id = id;
    this.link = link;
  }

  /** A network whose names and addresses nobody uses on this machine. */
  static NamespaceNetwork withFreeNames() {
    long seed = ProcessHandle.current().pid() * 4 + System.nanoTime() % 4;
    NamespaceNetwork network;
    do {
      network =
          new NamespaceNetwork("ish" + Long.toString(seed, 36), (int) Math.floorMod(seed, LINKS));
      seed++;
    } while (network.isTaken());
    return network;
  }

  static NamespaceNetwork open(Properties state) {
    return new NamespaceNetwork(state.getProperty(ID), Integer.parseInt(state.getProperty(LINK)));
  }

  @Override
  public void save(Properties state) {
    state.setProperty(Networks.KIND, KIND);
    state.setProperty(ID, id);
    state.setProperty(LINK, Integer.toString(link));
  }

  private boolean isTaken() {
    try {
      return Files.exists(Path.of("/run/netns", name("c")))
          || Files.exists(Path.of("/sys/class/net", id + "m"))
          || !Commands.runLine("ip -4 -o addr show to " + linkAddress(0) + "/30").isBlank();
    } catch (IOException e) {
      return false; // Without `ip` there is nothing to collide with; create() will say so.
    }
  }

  @Override
  public void create() throws IOException {
    for (String node : List.of("c", "s1", "s2", "b")) {
      Commands.runLine("ip netns add " + name(node));
      Commands.runLine("ip -n " + name(node) + " link set lo up");
    }
    Commands.runLine("ip -n " + name("b") + " link add br0 type bridge");
    Commands.runLine("ip -n " + name("b") + " link set br0 up");
    plug("c", computeAddress());
    for (int node = 1; node <= STORAGE_NODES; node++) {
      plug("s" + node, storageAddress(node));
    }
    Commands.runLines(
        List.of(
            "ip link add " + id + "m type veth peer name client0 netns " + name("c"),
            "ip addr add " + linkAddress(1) + "/30 dev " + id + "m",
            "ip link set " + id + "m up",
            "ip -n " + name("c") + " addr add " + clientAddress() + "/30 dev client0",
            "ip -n " + name("c") + " link set client0 up"));
    // Shows at once whether the kernel can shape.
    capMbps(1000);
    capMbps(0);
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
            "ip -n " + name(node) + " addr add " + address + "/24 dev stor0",
            "ip -n " + name(node) + " link set stor0 up",
            "ip -n " + name("b") + " link set " + node + " master br0 up"));
  }

  @Override
  public String clientAddress() {
    return linkAddress(2);
  }

  @Override
  public String computeAddress() {
    return STORAGE_NET + "10";
  }

  @Override
  public String storageAddress(int node) {
    return STORAGE_NET + (10 + node);
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
  public void observe(long pid, List<Integer> storagePorts) {
    computePid = pid;
  }

  @Override
  public boolean canCap() {
    return true;
  }

  @Override
  public void capMbps(int mbps) {
    try {
      shape(name("c"), COUNTED, mbps);
      shape(name("b"), "c", mbps);
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
  public long bytesFromStorage() {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/" + computePid + "/net/dev"))) {
        String[] words = line.strip().split("[:\\s]+");
        if (words[0].equals(COUNTED)) {
          return Long.parseLong(words[1]);
        }
      }
      throw new IOException("no interface " + COUNTED + " in the compute node");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String counting() {
    return "bytes that the compute node's interface received from the storage nodes, headers"
        + " included";
  }

  @Override
  public void close() {
    Commands.attempt("ip link del " + id + "m");
    for (String node : List.of("c", "s1", "s2", "b")) {
      if (Files.exists(Path.of("/run/netns", name(node)))) {
        Commands.attempt("ip netns del " + name(node));
      }
    }
  }

  /** What the user calls the namespace of the compute node. */
  @Override
  public String toString() {
    return "network namespaces " + name("c") + ", " + name("s1") + ", " + name("s2");
  }

  private String name(String node) {
    return id + "-" + node;
  }

  private String linkAddress(int host) {
    return "10.89." + link / 64 + "." + (link % 64 * 4 + host);
  }
}
