package io.ishbase.dist.doctor;

import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.Registration;
import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.zookeeper.ZKConfig;
import org.apache.hbase.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.apache.zookeeper.KeeperException;

/** What daemons and manager have registered in ZooKeeper, sound or not. */
final class RegistryReader {
  private static final int CONNECT_MILLIS = 10_000;
  private static final int PAUSE_MILLIS = 200;

  private RegistryReader() {}

  /**
   * What stands there.
   *
   * @param daemons by the names of their znodes; empty values: they are no registrations
   */
  record Registered(Map<String, DaemonInfo> daemons, boolean hasManager) {}

  static Registered read(Configuration conf) throws IOException {
    try (CuratorFramework zooKeeper =
        CuratorFrameworkFactory.newClient(
            ZKConfig.getZKQuorumServersString(conf),
            CONNECT_MILLIS,
            CONNECT_MILLIS,
            new RetryOneTime(PAUSE_MILLIS))) {
      zooKeeper.start();
      if (!zooKeeper.blockUntilConnected(CONNECT_MILLIS, TimeUnit.MILLISECONDS)) {
        throw new IOException("ZooKeeper does not answer");
      }
      return new Registered(
          children(zooKeeper, Protocol.daemonsZNode(conf)),
          !children(zooKeeper, Protocol.managerZNode(conf)).isEmpty());
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

  private static Map<String, DaemonInfo> children(CuratorFramework zooKeeper, String parent)
      throws Exception {
    Map<String, DaemonInfo> all = new TreeMap<>();
    try {
      for (String name : zooKeeper.getChildren().forPath(parent)) {
        try {
          all.put(name, parse(zooKeeper.getData().forPath(parent + "/" + name)));
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
      return DaemonInfo.newBuilder().mergeFrom(data == null ? new byte[0] : data).buildPartial();
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
