package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.Reason;
import io.ishbase.daemon.Issn;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.node.StorageNode;
import io.ishbase.plugin.node.StorageNodes;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.Registration;
import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The daemon as a server that others must find, reach and not overwhelm, in a cluster with service
 * authorisation.
 */
class DaemonServerTest {
  private static final int READERS = 10;

  private static MiniCluster cluster;
  private static CuratorFramework zooKeeper;

  private final List<String> registered = new ArrayList<>();

  @BeforeAll
  static void start() throws Exception {
    cluster = MiniCluster.start(conf -> conf.setBoolean("hadoop.security.authorization", true));
    zooKeeper =
        CuratorFrameworkFactory.newClient(
            "127.0.0.1:" + cluster.util.getZkCluster().getClientPort(), new RetryOneTime(1));
    zooKeeper.start();
  }

  @AfterAll
  static void stop() throws Exception {
    zooKeeper.close();
    cluster.close();
  }

  private static Configuration conf() {
    return cluster.util.getConfiguration();
  }

  private static StorageNodes nodes() {
    return StorageNodes.of(conf());
  }

  private static DataNode dataNode() {
    return cluster.util.getDFSCluster().getDataNodes().get(0);
  }

  /** Reads by many at once; all are right. */
  private static void readAtOnce(KnownTable table) {
    ExecutorService threads = Executors.newFixedThreadPool(READERS);
    try {
      List<CompletableFuture<Void>> readers = new ArrayList<>();
      for (int i = 0; i < READERS; i++) {
        readers.add(
            CompletableFuture.runAsync(
                () -> {
                  try {
                    table.checkGets(20);
                  } catch (IOException e) {
                    throw new AssertionError(e);
                  }
                },
                threads));
      }
      readers.forEach(CompletableFuture::join);
    } finally {
      threads.shutdown();
    }
  }

  @Test
  void aDaemonWithAFullQueueSaysSo() throws Exception {
    Configuration daemonConf = cluster.daemonConf(dataNode());
    daemonConf.setInt("ishbase.issn.handlers", 1);
    daemonConf.setInt("ishbase.issn.queue.length", 1);
    InStorageMetrics metrics = InStorageMetrics.get();
    try (Issn daemon = new Issn(daemonConf);
        KnownTable table = new KnownTable(cluster, "busy")) {
      daemon.start();
      table.awaitInStorage();
      long busy = metrics.fallbacks(Reason.BUSY);
      long unreachable = metrics.fallbacks(Reason.UNREACHABLE);
      MiniCluster.await(
          "a read that finds the queue full",
          () -> {
            readAtOnce(table);
            return metrics.fallbacks(Reason.BUSY) > busy;
          });
      assertThat(metrics.fallbacks(Reason.UNREACHABLE)).isEqualTo(unreachable);
      assertThat(Sockets.openTo(daemon.address().getPort())).as("connections").isEqualTo(1);
      table.awaitInStorage();
    }
  }

  private void register(String name, byte[] data) throws Exception {
    registered.add(
        zooKeeper
            .create()
            .creatingParentsIfNeeded()
            .withMode(CreateMode.EPHEMERAL)
            .forPath(Protocol.daemonsZNode(conf()) + "/" + name, data));
  }

  @AfterEach
  void unregister() throws Exception {
    for (String path : registered) {
      zooKeeper.delete().forPath(path);
    }
    MiniCluster.await("no daemons", () -> nodes().live().isEmpty());
  }

  private static DaemonInfo.Builder info(int port) {
    return DaemonInfo.newBuilder()
        .setVersion(Protocol.VERSION)
        .setHost("127.0.0.1")
        .setPort(port)
        .setStartCode(7)
        .addRole(Protocol.SCAN)
        .setDatanode("127.0.0.1:" + dataNode().getXferPort());
  }

  @Test
  void aRegistrationIsNotBelieved() throws Exception {
    InStorageMetrics metrics = InStorageMetrics.get();
    try (Issn daemon = new Issn(cluster.daemonConf(dataNode()));
        FaultyProxy silent = new FaultyProxy();
        KnownTable table = new KnownTable(cluster, "trust")) {
      daemon.start();
      silent.forwardTo(daemon.address().getPort());
      silent.set(FaultyProxy.Mode.STALL);
      table.awaitInStorage();
      long timeouts = metrics.fallbacks(Reason.TIMEOUT);
      long unreachable = metrics.fallbacks(Reason.UNREACHABLE);
      register("127.0.0.1,1,7", info(1).setLoadPercent(0xFFFFFFFF).build().toByteArray());
      register("somebody,1,7", info(1).build().toByteArray());
      register("garbage", "garbage".getBytes(StandardCharsets.UTF_8));
      // Sound, and the least loaded of those that have the files, but nobody is there.
      register("127.0.0.1," + silent.port() + ",7", info(silent.port()).build().toByteArray());
      register("127.0.0.1,2,7", info(2).build().toByteArray());
      MiniCluster.await("the sound ones", () -> nodes().live().size() == 3);
      assertThat(nodes().live())
          .extracting(StorageNode::name)
          .containsExactlyInAnyOrder(
              daemon.address().toString(), "127.0.0.1," + silent.port() + ",7", "127.0.0.1,2,7");
      for (int i = 0; i < 5; i++) {
        table.checkGets(50);
      }
      table.checkScan();
      assertThat(metrics.fallbacks(Reason.TIMEOUT)).isEqualTo(timeouts);
      assertThat(metrics.fallbacks(Reason.UNREACHABLE)).isEqualTo(unreachable);
      assertThat(nodes().answering())
          .extracting(StorageNode::name)
          .containsExactly(daemon.address().toString());
      assertThat(nodes().quarantined()).contains("127.0.0.1,2,7");
      // Reached at last, it is used like any other.
      silent.set(FaultyProxy.Mode.PASS);
      MiniCluster.await("two that answer", () -> nodes().answering().size() == 2);
      // Dead but still registered, and the less loaded of two that have the files, it costs no
      // more than a try now and then.
      silent.set(FaultyProxy.Mode.CUT);
      table.awaitInStorage();
      long cells = metrics.cells();
      table.checkGets(50);
      assertThat(metrics.cells()).isGreaterThan(cells + 25);
    }
  }

  @Test
  void whatZooKeeperRefusesIsSaid() throws Exception {
    zooKeeper.create().withACL(ZooDefs.Ids.READ_ACL_UNSAFE).forPath("/guarded");
    Configuration guarded = new Configuration(conf());
    guarded.set("zookeeper.znode.parent", "/guarded");
    guarded.setInt("zookeeper.session.timeout", 10_000);
    assertThatThrownBy(
            () -> new Registration(guarded, Protocol.daemonsZNode(guarded), info(1).build(), false))
        .hasMessageContaining("does not let this process create /guarded/ishbase/issn/")
        .hasMessageContaining("hbase.security.authentication");
  }
}
