package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Distance;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.node.FileLocations;
import io.ishbase.plugin.node.StorageNodes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeManager;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.net.DNSToSwitchMapping;
import org.apache.hadoop.net.StaticMapping;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** DataNodes in two racks, of which region servers learn by the places of blocks. */
class RacksTest {
  private static final TableName TABLE = TableName.valueOf("t");
  private static final TableName LEAVING = TableName.valueOf("leaving");
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int REGIONS = 16;
  private static final int MORE_DATA_NODES = 2;

  private static MiniCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            2,
            conf -> {
              conf.setInt("dfs.replication", 2);
              // Else a node that is busier than others is passed over, favoured or not.
              conf.setBoolean("dfs.namenode.redundancy.considerLoad", false);
              conf.setClass(
                  "net.topology.node.switch.mapping.impl",
                  StaticMapping.class,
                  DNSToSwitchMapping.class);
            },
            hdfs ->
                hdfs.startDataNodes(
                    hdfs.getConfiguration(0),
                    MORE_DATA_NODES,
                    true,
                    null,
                    new String[] {"/other", "/other"},
                    new String[] {"node3.example.org", "node4.example.org"},
                    null));
    cluster.startDaemons();
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  private static byte[] row(int number) {
    return Bytes.toBytes(String.format("row%02d", number));
  }

  @Test
  void replicasOfARegionAreInBothRacks() throws Exception {
    long near = InStorageMetrics.get().cameFrom(Distance.SAME_HOST);
    long far = InStorageMetrics.get().cameFrom(Distance.ELSEWHERE);
    create(TABLE);
    writeReadAndFlush(TABLE);
    Map<String, String> racks = new HashMap<>();
    for (HRegion region : cluster.regions(TABLE)) {
      placesOf(region).forEach(path -> learn(racks, path));
    }
    assertThat(new HashSet<>(racks.values())).containsExactlyInAnyOrder("/other", "/default-rack");
    MiniCluster.await(
        "favoured nodes in two racks",
        () ->
            cluster.regions(TABLE).stream()
                .allMatch(region -> racksOf(favoured(region), racks).size() == 2));
    // From now on files lie there.
    writeReadAndFlush(TABLE);
    for (HRegion region : cluster.regions(TABLE)) {
      cluster.util.getAdmin().majorCompactRegion(region.getRegionInfo().getRegionName());
    }
    MiniCluster.await(
        "compactions",
        () ->
            cluster.regions(TABLE).stream()
                .allMatch(region -> region.getStore(FAMILY).getStorefilesCount() == 1));
    for (HRegion region : cluster.regions(TABLE)) {
      // A DataNode says a moment later what it has.
      MiniCluster.await("both replicas of " + region, () -> hasBothReplicas(region));
      Map<String, String> places = new HashMap<>();
      placesOf(region).forEach(path -> learn(places, path));
      assertThat(places.keySet()).isEqualTo(favoured(region));
      assertThat(new HashSet<>(places.values())).hasSize(2);
    }
    assertThat(InStorageMetrics.get().cameFrom(Distance.SAME_HOST)).isGreaterThan(near);
    assertThat(InStorageMetrics.get().cameFrom(Distance.ELSEWHERE)).isEqualTo(far);
  }

  /** It reads what it has; what is written has homes elsewhere. */
  @Test
  void aDataNodeThatGoesOutOfServiceIsTheHomeOfNone() throws Exception {
    create(LEAVING);
    writeReadAndFlush(LEAVING);
    MiniCluster.await(
        "favoured nodes",
        () -> cluster.regions(LEAVING).stream().noneMatch(region -> favoured(region).isEmpty()));
    DatanodeManager nodes =
        cluster.util.getDFSCluster().getNamesystem().getBlockManager().getDatanodeManager();
    DataNode leaving = cluster.util.getDFSCluster().getDataNodes().get(MORE_DATA_NODES);
    String address = leaving.getDatanodeId().getXferAddr();
    assertThat(cluster.regions(LEAVING)).anyMatch(region -> favoured(region).contains(address));
    nodes.getDatanodeAdminManager().startDecommission(nodes.getDatanode(leaving.getDatanodeId()));
    FileLocations locations =
        StorageNodes.of(cluster.util.getMiniHBaseCluster().getRegionServer(0).getConfiguration())
            .locations();
    for (HRegion region : cluster.regions(LEAVING)) {
      HStoreFile file = region.getStore(FAMILY).getStorefiles().iterator().next();
      locations.forget(List.of(file.getPath().toUri().getPath()));
    }
    writeReadAndFlush(LEAVING);
    MiniCluster.await(
        "other homes than " + address,
        () ->
            cluster.regions(LEAVING).stream()
                .noneMatch(region -> favoured(region).contains(address)));
  }

  private static void create(TableName table) throws IOException {
    byte[][] splits = new byte[REGIONS - 1][];
    for (int i = 1; i < REGIONS; i++) {
      splits[i - 1] = row(i);
    }
    cluster
        .util
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(table)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .setValue(MiniCluster.READ, MiniCluster.IN_STORAGE)
                .build(),
            splits);
  }

  private static void writeReadAndFlush(TableName name) throws IOException {
    try (Table table = cluster.connection().getTable(name)) {
      for (int i = 0; i < REGIONS; i++) {
        table.put(new Put(row(i)).addColumn(FAMILY, FAMILY, row(i)));
      }
      cluster.util.getAdmin().flush(name);
      for (int i = 0; i < REGIONS; i++) {
        assertThat(table.get(new Get(row(i))).value()).isEqualTo(row(i));
      }
    }
  }

  /** Of its file's replicas: rack and address. */
  private static boolean hasBothReplicas(HRegion region) {
    try {
      return placesOf(region).size() == 2;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> placesOf(HRegion region) throws IOException {
    HStoreFile file = region.getStore(FAMILY).getStorefiles().iterator().next();
    BlockLocation[] blocks =
        cluster.util.getTestFileSystem().getFileBlockLocations(file.getPath(), 0, Long.MAX_VALUE);
    return List.of(blocks[0].getTopologyPaths());
  }

  private static void learn(Map<String, String> racks, String path) {
    int end = path.lastIndexOf('/');
    racks.put(path.substring(end + 1), path.substring(0, end));
  }

  private static Set<String> favoured(HRegion region) {
    HRegionServer server = cluster.util.getMiniHBaseCluster().getRegionServer(0);
    InetSocketAddress[] nodes =
        server.getFavoredNodesForRegion(region.getRegionInfo().getEncodedName());
    Set<String> favoured = new HashSet<>();
    for (InetSocketAddress node : nodes == null ? new InetSocketAddress[0] : nodes) {
      favoured.add("127.0.0.1:" + node.getPort());
    }
    return favoured;
  }

  private static Set<String> racksOf(Set<String> nodes, Map<String, String> racks) {
    Set<String> all = new HashSet<>();
    nodes.forEach(node -> all.add(racks.getOrDefault(node, "?")));
    return all;
  }
}
