package io.ishbase.it;

import io.ishbase.daemon.Issn;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;

/** A daemon beside each DataNode of a cluster, each behind a proxy that counts its bytes. */
public final class ProxiedDaemons implements AutoCloseable {
  private final List<FaultyProxy> proxies = new ArrayList<>();
  private final List<Configuration> confs = new ArrayList<>();

  /** In the proxies' order; null where one is stopped. */
  private final List<Issn> daemons = new ArrayList<>();

  public static ProxiedDaemons start(MiniCluster cluster) throws Exception {
    ProxiedDaemons started = new ProxiedDaemons();
    for (DataNode dataNode : cluster.util.getDFSCluster().getDataNodes()) {
      Configuration conf = cluster.daemonConf(dataNode);
      FaultyProxy proxy = new FaultyProxy();
      started.proxies.add(proxy);
      proxy.standBefore(conf);
      started.confs.add(conf);
      started.daemons.add(null);
    }
    started.startAll();
    cluster.awaitAnswering(MiniCluster.addresses(started.daemons));
    return started;
  }

  /** Starts those that are stopped, at their old ports. */
  public void startAll() throws IOException {
    for (int node = 0; node < daemons.size(); node++) {
      if (daemons.get(node) == null) {
        Issn daemon = new Issn(confs.get(node));
        daemon.start();
        daemons.set(node, daemon);
      }
    }
  }

  /** Stops the daemon beside the DataNode of that number, if it runs. */
  public void stop(int node) throws IOException {
    Issn daemon = daemons.set(node, null);
    if (daemon != null) {
      daemon.close();
    }
  }

  /** Bytes that the daemon beside the DataNode of that number has sent. */
  long bytesToClient(int node) {
    return proxies.get(node).bytesToClient();
  }

  /** Bytes that all have sent. */
  long bytesToClient() {
    return proxies.stream().mapToLong(FaultyProxy::bytesToClient).sum();
  }

  /** Bytes that all have been sent. */
  long bytesToDaemons() {
    return proxies.stream().mapToLong(FaultyProxy::bytesToServer).sum();
  }

  /** From now on all proxies do that. */
  public void set(FaultyProxy.Mode mode) {
    proxies.forEach(proxy -> proxy.set(mode));
  }

  /** From now on the proxy of the daemon beside the DataNode of that number does that. */
  public void set(int node, FaultyProxy.Mode mode) {
    proxies.get(node).set(mode);
  }

  @Override
  public void close() throws Exception {
    for (int node = 0; node < daemons.size(); node++) {
      stop(node);
    }
    for (FaultyProxy proxy : proxies) {
      proxy.close();
    }
  }
}
