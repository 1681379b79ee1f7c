package io.ishbase.dist.doctor;

import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.Registration;
import io.ishbase.protocol.ZooKeeperClients;
import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.retry.RetryOneTime;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.HBaseProtos;
import org.apache.hadoop.hbase.zookeeper.ZKMetadata;
import org.apache.hadoop.hbase.zookeeper.ZNodePaths;
import org.apache.hbase.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.apache.zookeeper.KeeperException;

/** What daemons, manager and region servers have registered in ZooKeeper, sound or not. */
final class RegistryReader {
  private static final int CONNECT_MILLIS = 10_000;
  private static final int PAUSE_MILLIS = 200;

  private RegistryReader() {}

  /**
   * What stands there.
   *
   * @param daemons by the names of their znodes; empty values: they are no registrations
   * @param releases HBase's, by the names of region servers; without those that are not shown
   */
  record Registered(
      Map<String, DaemonInfo> daemons, boolean hasManager, Map<String, String> releases) {}

  static Registered read(Configuration conf) throws IOException {
    try (CuratorFramework zooKeeper =
        ZooKeeperClients.of(conf, CONNECT_MILLIS, CONNECT_MILLIS)
            .retryPolicy(new RetryOneTime(PAUSE_MILLIS))
            .build()) {
      zooKeeper.start();
      if (!zooKeeper.blockUntilConnected(CONNECT_MILLIS, TimeUnit.MILLISECONDS)) {
        throw new IOException("ZooKeeper does not answer");
      }
      Map<String, DaemonInfo> daemons = new TreeMap<>();
      children(zooKeeper, Protocol.daemonsZNode(conf))
          .forEach((name, data) -> daemons.put(name, parse(data)));
      return new Registered(
          daemons,
          !children(zooKeeper, Protocol.managerZNode(conf)).isEmpty(),
          releases(zooKeeper, conf));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("Interrupted");
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      // Of Curator any may come.
      throw new IOException(e);
    }
  }

  /** As region servers register themselves; a secured HBase does not show that to clients. */
  private static Map<String, String> releases(CuratorFramework zooKeeper, Configuration conf)
      throws Exception {
    Map<String, String> releases = new TreeMap<>();
    try {
      children(zooKeeper, new ZNodePaths(conf).rsZNode)
          .forEach((name, data) -> release(data).ifPresent(release -> releases.put(name, release)));
    } catch (KeeperException.NoAuthException e) {
      // What is not known is said of each server.
    }
    return releases;
  }

  private static Optional<String> release(byte[] written) {
    byte[] data = ZKMetadata.removeMetaData(written);
    if (!ProtobufUtil.isPBMagicPrefix(data)) {
      return Optional.empty();
    }
    int magic = ProtobufUtil.lengthOfPBMagic();
    try {
      return Optional.of(
              HBaseProtos.RegionServerInfo.newBuilder()
                  .mergeFrom(data, magic, data.length - magic)
                  .build()
                  .getVersionInfo()
                  .getVersion())
          .filter(release -> !release.isEmpty());
    } catch (InvalidProtocolBufferException e) {
      return Optional.empty();
    }
  }

  private static Map<String, byte[]> children(CuratorFramework zooKeeper, String parent)
      throws Exception {
    Map<String, byte[]> all = new TreeMap<>();
    try {
      for (String name : zooKeeper.getChildren().forPath(parent)) {
        try {
          byte[] data = zooKeeper.getData().forPath(parent + "/" + name);
          all.put(name, data == null ? new byte[0] : data);
        } catch (KeeperException.NoNodeException e) {
          // It has just gone.
        }
      }
    } catch (KeeperException.NoNodeException e) {
      // Nobody has ever registered.
    }
    return all;
  }

  private static DaemonInfo parse(byte[] data) {
    try {
      return DaemonInfo.newBuilder().mergeFrom(data).buildPartial();
    } catch (InvalidProtocolBufferException e) {
      return DaemonInfo.getDefaultInstance();
    }
  }

  /** What is wrong with a registration; empty if nothing is. */
  static String fault(String name, DaemonInfo info) {
    if (!info.isInitialized()) {
      return "it is none";
    }
    String fault = Registration.fault(name, info);
    return fault == null ? "" : fault;
  }
}
