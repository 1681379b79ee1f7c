package io.ishbase.plugin.master;

import io.ishbase.core.Setting;
import io.ishbase.core.compaction.CompactionQueue;
import io.ishbase.core.compaction.Placement;
import io.ishbase.core.metric.Exposition;
import io.ishbase.plugin.node.StorageNodes;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.Registration;
import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import io.ishbase.protocol.metrics.InfoPages;
import io.ishbase.protocol.metrics.StatusPage;
import io.ishbase.protocol.rpc.PolicedRpcServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.ScheduledChore;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.coprocessor.CoreCoprocessor;
import org.apache.hadoop.hbase.coprocessor.HasMasterServices;
import org.apache.hadoop.hbase.coprocessor.MasterCoprocessor;
import org.apache.hadoop.hbase.coprocessor.MasterCoprocessorEnvironment;
import org.apache.hadoop.hbase.ipc.RpcServerInterface;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.zookeeper.ZKAuthentication;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The compaction manager: part of the active HMaster, whose standby is its own. It knows the
 * workers from their znodes and who waits from the questions of region servers, so it begins with
 * nothing and loses nothing. It has an RPC server of its own because a coprocessor's endpoints
 * speak protobuf 2.5.
 *
 * <p>Named by {@code hbase.coprocessor.master.classes}.
 */
@CoreCoprocessor // for the master's InfoServer
public final class CompactionManager implements MasterCoprocessor {
  private static final Logger LOG = LoggerFactory.getLogger(CompactionManager.class);
  private static final int HANDLERS = 4;

  /** More questions than all compaction threads of a large cluster ask at once. */
  private static final int QUEUED_QUESTIONS = 10_000;

  private @Nullable ManagerEndpoint endpoint;
  private @Nullable RpcServerInterface rpcServer;
  private @Nullable Registration registration;

  /** Begins. A manager that cannot is no reason for the master to end: nobody needs one. */
  @Override
  @SuppressWarnings("rawtypes") // as HBase declares it
  public void start(CoprocessorEnvironment environment) {
    try {
      // The one that is given is a view that cannot be copied by its constructor.
      start(
          HBaseConfiguration.create(environment.getConfiguration()),
          ((MasterCoprocessorEnvironment) environment).getServerName());
      showAt(environment);
    } catch (IOException | RuntimeException | LinkageError e) {
      // An error that leaves would end the master: jars may be of versions that do not fit.
      LOG.error("There is no compaction manager; region servers choose workers themselves", e);
      stop(environment);
    }
  }

  private void start(Configuration conf, ServerName master) throws IOException {
    Protocol.register();
    StorageNodes nodes = StorageNodes.of(conf);
    endpoint =
        new ManagerEndpoint(
            nodes,
            new CompactionQueue(new Placement(nodes.settings().compactionNetworkBytes())),
            conf);
    InetSocketAddress address =
        new InetSocketAddress(
            conf.get("hbase.master.ipc.address", "0.0.0.0"), nodes.settings().managerPort());
    try {
      rpcServer = new ManagerRpcServer(master, endpoint, address, conf, HANDLERS, QUEUED_QUESTIONS);
    } catch (IOException e) {
      throw PolicedRpcServer.cannotListen(address, e, Setting.MANAGER_PORT.key());
    }
    rpcServer.start();
    registration =
        new Registration(
            conf,
            Protocol.managerZNode(conf),
            DaemonInfo.newBuilder()
                .setVersion(Protocol.VERSION)
                .setHost(master.getHostname())
                .setPort(rpcServer.getListenerAddress().getPort())
                .setStartCode(System.currentTimeMillis())
                .addRole("manager")
                .build(),
            ZKAuthentication.isSecureZooKeeper(conf));
    LOG.info("The compaction manager listens on {}", rpcServer.getListenerAddress());
  }

  /** Shows what the manager knows at the master's pages. */
  @SuppressWarnings("rawtypes") // as HBase declares it
  private void showAt(CoprocessorEnvironment environment) {
    if (environment instanceof HasMasterServices master
        && master.getMasterServices() instanceof HRegionServer server
        && server.getInfoServer() != null
        && endpoint != null) {
      Exposition exposition = new Exposition();
      endpoint.show(exposition);
      ManagerPage page = endpoint.page("IS-HBase compaction manager", exposition);
      InfoPages.show(server.getInfoServer(), exposition, page::page);
      server
          .getChoreService()
          .scheduleChore(
              new ScheduledChore("ishbase-page", server, StatusPage.LOOK_SECONDS * 1000) {
                @Override
                protected void chore() {
                  page.look();
                }
              });
    }
  }

  @Override
  @SuppressWarnings("rawtypes") // as HBase declares it
  public void stop(CoprocessorEnvironment environment) {
    if (registration != null) {
      registration.close();
    }
    if (rpcServer != null) {
      rpcServer.stop();
    }
  }
}
