package io.ishbase.dist.chaos;

import io.ishbase.cluster.ClusterServer;
import io.ishbase.cluster.ClusterServer.Kind;
import io.ishbase.dist.cluster.ClusterOptions;
import io.ishbase.dist.cluster.Links;
import io.ishbase.dist.cluster.LocalCluster;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** What can go wrong in a local cluster. */
final class Faults {
  private static final int LINE_MBPS = 4;

  private final LocalCluster cluster;
  private final ClusterOptions options;
  private final Random seeds;
  private final List<Fault> faults = new ArrayList<>();

  private Faults(LocalCluster cluster, ClusterOptions options, long seed) {
    this.cluster = cluster;
    this.options = options;
    this.seeds = new Random(seed);
  }

  /**
   * All that can go wrong in one, in order.
   *
   * @param options those that it was prepared with; its compaction servers run
   */
  static List<Fault> of(LocalCluster cluster, ClusterOptions options, long seed) {
    Faults faults = new Faults(cluster, options, seed);
    for (int node = 1; node <= options.storageNodes(); node++) {
      faults.ofDaemon("daemon " + node, faults.server(Kind.DAEMON, node));
      faults.ofDataNode("DataNode " + node, faults.server(Kind.DATANODE, node));
    }
    for (int number = 1; number <= options.compactionServers(); number++) {
      faults.ofDaemon("compaction server " + number, faults.server(Kind.COMPACTION_SERVER, number));
    }
    for (int number = 1; number <= options.regionServers().size(); number++) {
      ClusterServer server = faults.server(Kind.REGION_SERVER, number);
      faults.add(Fault.killed("region server " + number, server));
      faults.add(Fault.ended("region server " + number, server));
      faults.add(Fault.paused("region server " + number, server));
    }
    faults.add(Fault.killed("the master", faults.server(Kind.MASTER, 1)));
    faults.add(Fault.killed("ZooKeeper", faults.server(Kind.ZOOKEEPER, 1)));
    faults.add(Fault.paused("ZooKeeper", faults.server(Kind.ZOOKEEPER, 1)));
    faults.ofDisks();
    if (cluster.rig().canCap()) {
      faults.add(Fault.narrow(cluster.rig(), LINE_MBPS));
    }
    cluster.links().ifPresent(faults::ofLinks);
    return List.copyOf(faults.faults);
  }

  private void add(Fault fault) {
    faults.add(fault);
  }

  private ClusterServer server(Kind kind, int number) {
    return cluster.server(kind, number, options);
  }

  private void ofDaemon(String name, ClusterServer daemon) {
    add(Fault.killed(name, daemon));
    add(Fault.gone(name, daemon));
    add(Fault.paused(name, daemon));
    add(Fault.slow(name, daemon));
    add(Fault.full(name, daemon));
    if (options.ownClocks()) {
      add(Fault.ahead(name, daemon));
      add(Fault.jumping(name, daemon, seeds.nextLong()));
    }
  }

  private void ofDataNode(String name, ClusterServer dataNode) {
    add(Fault.killed(name, dataNode));
    add(Fault.paused(name, dataNode));
    add(Fault.slow(name, dataNode));
    add(Fault.full(name, dataNode));
  }

  private void ofDisks() {
    List<Path> blocks =
        IntStream.rangeClosed(1, options.storageNodes()).mapToObj(cluster::blocks).toList();
    BitFlips flips = new BitFlips(blocks, seeds.nextLong());
    for (int node = 1; node <= blocks.size(); node++) {
      int each = node;
      add(
          Fault.of(
              "a bit of DataNode " + node + " flips",
              () -> Fault.Mending.none(flips.flip(each).orElse("no block has a second replica"))));
    }
  }

  private void ofLinks(Links links) {
    for (int node = 1; node <= options.storageNodes(); node++) {
      int storage = node;
      add(
          Fault.lasting(
              "the link of storage node " + node + " is cut", () -> links.cutStorage(storage)));
      for (int number = 1; number <= options.regionServers().size(); number++) {
        int server = number;
        String line = "region server " + number + " to storage node " + node;
        add(
            Fault.lasting(
                "the line from " + line + " loses requests",
                () -> links.loseRequests(storage, server)));
        add(
            Fault.lasting(
                "the line from " + line + " loses answers",
                () -> links.loseAnswers(storage, server)));
      }
    }
    for (int number = 1; number <= options.regionServers().size(); number++) {
      int server = number;
      add(
          Fault.lasting(
              "the link of region server " + number + " to storage is cut",
              () -> links.cutRegionServer(server)));
    }
  }
}
