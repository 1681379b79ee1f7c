package io.ishbase.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.Setting;
import io.ishbase.protocol.metrics.InfoPages;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

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

  /** It shares their file of settings, and has a heap of its own. */
  @Test
  void memoryThatIsForRegionServersIsNotADaemons() {
    conf.set("hbase.ipc.server.max.callqueue.size", Long.toString(1L << 40));
    conf.set("hfile.block.cache.memory.size", "1t");
    Configuration own = Issn.daemonConf(conf);
    assertThat(own.getLong("hbase.ipc.server.max.callqueue.size", Long.MAX_VALUE))
        .isLessThanOrEqualTo(Math.max(8 << 20, Runtime.getRuntime().maxMemory() / 64));
    assertThat(own.get("hfile.block.cache.memory.size")).isNull();
  }

  /** HBase heeds neither of two where they are the wrong way round. */
  @Test
  void oneWatermarkIsNoneWithoutTheOther() {
    String low = "hbase.server.netty.writable.watermark.low";
    String high = "hbase.server.netty.writable.watermark.high";
    assertThat(Issn.daemonConf(conf).getInt(low, 0)).isEqualTo(8 << 20);
    assertThat(Issn.daemonConf(conf).getInt(high, 0)).isEqualTo(32 << 20);
    conf.setInt(high, 4 << 20);
    assertThat(Issn.daemonConf(conf).getInt(low, 0)).isEqualTo(1 << 20);
    conf.unset(high);
    conf.setInt(low, 64 << 20);
    assertThat(Issn.daemonConf(conf).getInt(high, 0)).isEqualTo(256 << 20);
    conf.setInt(low, 1 << 30);
    assertThat(Issn.daemonConf(conf).getInt(high, 0)).isEqualTo(Integer.MAX_VALUE);
  }

  /** As HBase and DataNodes take them. */
  @Test
  void spacesAroundWhatOthersReadTooMeanNothing(@TempDir Path root) throws Exception {
    conf.set("hbase.rootdir", root.toUri().toString());
    conf.set(Setting.ISSN_BIND_ADDRESS.key(), "127.0.0.1");
    conf.set(Setting.ISSN_PORT.key(), "0");
    conf.set(Setting.ISSN_INFO_PORT.key(), "0");
    conf.set(InfoPages.SETTING, InfoPages.HBASES_OWN + ",\n  " + InfoPages.class.getName() + " ");
    conf.set("dfs.datanode.address", " 0.0.0.0:9866\n  ");
    try (Issn issn = new Issn(conf)) {
      assertThat(issn.infoPort()).isPositive();
    }
  }

  @Test
  void settingsOfOthersThatAreNoNumbersAreNamed() {
    conf.set("hbase.master.maxclockskew", "abc");
    assertThatThrownBy(() -> conf.getLong("hbase.master.maxclockskew", 0))
        .satisfies(
            e ->
                assertThat(Issn.settingsOf(e.getMessage(), conf))
                    .isEqualTo("; so says hbase.master.maxclockskew"));
    assertThat(Issn.settingsOf("something else", conf)).isEmpty();
    // Many a default is empty.
    conf.set("hbase.master.maxclockskew", "");
    assertThat(Issn.settingsOf("For input string: \"\"", conf))
        .isEqualTo("; so says hbase.master.maxclockskew");
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

  @Test
  void oneThatWouldDoNothingDoesNotStart() {
    conf.set(Setting.ISSN_DATANODE.key(), "none");
    conf.set(Setting.ISSN_COMPACTIONS.key(), "0");
    assertThatThrownBy(() -> new Issn(conf).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ishbase.issn.compactions = '0'")
        .hasMessageContaining("ishbase.issn.datanode = none");
  }

  @ParameterizedTest
  @ValueSource(strings = {"node 1", "node1,5", "node1:16060"})
  void aHostThatIsNoneIsNamed(String host) {
    conf.set(Setting.ISSN_HOSTNAME.key(), host);
    assertThatThrownBy(() -> new Issn(conf).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ishbase.issn.hostname = '" + host + "': must be");
  }

  @ParameterizedTest
  @EnumSource(
      value = Setting.class,
      names = {"ISSN_PORT", "ISSN_INFO_PORT"})
  void aPortInUseIsNamed(Setting port, @TempDir Path root) throws Exception {
    conf.set("hbase.rootdir", root.toUri().toString());
    conf.set(Setting.ISSN_BIND_ADDRESS.key(), "127.0.0.1");
    conf.set(Setting.ISSN_PORT.key(), "0");
    conf.set(Setting.ISSN_INFO_PORT.key(), "0");
    try (ServerSocket user = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      conf.setInt(port.key(), user.getLocalPort());
      assertThatThrownBy(() -> new Issn(conf).close())
          .isInstanceOf(IOException.class)
          .hasMessageContaining("127.0.0.1:" + user.getLocalPort())
          .hasMessageContaining("set " + port.key());
    }
  }
}
