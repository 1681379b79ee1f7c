package io.ishbase.plugin.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.hbase.net.Address;
import org.apache.hadoop.hbase.shaded.protobuf.generated.HBaseProtos.ServerName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A region's home as HBase wants it. */
class HomeAddressTest {
  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.1", "2001:db8:0:0:0:0:0:7", "dn.example.org"})
  void whatStandsBehindTheLastColonIsThePort(String host) {
    ServerName home = RegionHome.dataNode(host + ":9866");
    assertThat(home.getHostName()).isEqualTo(host);
    assertThat(home.getPort()).isEqualTo(9866);
    // What HBase makes of it when a file is written.
    assertThat(Address.fromParts(home.getHostName(), home.getPort()).getPort()).isEqualTo(9866);
  }
}
