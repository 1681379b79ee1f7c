package io.ishbase.protocol;

import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import io.ishbase.protocol.generated.IssnProtos.WorkerInfo;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.recipes.nodes.PersistentNode;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.zookeeper.ZKConfig;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.jspecify.annotations.Nullable;

/**
 * The ephemeral znode by which region servers find a daemon or the compaction manager. It comes
 * back by itself after a lost session.
 */
public final class Registration implements Closeable {
  private static final int MAX_PORT = 65_535;
  private static final int MAX_SLOTS = 1024;
  private static final int MAX_ROLES = 16;
  private static final int MAX_SHARED_READS = 1024;

  /** A host's name, or an IP address of either version. */
  private static final Pattern HOST = Pattern.compile("[0-9A-Za-z._:%\\[\\]-]{1,253}");

  /** Empty before releases were said. */
  private static final Pattern RELEASE = Pattern.compile("[0-9A-Za-z._+-]{0,100}");

  private static final Pattern ADDRESS = Pattern.compile("(.+):([0-9]{1,5})");

  private final CuratorFramework zooKeeper;
  private final PersistentNode node;

  /**
   * Registers below {@code parent} and waits until it is done.
   *
   * @param isSecure whether this process is logged in to ZooKeeper: then only it and HBase's
   *     superusers may write there
   * @throws IOException if ZooKeeper does not answer within its session time-out, or refuses
   */
  public Registration(Configuration conf, String parent, DaemonInfo info, boolean isSecure)
      throws IOException {
    String fault = fault(nodeName(info), info);
    if (fault != null) {
      throw new IOException("Cannot register " + nodeName(info) + ": " + fault);
    }
    String quorum = ZKConfig.getZKQuorumServersString(conf);
    int sessionMillis =
        conf.getInt(HConstants.ZK_SESSION_TIMEOUT, HConstants.DEFAULT_ZK_SESSION_TIMEOUT);
    CuratorFrameworkFactory.Builder client = ZooKeeperClients.ofServer(conf);
    if (isSecure) {
      client.aclProvider(ownersOnly(acls(conf)));
    }
    zooKeeper = client.build();
    zooKeeper.start();
    String path = parent + "/" + nodeName(info);
    node = new PersistentNode(zooKeeper, CreateMode.EPHEMERAL, false, path, info.toByteArray());
    node.start();
    boolean created = false;
    boolean connected = false;
    try {
      created = node.waitForInitialCreate(sessionMillis, TimeUnit.MILLISECONDS);
      connected = zooKeeper.getZookeeperClient().isConnected();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      if (!created) {
        close();
      }
    }
    if (!created && connected) {
      throw new IOException(
          "ZooKeeper at "
              + quorum
              + " answers but does not let this process create "
              + path
              + ": check the access lists there and "
              + (isSecure
                  ? "hbase.zookeeper.client.kerberos.principal, which must be that of HBase's servers"
                  : "whether HBase's servers log in to ZooKeeper: this process has not, for want of"
                      + " hbase.security.authentication = kerberos and a login for ZooKeeper"));
    }
    if (!created) {
      throw new IOException(
          "Cannot register in ZooKeeper at "
              + quorum
              + " within "
              + sessionMillis
              + " ms: check "
              + HConstants.ZOOKEEPER_QUORUM
              + " and that it runs");
    }
    if (isSecure) {
      guard(parent, acls(conf));
    }
  }

  /** Takes from everybody what an earlier release, or a process without a login, has left open. */
  private void guard(String parent, List<ACL> acls) throws IOException {
    try {
      for (String path : List.of(parent.substring(0, parent.lastIndexOf('/')), parent)) {
        boolean isOpen =
            zooKeeper.getACL().forPath(path).stream()
                .anyMatch(
                    acl ->
                        acl.getId().equals(ZooDefs.Ids.ANYONE_ID_UNSAFE)
                            && acl.getPerms() != ZooDefs.Perms.READ);
        if (isOpen) {
          zooKeeper.setACL().withACL(acls).forPath(path);
        }
      }
    } catch (Exception e) {
      close();
      throw new IOException("Cannot guard " + parent + " in ZooKeeper against others", e);
    }
  }

