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
}
