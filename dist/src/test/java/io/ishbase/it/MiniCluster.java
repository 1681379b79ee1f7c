package io.ishbase.it;

import io.ishbase.daemon.Issn;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.node.StorageNode;
import io.ishbase.plugin.node.StorageNodes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseTestingUtility;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.StartMiniClusterOption;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.OperationWithAttributes;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.io.ByteBuffAllocator;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.shaded.protobuf.generated.HBaseProtos;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.JVMClusterUtil.RegionServerThread;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * HDFS with two DataNodes or more, ZooKeeper, HMaster, a region server with the plug-in, and a
 * daemon beside each DataNode.
 */
public final class MiniCluster implements AutoCloseable {
  static final String READ = "ishbase.read";
  static final String STOCK = "stock";
  static final String IN_STORAGE = "in-storage";
  static final String AUTO = "auto";

  private static final Set<Integer> ZOOKEEPER_PORTS = ConcurrentHashMap.newKeySet();
  private static final long DEADLINE_NANOS = 180_000_000_000L;

  final HBaseTestingUtility util = new HBaseTestingUtility();
  private final List<Issn> daemons = new ArrayList<>();

  static MiniCluster start(Consumer<Configuration> settings) throws Exception {
    return start(2, settings);
  }

  public static MiniCluster start(int dataNodes, Consumer<Configuration> settings)
      throws Exception {
    return start(dataNodes, settings, hdfs -> {});
  }

  /** What is done with HDFS before HBase uses it. */
  interface Preparation {
    void prepare(MiniDFSCluster hdfs) throws Exception;
  }

  static MiniCluster start(int dataNodes, Consumer<Configuration> settings, Preparation preparation)
      throws Exception {
    MiniCluster cluster = new MiniCluster();
    Configuration conf = cluster.util.getConfiguration();
    conf.set("hbase.hregion.impl", "io.ishbase.plugin.regionserver.InStorageRegion");
    // Reads say themselves which way they go.
    conf.set("ishbase.placement", "true");
    conf.setInt("dfs.replication", 1);
    conf.set(
        "dfs.block.local-path-access.user", UserGroupInformation.getCurrentUser().getUserName());
    // Tests that count requests must not find what others have read.
    conf.setInt("ishbase.cache.bytes", 0);
    // Nor may the bytes that they count follow from how busy the machine is.
    conf.set("ishbase.answer.compression", "none");
    // Nor may a test's reads go by what those before it have warmed up.
    conf.setInt("ishbase.read.warm.up", 0);
    // Tests count requests, and their machine may be busy with others.
    conf.setInt("ishbase.hedge.percent", 0);
    conf.setInt("ishbase.issn.batch.time", 60_000);
    conf.setInt("ishbase.rpc.timeout", 60_000);
    conf.setInt("hbase.regionserver.handler.count", 10);
    // What starts, stops and closes files does not wait for a clock.
    conf.setInt("hbase.regionserver.msginterval", 100);
    conf.setInt("hbase.master.wait.on.regionservers.interval", 100);
    conf.setInt("dfs.client.block.write.locateFollowingBlock.initial.delay.ms", 20);
    // The JVM goes on when a server has aborted; HBase would halt it so much later.
    conf.setLong("hbase.regionserver.abort.timeout", TimeUnit.DAYS.toMillis(1));
    // Tests keep the processors busy.
    conf.setInt("ishbase.issn.compactions.share", 100);
    // HBase gives up after half a minute.
    conf.setInt("hbase.master.start.timeout.localHBaseCluster", 180_000);
    settings.accept(conf);
    preparation.prepare(startHdfs(cluster.util, dataNodes));
    // What a JVM knows of daemons it knows by where ZooKeeper is.
    while (!ZOOKEEPER_PORTS.add(cluster.util.startMiniZKCluster().getClientPort())) {
      cluster.util.shutdownMiniZKCluster();
    }
    cluster.util.startMiniCluster(
        StartMiniClusterOption.builder().numDataNodes(dataNodes).numRegionServers(1).build());
    return cluster;
  }

  /** Hadoop waits eleven seconds for the first DataNode, which a busy machine may take. */
  private static MiniDFSCluster startHdfs(HBaseTestingUtility util, int dataNodes)
      throws Exception {
    for (int tries = 3; ; tries--) {
      try {
        return util.startMiniDFSCluster(dataNodes);
      } catch (IOException e) {
        if (tries == 1 || !String.valueOf(e.getMessage()).startsWith("Timed out waiting")) {
          throw e;
        }
      }
    }
  }

  public HBaseTestingUtility util() {
    return util;
  }

  /** Starts a daemon beside each DataNode and waits until the region server uses them. */
  void startDaemons() throws IOException {
    startDaemons(conf -> {});
  }

  /** Starts such daemons, one beside each DataNode, and waits likewise. */
  void startDaemons(Consumer<Configuration> settings) throws IOException {
    Set<ServerName> started = new HashSet<>();
    for (DataNode dataNode : util.getDFSCluster().getDataNodes()) {
      started.add(startDaemon(dataNode, settings).address());
    }
    awaitAnswering(started);
  }

  Issn startDaemon(DataNode dataNode, Consumer<Configuration> settings) throws IOException {
    Configuration conf = daemonConf(dataNode);
    settings.accept(conf);
    Issn daemon = new Issn(conf);
    daemon.start();
    daemons.add(daemon);
    return daemon;
  }

