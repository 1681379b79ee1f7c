package io.ishbase.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.curator.framework.CuratorFramework;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class ZooKeeperClientsTest {
  /** TLS, as HBase's own clients are told of it. */
  @Test
  void whatHBaseSaysOfZooKeeperHoldsForItsClients() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set("hbase.zookeeper.quorum", "127.0.0.1");
    conf.set("hbase.zookeeper.property.clientPort", "1");
    conf.set("hbase.zookeeper.property.ssl.trustStore.location", "/etc/trust.jks");
    try (CuratorFramework client = ZooKeeperClients.ofServer(conf).build()) {
      client.start();
      assertThat(
              client
                  .getZookeeperClient()
                  .getZooKeeper()
                  .getClientConfig()
                  .getProperty("zookeeper.ssl.trustStore.location"))
          .isEqualTo("/etc/trust.jks");
    }
  }
}
