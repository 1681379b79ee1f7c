package io.ishbase.it;

import io.ishbase.dist.cluster.LocalCluster;
import io.ishbase.dist.cluster.Realm;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.MessageChecksum;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.CompactionProtos.CompactionService;
import io.ishbase.protocol.generated.CompactionProtos.ManagerService;
import io.ishbase.protocol.generated.CompactionProtos.PlaceRequest;
import io.ishbase.protocol.generated.CompactionProtos.WorkRequest;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.IssnService;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.ipc.RpcClient;
import org.apache.hadoop.hbase.ipc.RpcClientFactory;
import org.apache.hadoop.hbase.security.User;
import org.apache.hbase.thirdparty.com.google.protobuf.BlockingRpcChannel;
import org.apache.hbase.thirdparty.com.google.protobuf.ServiceException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;

/** Somebody in a secured cluster who asks daemons, the manager and ZooKeeper directly. */
final class Intruder {
  private static final int TIMEOUT_MILLIS = 20_000;
  private static final String MANAGERS = "/hbase/ishbase/manager";

  private final LocalCluster cluster;
  private final Configuration conf;

  /** With the settings of a client that logs nobody in. */
  Intruder(LocalCluster cluster) {
    this.cluster = cluster;
    conf = cluster.clientConfiguration();
    conf.unset("hbase.client.keytab.file");
    conf.unset("hbase.client.keytab.principal");
    conf.setInt("hbase.ipc.client.connect.max.retries", 0);
  }

  Configuration conf() {
    return conf;
  }

  private interface Question<T> {
    T ask(BlockingRpcChannel channel) throws ServiceException;
  }

  private <T> T ask(ServerName server, User user, Question<T> question)
      throws IOException, ServiceException {
    Protocol.register();
    // One connection for each question: who was let in once, stays.
    try (RpcClient client = RpcClientFactory.createClient(conf, "intruder")) {
      return question.ask(client.createBlockingRpcChannel(server, user, TIMEOUT_MILLIS));
    }
  }

  /** What a daemon answers who is asked for all of a file. */
  ReadResponse read(ServerName daemon, User user, String directory, String file)
      throws IOException, ServiceException {
    ReadRequest request =
        Checksums.sealed(
            ReadRequest.newBuilder()
                .setVersion(Protocol.VERSION)
                .setDirectory(directory)
                .addFile(file)
                .setReadPoint(Long.MAX_VALUE)
                .addRange(RowRange.newBuilder())
                .build());
    return ask(daemon, user, channel -> IssnService.newBlockingStub(channel).read(null, request));
  }

  /** What a daemon answers who is to tell what it compacts. */
  Code work(ServerName daemon, User user) throws IOException, ServiceException {
    WorkRequest request =
        MessageChecksum.sealed(WorkRequest.newBuilder().setVersion(Protocol.VERSION).build());
    return ask(
        daemon,
        user,
        channel -> CompactionService.newBlockingStub(channel).work(null, request).getCode());
  }

  /** What the manager answers who is to place a compaction. */
  Code place(ServerName manager, User user) throws IOException, ServiceException {
    PlaceRequest request =
        MessageChecksum.sealed(
            PlaceRequest.newBuilder()
                .setVersion(Protocol.VERSION)
                .setTicket("intruder")
                .setStore("t,r,f")
                .setBytes(1)
                .build());
    return ask(
        manager,
        user,
        channel -> ManagerService.newBlockingStub(channel).place(null, request).getCode());
  }

  /** The daemons that are registered. */
  List<ServerName> daemons() throws Exception {
    return registered(Protocol.daemonsZNode(conf));
  }

  ServerName manager() throws Exception {
    return registered(MANAGERS).get(0);
  }

  private List<ServerName> registered(String parent) throws Exception {
    try (ZooKeeper zooKeeper = zooKeeper(null)) {
      return zooKeeper.getChildren(parent, false).stream().map(ServerName::valueOf).toList();
    }
  }

  /**
   * A session with ZooKeeper.
   *
   * @param user whose, or null: nobody's
   */
  ZooKeeper zooKeeper(String user) throws Exception {
    ZKClientConfig config = new ZKClientConfig();
    if (user == null) {
      config.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
    } else {
      javax.security.auth.login.Configuration.setConfiguration(logins());
      config.setProperty(ZKClientConfig.LOGIN_CONTEXT_NAME_KEY, user);
      config.setProperty("zookeeper.server.principal", "zookeeper/localhost");
    }
    CountDownLatch ready = new CountDownLatch(1);
    ZooKeeper zooKeeper =
        new ZooKeeper(
            cluster.zooKeeper(),
            TIMEOUT_MILLIS,
            event -> {
              if (event.getState()
                  == (user == null
                      ? Watcher.Event.KeeperState.SyncConnected
                      : Watcher.Event.KeeperState.SaslAuthenticated)) {
                ready.countDown();
              }
            },
            config);
    if (!ready.await(1, TimeUnit.MINUTES)) {
      throw new IOException("No session with ZooKeeper for " + user);
    }
    return zooKeeper;
  }

  /** A login by the name of each user. */
  javax.security.auth.login.Configuration logins() {
    return new javax.security.auth.login.Configuration() {
      @Override
      public AppConfigurationEntry[] getAppConfigurationEntry(String user) {
        if (!List.of(Realm.HBASE, Realm.ALICE).contains(user)) {
          return null;
        }
        Map<String, String> options = new HashMap<>();
        options.put("useKeyTab", "true");
        options.put("storeKey", "true");
        options.put("useTicketCache", "false");
        options.put("keyTab", cluster.realm().keytab(user).toString());
        options.put("principal", Realm.principal(user));
        return new AppConfigurationEntry[] {
          new AppConfigurationEntry(
              "com.sun.security.auth.module.Krb5LoginModule",
              LoginModuleControlFlag.REQUIRED,
              options)
        };
      }
    };
  }
}