  Configuration daemonConf(DataNode dataNode) {
    Configuration conf = new Configuration(util.getConfiguration());
    conf.set("ishbase.issn.bind.address", "127.0.0.1");
    conf.set("ishbase.issn.hostname", "127.0.0.1");
    conf.set("ishbase.issn.port", "0");
    conf.set("ishbase.issn.info.port", "-1");
    conf.set("ishbase.issn.datanode", "127.0.0.1:" + dataNode.getXferPort());
    conf.set("dfs.client.read.shortcircuit", "true");
    conf.set("dfs.client.use.legacy.blockreader.local", "true");
    // HBase's root says where its files are.
    conf.set("fs.defaultFS", "file:///");
    return conf;
  }

  /** Returns once the region server knows that they are gone. */
  void stopDaemons() throws IOException {
    Set<ServerName> stopped = addresses(daemons);
    closeDaemons();
    await(
        "the daemons to be gone",
        () ->
            StorageNodes.of(util.getConfiguration()).live().stream()
                .noneMatch(node -> stopped.contains(node.address())));
  }

  private void closeDaemons() throws IOException {
    for (Issn daemon : daemons) {
      daemon.close();
    }
    daemons.clear();
  }

  static Set<ServerName> addresses(List<Issn> daemons) {
    return daemons.stream().map(Issn::address).collect(Collectors.toSet());
  }

  /** Waits until the region server uses the daemons at these addresses. */
  void awaitAnswering(Set<ServerName> started) {
    await(
        "the daemons",
        () ->
            StorageNodes.of(util.getConfiguration()).answering().stream()
                .map(StorageNode::address)
                .collect(Collectors.toSet())
                .containsAll(started));
  }

  List<Issn> daemons() {
    return daemons;
  }

  public Connection connection() throws IOException {
    return util.getConnection();
  }

  /** Makes {@code operation} be answered in {@code mode}. */
  static <T extends OperationWithAttributes> T in(String mode, T operation) {
    operation.setAttribute(READ, Bytes.toBytes(mode));
    return operation;
  }

  public List<HRegion> regions(TableName table) {
    // Not those of a region server that was killed: it never closed them.
    return util.getMiniHBaseCluster().getLiveRegionServerThreads().stream()
        .flatMap(thread -> thread.getRegionServer().getRegions(table).stream())
        .toList();
  }

  /** The region server that serves the region; null: none does. */
  public ServerName serverOf(HRegion region) {
    return util.getMiniHBaseCluster().getLiveRegionServerThreads().stream()
        .map(RegionServerThread::getRegionServer)
        .filter(server -> server.getRegion(region.getRegionInfo().getEncodedName()) == region)
        .map(HRegionServer::getServerName)
        .findFirst()
        .orElse(null);
  }

  /** Drops all tables of users. */
  void dropTables() throws IOException {
    Admin admin = util.getAdmin();
    for (TableName table : admin.listTableNames()) {
      admin.disableTable(table);
      admin.deleteTable(table);
    }
  }

  /** Makes the new files of the table's only region go to the DataNode of that number. */
  void setHome(TableName table, int node) {
    DataNode dataNode = util.getDFSCluster().getDataNodes().get(node);
    util.getMiniHBaseCluster()
        .getRegionServer(0)
        .updateRegionFavoredNodesMapping(
            regions(table).get(0).getRegionInfo().getEncodedName(),
            List.of(
                HBaseProtos.ServerName.newBuilder()
                    .setHostName("127.0.0.1")
                    .setPort(dataNode.getXferPort())
                    .build()));
  }

  /** References that open scanners hold on the store files of {@code table}. */
  int storeFileReferences(TableName table) {
    int references = 0;
    for (HRegion region : regions(table)) {
      for (HStore store : region.getStores()) {
        references += store.getStoreRefCount();
      }
    }
    return references;
  }

  /** Waits until no read holds anything of the region server, or waits for a daemon. */
  void awaitNothingHeld() {
    InStorageMetrics metrics = InStorageMetrics.get();
    await("node scanners to close", () -> metrics.openScanners() == 0);
    await("requests to end", () -> metrics.requestsUnderWay() == 0);
    await("what answers take to be given back", () -> NodesBean.heldBytes() == 0);
    ByteBuffAllocator buffers =
        util.getMiniHBaseCluster().getRegionServer(0).getRpcServer().getByteBuffAllocator();
    await(
        "buffers of the region server to come back",
        () -> buffers.getFreeBufferCount() == buffers.getUsedBufferCount());
    await(
        "buffers of blocks of the daemons to come back",
        () -> daemons.stream().allMatch(daemon -> daemon.blockBuffersInUse() == 0));
  }

  /** The stores of {@code table} on whose files open scanners hold references. */
  String referencedStores(TableName table) {
    StringBuilder text = new StringBuilder();
    for (HRegion region : regions(table)) {
      for (HStore store : region.getStores()) {
        if (store.getStoreRefCount() > 0) {
          text.append(store).append(' ').append(store.getStorefiles()).append('\n');
        }
      }
    }
    return text.toString();
  }

  /** Splits the region that holds {@code row} there and waits for the daughters. */
  void split(TableName table, byte[] row) throws Exception {
    int before = regions(table).size();
    RegionInfo region =
        connection().getRegionLocator(table).getRegionLocation(row, true).getRegion();
    util.getAdmin().splitRegionAsync(region.getRegionName(), row).get();
    await("the split of " + region, () -> regions(table).size() > before);
    util.waitUntilNoRegionsInTransition();
  }

  /** Returns once {@code condition} holds; fails after a minute. */
  public static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + DEADLINE_NANOS;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("Gave up waiting for " + what);
      }
      LockSupport.parkNanos(20_000_000L);
    }
  }

  @Override
  public void close() throws Exception {
    closeDaemons();
    util.shutdownMiniCluster();
  }
}
