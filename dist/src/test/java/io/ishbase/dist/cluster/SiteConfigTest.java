package io.ishbase.dist.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.cluster.ClusterNeeds.Daemon;
import io.ishbase.cluster.ClusterNeeds.RegionServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SiteConfigTest {
  @TempDir private Path dir;

  private Configuration site(String node) {
    Configuration conf = new Configuration(false);
    conf.addResource(
        new org.apache.hadoop.fs.Path(
            dir.resolve("conf").resolve(node).resolve("hbase-site.xml").toUri()));
    return conf;
  }

  @Test
  void aPathThatHdfsCannotHaveIsRefused() {
    ClusterOptions options = options(List.of(RegionServer.caching(100 << 20)));
    for (String name : List.of("my clone", "a:b", "100%20c")) {
      assertThatThrownBy(() -> LocalCluster.prepare(dir.resolve(name), options, line -> {}))
          .hasMessageContaining(name)
          .hasMessageContaining("clone to a path without");
      assertThat(dir.resolve(name)).doesNotExist();
    }
  }

  @Test
  void propertiesOfAllAndOfOneRegionServerReachThoseAndNoOthers() throws IOException {
    RegionServer usual = RegionServer.caching(100 << 20);
    ClusterOptions options = options(List.of(usual, usual.with("for.second", 2)));
    Ports ports = Ports.free();
    new SiteConfig(new ClusterFiles(dir), new LoopbackNetwork(), ports, options).write();

    for (String node : List.of("compute", "rs1", "rs2")) {
      assertThat(site(node).get("for.all")).isEqualTo("1");
    }
    assertThat(site("s1").get("for.all")).isNull();
    assertThat(site("w1").get("for.all")).isNull();
    assertThat(site("w1").get("for.daemons")).isNull();
    assertThat(site("w1").get("ishbase.issn.datanode")).isEqualTo("none");
    assertThat(site("w2").getInt("ishbase.issn.port", 0)).isEqualTo(ports.of(Ports.Port.WORKER_2));
    assertThat(site("s1").get("for.daemons")).isEqualTo("3");
    assertThat(site("rs1").get("for.daemons")).isNull();
    assertThat(site("rs1").get("for.second")).isNull();
    assertThat(site("rs2").get("for.second")).isEqualTo("2");
    assertThat(site("rs1").getInt("hbase.regionserver.port", 0))
        .isEqualTo(ports.of(Ports.Port.REGIONSERVER_1));
    assertThat(site("rs2").getInt("hbase.regionserver.port", 0))
        .isEqualTo(ports.of(Ports.Port.REGIONSERVER_2));
    assertThat(site("rs2").getDouble("hfile.block.cache.size", 0) * (usual.heapMb() << 20))
        .isEqualTo(100 << 20);
    assertThat(site("compute").getInt("hbase.master.wait.on.regionservers.mintostart", 0))
        .isEqualTo(2);
  }

  @Test
  void thereIsAtLeastOneRegionServerAndNoMoreThanThereArePorts() {
    RegionServer one = RegionServer.caching(100 << 20);
    assertThat(options(Collections.nCopies(6, one)).regionServers()).hasSize(6);
    assertThatThrownBy(() -> options(Collections.nCopies(7, one))).hasMessage("7 region servers");
    assertThatThrownBy(() -> options(List.of())).hasMessage("0 region servers");
  }

  @Test
  void aThirdStorageNodeIsOneLikeTheOthers() throws IOException {
    Ports ports = Ports.free();
    ClusterOptions three = options(List.of(RegionServer.caching(100 << 20)), 3);
    new SiteConfig(new ClusterFiles(dir), new LoopbackNetwork(), ports, three).write();
    assertThat(site("s3").getInt("ishbase.issn.port", 0)).isEqualTo(ports.of(Ports.Port.ISSN_3));
    assertThat(site("s3").get("ishbase.issn.datanode"))
        .endsWith(":" + ports.of(Ports.Port.DATANODE_3));
    assertThatThrownBy(() -> options(List.of(RegionServer.caching(100 << 20)), 4))
        .hasMessage("4 storage nodes");
  }

  private static ClusterOptions options(List<RegionServer> regionServers) {
    return options(regionServers, 2);
  }

  private static ClusterOptions options(List<RegionServer> regionServers, int storageNodes) {
    return new ClusterOptions(
        true,
        "stock",
        Daemon.caching(64 << 20).with("for.daemons", 3),
        Map.of("for.all", "1"),
        regionServers,
        2,
        storageNodes,
        false);
  }
}