  /**
   * What is wrong with a registration that was found under {@code name}, or null. What is sound may
   * be believed: it was written by who may write there.
   */
  public static @Nullable String fault(String name, DaemonInfo info) {
    WorkerInfo worker = info.getWorker();
    if (!isHost(info.getHost())) {
      return "its host is no name or address of one";
    }
    if (!isWithin(info.getPort(), 1, MAX_PORT) || !isWithin(info.getInfoPort(), 0, MAX_PORT)) {
      return "port " + info.getPort() + " or info port " + info.getInfoPort() + " is none";
    }
    if (info.getStartCode() <= 0 || !name.equals(nodeName(info))) {
      return "it is of " + nodeName(info);
    }
    if (!info.getDatanode().isEmpty() && !isHostAndPort(info.getDatanode())) {
      return "its DataNode's address is not host:port";
    }
    if (!isWithin(info.getLoadPercent(), 0, 100) || !isWithin(worker.getCpuPercent(), 0, 100)) {
      return "load " + info.getLoadPercent() + " % or " + worker.getCpuPercent() + " % is none";
    }
    if (!isWithin(worker.getSlots(), 0, MAX_SLOTS) || worker.getRunning() < 0) {
      return worker.getRunning() + " of " + worker.getSlots() + " slots cannot be";
    }
    if (worker.getBacklogBytes() < 0
        || worker.getMemoryBytes() < 0
        || worker.getBytesPerSecond() < 0
        || worker.getMeasuredBytes() < 0
        || worker.getBegun() < 0) {
      return "a count of its worker is beyond all bounds";
    }
    if (!isWithin(info.getSharedReads(), 0, MAX_SHARED_READS)) {
      return info.getSharedReads() + " reads do not share a request";
    }
    if (!RELEASE.matcher(info.getRelease()).matches()) {
      return "its release is none";
    }
    return info.getRoleCount() > MAX_ROLES ? info.getRoleCount() + " roles are too many" : null;
  }

  /** As HBase guards what clients may see: its servers write, all read. */
  static List<ACL> acls(Configuration conf) {
    List<ACL> acls = new ArrayList<>(ZooDefs.Ids.CREATOR_ALL_ACL);
    for (String user : conf.getTrimmedStrings("hbase.superuser")) {
      // ZooKeeper knows no groups.
      if (!user.startsWith("@")) {
        acls.add(new ACL(ZooDefs.Perms.ALL, new Id("sasl", user)));
      }
    }
    acls.addAll(ZooDefs.Ids.READ_ACL_UNSAFE);
    return acls;
  }

  private static ACLProvider ownersOnly(List<ACL> acls) {
    return new ACLProvider() {
      @Override
      public List<ACL> getDefaultAcl() {
        return acls;
      }

      @Override
      public List<ACL> getAclForPath(String path) {
        return acls;
      }
    };
  }

  /** The name under which a daemon registers. */
  public static String nodeName(DaemonInfo info) {
    return info.getHost() + "," + info.getPort() + "," + info.getStartCode();
  }

  private static boolean isWithin(int number, int min, int max) {
    return number >= min && number <= max;
  }

  /** Whether HBase takes that for a name or address of a host. */
  public static boolean isHost(String host) {
    try {
      return HOST.matcher(host).matches() && ServerName.valueOf(host, 1, 1) != null;
    } catch (IllegalArgumentException e) {
      // With a port in it, say.
      return false;
    }
  }

  /** Whether that is a name or address of a host and a port. */
  public static boolean isHostAndPort(String address) {
    Matcher parts = ADDRESS.matcher(address);
    return parts.matches()
        && HOST.matcher(parts.group(1)).matches()
        && isWithin(Integer.parseInt(parts.group(2)), 1, MAX_PORT);
  }

  /** Publishes what changed, load above all. */
  public void update(DaemonInfo info) throws IOException {
    try {
      node.setData(info.toByteArray());
    } catch (Exception e) {
      throw new IOException("Cannot update the registration in ZooKeeper", e);
    }
  }

  /** The znode goes with the session. To delete it would take minutes while ZooKeeper is away. */
  @Override
  public void close() {
    zooKeeper.close();
  }
}
