package io.ishbase.dist.cluster;

import io.ishbase.cluster.RegionServerJmx;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.Registration;
import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.zookeeper.ZKConfig;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hbase.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;

/** Asks a cluster from the outside how it is. */
public final class ClusterProbe implements Closeable {
  private static final int SESSION_MILLIS = 10_000;

  /** The first call of a JVM on a busy machine takes long. */
  private static final int ASK_MILLIS = 30_000;

  private final Configuration conf;

  /** Another one after its session has expired. */
  private ZooKeeper zooKeeper;

  private Connection connection;

  /** Connects; {@code conf} is a client's. */
  public ClusterProbe(Configuration conf) throws IOException {
    this.conf = new Configuration(conf);
    this.conf.setInt("hbase.rpc.timeout", ASK_MILLIS);
    this.conf.setInt("hbase.client.operation.timeout", ASK_MILLIS);
    this.conf.setInt("hbase.client.retries.number", 1);
    zooKeeper = session();
  }

  private ZooKeeper session() throws IOException {
    return new ZooKeeper(
        ZKConfig.getZKQuorumServersString(conf),
        SESSION_MILLIS,
        event -> {},
        ZKConfig.getZKClientConfig(conf));
  }

  /** Whether the master is active and initialised and a region server reports to it. */
  public boolean masterIsReady() throws IOException {
    return !readyMasters().isEmpty();
  }

  /** The name of the master if {@link #masterIsReady}. */
  Set<String> readyMasters() throws IOException {
    ClusterMetrics metrics =
        admin()
            .getClusterMetrics(
                EnumSet.of(ClusterMetrics.Option.MASTER, ClusterMetrics.Option.LIVE_SERVERS));
    if (metrics.getMasterName() == null || metrics.getLiveServerMetrics().isEmpty()) {
      return Set.of();
    }
    admin().listTableDescriptors(); // Fails while the master initialises.
    return Set.of(metrics.getMasterName().getServerName());
  }

  /** Names of the region servers that report to the master. */
  public List<ServerName> regionServers() throws IOException {
    return List.copyOf(admin().getRegionServers());
  }

  /** How many of them have told the master where their pages are: seconds after they began. */
  long reported() throws IOException {
    return admin()
        .getClusterMetrics(EnumSet.of(ClusterMetrics.Option.LIVE_SERVERS))
        .getLiveServerMetrics()
        .values()
        .stream()
        .filter(server -> server.getInfoServerPort() > 0)
        .count();
  }

  /** What region servers leave alone for a while because it failed: nodes, files, filters. */
  public SortedSet<String> quarantined() throws IOException {
    SortedSet<String> names = new TreeSet<>();
    for (ServerName server : regionServers()) {
      try {
        names.addAll(RegionServerJmx.of(admin(), server).quarantined());
      } catch (IOException e) {
        names.add("what " + server + " leaves alone: it does not answer");
      }
    }
    return names;
  }

  /** Names of the daemons that are registered. */
  public List<String> daemons() throws IOException {
    try {
      return zooKeeper.getChildren(Protocol.daemonsZNode(conf), false);
    } catch (KeeperException.NoNodeException e) {
      return List.of();
    } catch (KeeperException.SessionExpiredException e) {
      // Nobody asked for longer than it lasts, or ZooKeeper was away.
      zooKeeper = session();
      throw new IOException(e);
    } catch (KeeperException e) {
      throw new IOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  /** What the daemons that are registered say of themselves; without what is not sound. */
  public List<DaemonInfo> registeredDaemons() throws IOException {
    List<DaemonInfo> infos = new ArrayList<>();
    for (String daemon : daemons()) {
      try {
        DaemonInfo info =
            DaemonInfo.parseFrom(
                zooKeeper.getData(Protocol.daemonsZNode(conf) + "/" + daemon, false, null));
        if (Registration.fault(daemon, info) == null) {
          infos.add(info);
        }
      } catch (KeeperException.NoNodeException | InvalidProtocolBufferException e) {
        // It has gone, or is none.
      } catch (KeeperException e) {
        throw new IOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException(e);
      }
    }
    return infos;
  }

  /**
   * When the NameNode got the last full block report of a DataNode that it takes to live, in
   * milliseconds since the epoch, as the only element; empty before.
   *
   * @param dataNode as {@code host:port}
   */
  Set<String> blockReports(URI fileSystem, String dataNode) throws IOException {
    try (DistributedFileSystem hdfs = new DistributedFileSystem()) {
      hdfs.initialize(fileSystem, conf);
      Set<String> reports = new TreeSet<>();
      for (DatanodeInfo info : hdfs.getDataNodeStats(HdfsConstants.DatanodeReportType.LIVE)) {
        if (info.getXferAddr().equals(dataNode) && info.getLastBlockReportTime() > 0) {
          reports.add(Long.toString(info.getLastBlockReportTime()));
        }
      }
      return reports;
    }
  }

  private Admin admin() throws IOException {
    if (connection == null) {
      connection = ConnectionFactory.createConnection(conf);
    }
    return connection.getAdmin();
  }

  @Override
  public void close() throws IOException {
    try {
      zooKeeper.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (connection != null) {
      connection.close();
    }
  }
}
