package io.ishbase.dist;

import static io.ishbase.dist.Outcome.complaint;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseTestingUtility;
import org.apache.hadoop.hbase.zookeeper.ZKConfig;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TargetClusterTest {
  /** A client would try for twenty seconds. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "localhost:",
        "localhost:0",
        "localhost:65536",
        "a,,b:2181",
        "a:1:b",
        "a:1:/",
        "a:1:/b/",
        "a:1:/b//c"
      })
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void anAddressThatCannotBeIsOneLine(String zooKeeper) {
    assertThat(complaint("tables", "--zookeeper", zooKeeper))
        .startsWith("ishbase: --zookeeper is HOST[,HOST...]:PORT[:/ZNODE], not '" + zooKeeper + "'")
        .hasLineCount(1);
  }

  /** Else the cluster that the class path names would be asked by its own registry. */
  @Test
  void theClusterThatIsNamedIsAsked() {
    Configuration conf = ZooKeeperAddress.of("a,b:2182:/other").orElseThrow().configuration();
    assertThat(conf.get("hbase.client.registry.impl")).endsWith(".ZKConnectionRegistry");
    assertThat(ZKConfig.getZKQuorumServersString(conf)).isEqualTo("a:2182,b:2182");
    // What HBase's client asks first, and where files are.
    assertThat(ZKConfig.getClientZKQuorumServersString(conf)).isEqualTo("a:2182,b:2182");
    assertThat(conf.get("hbase.rootdir")).isNull();
    assertThat(conf.get("zookeeper.znode.parent")).isEqualTo("/other");
    assertThat(
            ZooKeeperAddress.of("a:1").orElseThrow().configuration().get("zookeeper.znode.parent"))
        .isEqualTo("/hbase");
  }

  /** Before HBase's client looks for it for two minutes. */
  @Test
  void aZnodeThatIsNotThereIsMissedAtOnce() throws Exception {
    HBaseTestingUtility util = new HBaseTestingUtility();
    String address = "localhost:" + util.startMiniZKCluster().getClientPort();
    try {
      assertThat(complaint("tables", "--zookeeper", address + ":/nosuch"))
          .startsWith("ishbase: ZooKeeper at " + address + " has no /nosuch:")
          .contains("zookeeper.znode.parent")
          .hasLineCount(1);
    } finally {
      util.shutdownMiniZKCluster();
    }
  }

  @Test
  void aZnodeThatIsNotThereIsSaidToBe() {
    Configuration conf = ZooKeeperAddress.of("a:1:/nosuch").orElseThrow().configuration();
    IOException failure = new IOException(new KeeperException.NoNodeException("/nosuch/master"));
    assertThat(TargetCluster.noAnswer(conf, failure))
        .hasMessageContaining("a:1")
        .hasMessageContaining("/nosuch/master")
        .hasMessageContaining("zookeeper.znode.parent");
  }
}
