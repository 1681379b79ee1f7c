package io.ishbase.plugin.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.Registration;
import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import io.ishbase.testing.Await;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The registry against a ZooKeeper server of this process. */
class DaemonRegistryTest {
  private static final String PARENT = "/hbase/ishbase/issn";

  @TempDir private Path directory;
  private ServerCnxnFactory server;
  private CuratorFramework writer;
  private DaemonRegistry registry;
  private volatile List<StorageNode> told = List.of();

  @BeforeEach
  void start() throws Exception {
    server = ServerCnxnFactory.createFactory(new InetSocketAddress("127.0.0.1", 0), 100);
    server.startup(new ZooKeeperServer(directory.toFile(), directory.toFile(), 1000));
    Configuration conf = HBaseConfiguration.create();
    conf.set(HConstants.ZOOKEEPER_QUORUM, "127.0.0.1");
    conf.setInt(HConstants.ZOOKEEPER_CLIENT_PORT, server.getLocalPort());
    writer =
        CuratorFrameworkFactory.newClient(
            "127.0.0.1:" + server.getLocalPort(), new RetryOneTime(100));
    writer.start();
    writer.create().creatingParentsIfNeeded().forPath(PARENT);
    registry = new DaemonRegistry(conf, PARENT, nodes -> told = nodes);
  }

  @AfterEach
  void stop() {
    registry.close();
    writer.close();
    server.shutdown();
  }

  private static DaemonInfo daemon(int startCode, int load) {
    return DaemonInfo.newBuilder()
        .setVersion(Protocol.VERSION)
        .setHost("127.0.0.1")
        .setPort(16060)
        .setStartCode(startCode)
        .setDatanode("127.0.0.1:9866")
        .setLoadPercent(load)
        .addRole(Protocol.SCAN)
        .build();
  }

  private static String path(DaemonInfo info) {
    return PARENT + "/" + Registration.nodeName(info);
  }

  @Test
  void whoComesChangesAndGoesIsTold() throws Exception {
    writer.create().forPath(path(daemon(1, 0)), daemon(1, 0).toByteArray());
    writer.create().forPath(path(daemon(2, 0)), daemon(2, 0).toByteArray());
    Await.until("both", () -> told.size() == 2);
    writer.setData().forPath(path(daemon(1, 50)), daemon(1, 50).toByteArray());
    Await.until("a load", () -> told.get(0).loadPercent() == 50);
    writer.delete().forPath(path(daemon(1, 50)));
    Await.until("one", () -> told.size() == 1);
    assertThat(told.get(0).name()).isEqualTo("127.0.0.1,16060,2");
  }

  /** Who may write there may write a megabyte, under as many names as he likes. */
  @Test
  void whatIsRegisteredIsNotKeptTwice() throws Exception {
    writer.create().forPath(PARENT + "/junk", new byte[500_000]);
    writer.create().forPath(path(daemon(1, 0)), daemon(1, 0).toByteArray());
    Await.until("the daemon", () -> told.size() == 1);
    assertThat(registry.cachedBytes()).isZero();
  }
}
