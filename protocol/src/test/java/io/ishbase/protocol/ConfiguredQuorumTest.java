package io.ishbase.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class ConfiguredQuorumTest {
  /** Curator's tracker says addresses as soon as it is connected; servers may move from there. */
  @Test
  void theNamesStay() {
    Configuration conf = new Configuration(false);
    conf.set("hbase.zookeeper.quorum", "zk-0,zk-1");
    conf.set("hbase.zookeeper.property.clientPort", "2181");
    ConfiguredQuorum quorum = new ConfiguredQuorum(conf);
    String named = quorum.getConnectionString();
    assertThat(named).contains("zk-0:2181").contains("zk-1:2181");
    quorum.setConnectionString("10.0.0.1:2181");
    assertThat(quorum.getConnectionString()).isEqualTo(named);
    assertThat(quorum.updateServerListEnabled()).isFalse();
  }
}
