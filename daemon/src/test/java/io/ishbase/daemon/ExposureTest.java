package io.ishbase.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class ExposureTest {
  private final Configuration conf = new Configuration(false);

  private Exposure at(String address) throws IOException {
    return Exposure.of(conf, InetAddress.getByName(address), "hbase");
  }

  @Test
  void anOpenPortOfAnInsecureDaemonIsAWarning() throws IOException {
    assertThat(at("0.0.0.0").isOpen()).isTrue();
    assertThat(at("0.0.0.0").text())
        .startsWith("Security is off: whoever reaches any address of this machine may read all")
        .contains("ishbase.issn.bind.address")
        .contains("hbase.security.authentication = kerberos");
    assertThat(at("127.0.0.1").isOpen()).isFalse();
    assertThat(at("127.0.0.1").text()).contains("whoever works on this machine may read all");
  }

  @Test
  void aSecuredOneSaysWhoMayAskAndWhetherOthersMayListen() throws IOException {
    conf.set("hbase.security.authentication", "kerberos");
    assertThat(at("0.0.0.0").isOpen()).isFalse();
    assertThat(at("0.0.0.0").text())
        .startsWith("Security is on: only 'hbase' may ask, and whoever taps the network sees rows");
    conf.set("hbase.rpc.protection", "privacy,integrity");
    assertThat(at("0.0.0.0").text()).contains("sees rows");
    conf.set("hbase.rpc.protection", "privacy");
    assertThat(at("0.0.0.0").text()).endsWith("over encrypted connections");
    conf.unset("hbase.rpc.protection");
    conf.setBoolean("hbase.server.netty.tls.enabled", true);
    assertThat(at("0.0.0.0").text()).endsWith("over encrypted connections");
  }

  @Test
  void kerberosInHBaseAloneIsAFault() {
    conf.set("hbase.security.authentication", "kerberos");
    conf.set("hadoop.security.authentication", "simple");
    assertThatThrownBy(() -> new Issn(conf).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("without hadoop.security.authentication = 'kerberos'");
    conf.set("hadoop.security.authentication", "Kerberos");
    assertThat(Exposure.fault(conf)).isNull();
    assertThat(Exposure.fault(new Configuration(false))).isNull();
  }
}
