package io.ishbase.dist.top;

import io.ishbase.cluster.MetricsPage;
import io.ishbase.cluster.WebPages;
import io.ishbase.dist.cluster.ClusterProbe;
import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.ServerMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;

/** Looks at all servers of a cluster, a bounded number of them at once. */
public final class Looker implements Closeable {
  private static final int AT_ONCE = 16;

  private final Admin admin;
  private final WebPages pages;
  private final ClusterProbe probe;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          AT_ONCE, new ThreadFactoryBuilder().setDaemon(true).setNameFormat("top-%d").build());

  /** Looks at the cluster of both, which stay the caller's. */
  public Looker(Admin admin, ClusterProbe probe) {
    this.admin = admin;
    this.pages = WebPages.ofHBase(admin.getConfiguration());
    this.probe = probe;
  }

  /**
   * Asks every server. One that does not answer is there with the reason.
   *
   * @throws IOException if the master or ZooKeeper does not answer
   */
  public Look look() throws IOException {
    ClusterMetrics metrics =
        admin.getClusterMetrics(
            EnumSet.of(
                ClusterMetrics.Option.LIVE_SERVERS,
                ClusterMetrics.Option.MASTER,
                ClusterMetrics.Option.MASTER_INFO_PORT));
    List<DaemonInfo> registered = probe.registeredDaemons();
    long nanos = System.nanoTime();
    List<CompletableFuture<Look.Server>> regionServers = new ArrayList<>();
    for (Map.Entry<ServerName, ServerMetrics> server : metrics.getLiveServerMetrics().entrySet()) {
      regionServers.add(
          ask(
              server.getKey(),
              server.getValue().getInfoServerPort(),
              server.getValue().getRequestCountPerSecond()));
    }
    List<CompletableFuture<Look.Server>> daemons = new ArrayList<>();
    for (DaemonInfo daemon : registered) {
      daemons.add(
          ask(
              ServerName.valueOf(daemon.getHost(), daemon.getPort(), daemon.getStartCode()),
              daemon.getInfoPort(),
              -1));
    }
    List<CompletableFuture<Look.Server>> masters = new ArrayList<>();
    if (metrics.getMasterName() != null && metrics.getMasterInfoPort() > 0) {
      masters.add(ask(metrics.getMasterName(), metrics.getMasterInfoPort(), -1));
    }
    return new Look(
        nanos,
        joined(regionServers),
        joined(daemons),
        joined(masters).stream().filter(master -> master.page() != null).toList());
  }

  private CompletableFuture<Look.Server> ask(ServerName server, int infoPort, double requests) {
    return CompletableFuture.supplyAsync(
        () -> {
          String name = server.toString();
          if (infoPort <= 0) {
            return new Look.Server(name, requests, null, "it has no web pages");
          }
          try {
            return new Look.Server(
                name, requests, MetricsPage.of(pages, server.getHostname() + ":" + infoPort), "");
          } catch (FileNotFoundException e) {
            return new Look.Server(
                name, requests, null, "it has no page of ours: hbase.http.filter.initializers");
          } catch (IOException e) {
            return new Look.Server(name, requests, null, e.toString());
          }
        },
        threads);
  }

  private static List<Look.Server> joined(List<CompletableFuture<Look.Server>> answers) {
    return answers.stream()
        .map(CompletableFuture::join)
        .sorted((a, b) -> a.name().compareTo(b.name()))
        .toList();
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
