package io.ishbase.daemon;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.Setting;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.junit.jupiter.api.Test;

/** What a daemon does not start with, before it has opened or bound anything. */
class IssnSettingsTest {
  private final Configuration conf = HBaseConfiguration.create();

  @Test
  void allWrongSettingsAreNamedTogether() {
    conf.set(Setting.ISSN_PORT.key(), "70000");
    conf.set(Setting.ISSN_HANDLERS.key(), "many");
    conf.setInt(Setting.ISSN_REMOTE_CACHE.key(), 1_000_000);
    assertThatThrownBy(() -> new Issn(conf).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ishbase.issn.port = '70000': must be")
        .hasMessageContaining("ishbase.issn.handlers = 'many': must be")
        .hasMessageContaining("ishbase.issn.remote.cache = '1000000': must be");
  }

  @Test
  void addressesThatAreNoneAreNamed() {
    conf.set(Setting.ISSN_BIND_ADDRESS.key(), "no such host");
    conf.set("dfs.datanode.address", "nowhere");
    assertThatThrownBy(() -> new Issn(conf).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ishbase.issn.bind.address = 'no such host': must be")
        .hasMessageContaining("dfs.datanode.address must have a port");

    conf.set(Setting.ISSN_DATANODE.key(), "storage-1");
    assertThatThrownBy(() -> new Issn(conf).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'storage-1'")
        .hasMessageContaining("ishbase.issn.datanode must be host:port, or none");
  }
}
