package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.hadoop.hbase.MiniHBaseCluster;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.master.ServerManager;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Several region servers in one process: memory is moved of one at a time. */
@OwnJvm
class MemoryOfServersTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final long CACHE_BYTES = 256 << 20;

  private static MiniCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              conf.set("ishbase.memory", "auto");
              conf.setLong("ishbase.cache.bytes", CACHE_BYTES);
            });
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  private static BlockCache usedBy(HRegionServer server, TableName table) {
    List<HRegion> regions = server.getRegions(table);
    assertThat(regions).isNotEmpty();
    return regions.get(0).getStore(FAMILY).getCacheConfig().getBlockCache().orElseThrow();
  }

  /** A table with regions at all servers. */
  private static void create(TableName name) throws Exception {
    cluster
        .util
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build(),
            new byte[][] {Bytes.toBytes("b"), Bytes.toBytes("c"), Bytes.toBytes("d")});
  }

  @Test
  void eachServerUsesItsOwnBlockCacheAndTheNextIsServedWhenTheFirstHasStopped() throws Exception {
    MiniHBaseCluster servers = cluster.util.getMiniHBaseCluster();
    HRegionServer first = servers.getRegionServer(0);
    TableName before = TableName.valueOf("before");
    create(before);
    // Watched, hence another object.
    assertThat(usedBy(first, before)).isNotSameAs(first.getBlockCache().orElseThrow());
    HRegionServer second = servers.startRegionServer().getRegionServer();
    ServerManager known = servers.getMaster().getServerManager();
    // Not before it has reported does the master give it regions.
    MiniCluster.await(
        "the master", () -> known.createDestinationServersList().contains(second.getServerName()));
    TableName both = TableName.valueOf("both");
    create(both);
    assertThat(usedBy(first, both)).isNotSameAs(first.getBlockCache().orElseThrow());
    assertThat(usedBy(second, both)).isSameAs(second.getBlockCache().orElseThrow());
    first.stop("the other one is there");
    servers.waitForRegionServerToStop(first.getServerName(), 180_000);
    TableName after = TableName.valueOf("after");
    create(after);
    assertThat(usedBy(second, after)).isNotSameAs(second.getBlockCache().orElseThrow());
    assertThat(NodesBean.memory().get(0)).contains("moved while running");
    assertThat(MemoryLoad.segmentCacheBytes()).isEqualTo(CACHE_BYTES);
  }
}
