package io.ishbase.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import io.ishbase.protocol.generated.IssnProtos.WorkerInfo;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RegistrationTest {
  private static final String NAME = "node-1.example.org,16060,5";

  private static DaemonInfo.Builder sound() {
    return DaemonInfo.newBuilder()
        .setVersion(Protocol.VERSION)
        .setHost("node-1.example.org")
        .setPort(16060)
        .setStartCode(5)
        .setDatanode("10.0.0.1:9866")
        .addRole(Protocol.SCAN)
        .setLoadPercent(100)
        .setRelease("0.1.0-SNAPSHOT")
        .setInfoPort(16061)
        .setWorker(WorkerInfo.newBuilder().setSlots(2).setRunning(3).setCpuPercent(100));
  }

  @Test
  void whatDaemonsWriteIsSound() {
    assertThat(Registration.fault(NAME, sound().build())).isNull();
    assertThat(Registration.fault(NAME, sound().setDatanode("").clearWorker().build())).isNull();
    assertThat(
            Registration.fault(
                "[fe80::1%eth0],1,5", sound().setHost("[fe80::1%eth0]").setPort(1).build()))
        .isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a:1", "a:", ":1", "[", "]", "[]", "[::1", "[::1]:7", "::1]", "a:1:b", "%", "-", "."
      })
  void whatIsSoundIsAnAddress(String host) {
    DaemonInfo info = sound().setHost(host).build();
    if (Registration.fault(Registration.nodeName(info), info) == null) {
      assertThat(ServerName.valueOf(host, info.getPort(), info.getStartCode()).getPort())
          .isEqualTo(info.getPort());
    }
  }

  static Stream<DaemonInfo.Builder> unsound() {
    WorkerInfo worker = sound().getWorker();
    return Stream.of(
        sound().setHost(""),
        sound().setHost("node 1"),
        sound().setHost("a,b"),
        sound().setHost("x".repeat(254)),
        sound().setHost("node-2.example.org"),
        sound().setPort(0),
        sound().setPort(65_536),
        sound().setPort(16062),
        sound().setStartCode(-5),
        sound().setInfoPort(-1),
        sound().setDatanode("10.0.0.1"),
        sound().setDatanode("10.0.0.1:"),
        sound().setDatanode(":9866"),
        sound().setDatanode("10.0.0.1:99999"),
        sound().setDatanode("a b:9866"),
        sound().setLoadPercent(0xFFFFFFFF),
        sound().setLoadPercent(101),
        sound().setRelease("1\n"),
        sound().setRelease("1".repeat(101)),
        sound().setWorker(worker.toBuilder().setSlots(-1)),
        sound().setWorker(worker.toBuilder().setSlots(1 << 20)),
        sound().setWorker(worker.toBuilder().setRunning(-1)),
        sound().setWorker(worker.toBuilder().setCpuPercent(101)),
        sound().setWorker(worker.toBuilder().setBacklogBytes(-1)),
        sound().setWorker(worker.toBuilder().setMemoryBytes(-1)),
        sound().setWorker(worker.toBuilder().setBytesPerSecond(-1)),
        sound().setWorker(worker.toBuilder().setMeasuredBytes(-1)),
        sound().setWorker(worker.toBuilder().setBegun(-1)),
        sound()
            .addAllRole(
                IntStream.range(0, 20).mapToObj(Integer::toString).collect(Collectors.toList())));
  }

  @ParameterizedTest
  @MethodSource
  void unsound(DaemonInfo.Builder info) {
    assertThat(Registration.fault(NAME, info.build())).isNotEmpty();
  }

  @Test
  void onlyServersAndSuperusersWriteWhereZooKeeperIsSecure() {
    Configuration conf = new Configuration(false);
    conf.set("hbase.superuser", "root, @admins");
    List<ACL> acls = Registration.acls(conf);
    assertThat(acls)
        .containsAll(ZooDefs.Ids.CREATOR_ALL_ACL)
        .contains(new ACL(ZooDefs.Perms.ALL, new Id("sasl", "root")))
        .containsAll(ZooDefs.Ids.READ_ACL_UNSAFE)
        .hasSize(3);
  }
}
