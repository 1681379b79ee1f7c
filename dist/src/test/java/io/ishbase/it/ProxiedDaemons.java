package io.ishbase.it;

import io.ishbase.daemon.Issn;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;

/** A daemon beside each DataNode of a cluster, each behind a proxy that counts its bytes. */
final class ProxiedDaemons implements AutoCloseable {
  private final List<FaultyProxy> proxies = new ArrayList<>();
  private final List<Issn> daemons = new ArrayList<>();

  static ProxiedDaemons start(MiniCluster cluster) throws Exception {
    ProxiedDaemons started = new ProxiedDaemons();
    for (DataNode dataNode : cluster.util.getDFSCluster().getDataNodes()) {
      Configuration conf = cluster.daemonConf(dataNode);
      FaultyProxy proxy = new FaultyProxy();
      started.proxies.add(proxy);
      proxy.standBefore(conf);
      Issn daemon = new Issn(conf);
      started.daemons.add(daemon);
      daemon.start();
    }
    return started;
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
  void set(FaultyProxy.Mode mode) {
    proxies.forEach(proxy -> proxy.set(mode));
  }

  @Override
  public void close() throws Exception {
    for (Issn daemon : daemons) {
      daemon.close();
    }
    for (FaultyProxy proxy : proxies) {
      proxy.close();
    }
  }
}
