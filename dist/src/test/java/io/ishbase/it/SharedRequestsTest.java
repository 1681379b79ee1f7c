package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Reason;
import io.ishbase.daemon.Issn;
import io.ishbase.plugin.metrics.InStorageMetrics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Gets of many threads that share requests, while the daemon answers, dies, or its network fails:
 * each gets what it asked for, and nothing is left behind.
 */
class SharedRequestsTest {
  private static final int TIMEOUT_MILLIS = 4_000;

  /** Several times as many as requests that are under way before reads wait. */
  private static final int THREADS = Math.max(16, 4 * Runtime.getRuntime().availableProcessors());

  private static final int GETS_AT_A_TIME = 10;
  private static final AtomicInteger TABLES = new AtomicInteger();

  private static MiniCluster cluster;

  @TempDir private Path directory;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              conf.setInt("dfs.replication", 2);
              conf.setInt("hbase.regionserver.handler.count", THREADS);
              conf.setInt("ishbase.rpc.timeout", TIMEOUT_MILLIS);
              conf.setBoolean("hbase.table.sanity.checks", false);
            });
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  private static KnownTable table() throws IOException {
    return new KnownTable(cluster, "shared" + TABLES.incrementAndGet());
  }

  private static DataNode dataNode() {
    return cluster.util.getDFSCluster().getDataNodes().get(0);
  }

  private static long shared() {
    return InStorageMetrics.get().reads() - InStorageMetrics.get().requests();
  }

  private static void awaitShared() {
    long before = shared();
    MiniCluster.await("Gets to share requests", () -> shared() > before + 100);
  }

  /** Gets rows in many threads, which are checked, until {@code meanwhile} has run. */
  private static void readDuring(KnownTable table, Readers.Action meanwhile) throws Exception {
    Readers.readDuring(cluster, THREADS, i -> () -> table.checkGets(GETS_AT_A_TIME), meanwhile);
  }

  @Test
  void getsOfManyThreadsShareRequests() throws Exception {
    try (KnownTable table = table();
        Issn daemon = new Issn(cluster.daemonConf(dataNode()))) {
      daemon.start();
      table.awaitInStorage();
      var fallbacks = ReadCheck.fallbacks();
      readDuring(table, SharedRequestsTest::awaitShared);
      // A machine that is busy with others may take longer than the deadline.
      assertThat(EnumSet.of(Reason.TIMEOUT, Reason.QUARANTINED))
          .containsAll(ReadCheck.since(fallbacks));
      table.checkScan();
    }
  }

  @Test
  void getsOfOneThreadGoAlone() throws Exception {
    try (KnownTable table = table();
        Issn daemon = new Issn(cluster.daemonConf(dataNode()))) {
      daemon.start();
      table.awaitInStorage();
      long before = shared();
      long requests;
      Map<Reason, Long> fallbacks;
      int tries = 0;
      do {
        fallbacks = ReadCheck.fallbacks();
        requests = InStorageMetrics.get().requests();
        table.checkGets(100);
        // A machine that is busy with others may take longer than the deadline.
      } while (!ReadCheck.since(fallbacks).isEmpty() && ++tries < 5);
      assertThat(shared()).isEqualTo(before);
      assertThat(InStorageMetrics.get().requests()).isEqualTo(requests + 100);
    }
  }

  @Test
  void theDaemonIsKilledAmidSharedRequests() throws Exception {
    try (KnownTable table = table();
        DaemonProcess first =
            new DaemonProcess(cluster.daemonConf(dataNode()), directory.resolve("first"))) {
      table.awaitInStorage();
      readDuring(
          table,
          () -> {
            awaitShared();
            first.kill();
            try (DaemonProcess second =
                new DaemonProcess(cluster.daemonConf(dataNode()), directory.resolve("second"))) {
              awaitShared();
              second.pause();
              table.checkGets(GETS_AT_A_TIME);
              second.resume();
              awaitShared();
            }
          });
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PASS")
  void theNetworkFailsAmidSharedRequests(FaultyProxy.Mode mode) throws Exception {
    try (KnownTable table = table()) {
      int port;
      try (FaultyProxy proxy = new FaultyProxy()) {
        Configuration conf = cluster.daemonConf(dataNode());
        proxy.standBefore(conf);
        port = proxy.port();
        try (Issn daemon = new Issn(conf)) {
          daemon.start();
          table.awaitInStorage();
          readDuring(
              table,
              () -> {
                awaitShared();
                proxy.set(mode);
                table.checkGets(GETS_AT_A_TIME);
                proxy.set(FaultyProxy.Mode.PASS);
                awaitShared();
              });
        }
      }
      MiniCluster.await("connections to the daemon to close", () -> Sockets.openTo(port) == 0);
    }
  }
}
