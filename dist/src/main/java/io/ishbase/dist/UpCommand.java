package io.ishbase.dist;

import io.ishbase.core.ReadMode;
import io.ishbase.dist.cluster.ClusterOptions;
import io.ishbase.dist.cluster.LocalCluster;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./ishbase up}: starts a cluster for any HBase client and leaves it running. */
@Command(
    name = "up",
    description = "Start a local cluster and leave it running.",
    mixinStandardHelpOptions = true)
final class UpCommand implements Callable<Integer> {
  @Option(names = "--loopback", description = "Do without network namespaces.")
  private boolean loopback;

  @Option(
      names = "--read",
      description = "How tables are read that do not say: ${DEFAULT-VALUE}, auto or stock.",
      defaultValue = "in-storage")
  private String read;

  @Option(
      names = "--mbps",
      description = "Cap between compute and storage; 0, the default: none.",
      defaultValue = "0")
  private int mbps;

  @Override
  public Integer call() throws IOException {
    if (ReadMode.of(read) == null) {
      throw new CliException("--read is in-storage, auto or stock, not '" + read + "'");
    }
    if (mbps < 0) {
      throw new CliException("--mbps is 0 or more, not " + mbps);
    }
    Optional<LocalCluster> before = LocalCluster.open(Home.cluster());
    if (before.filter(LocalCluster::isAlive).isPresent()) {
      throw new CliException("A cluster runs already: see ./ishbase status, or ./ishbase down");
    }
    before.ifPresent(LocalCluster::stop);
    LocalCluster cluster = start(ClusterOptions.general(loopback, read));
    System.out.println("ZooKeeper      " + cluster.zooKeeper());
    System.out.println("client config  " + cluster.clientSite());
    System.out.println("region server  " + cluster.regionServerPage());
    System.out.println(
        "Connect any HBase 2.x client with hbase.zookeeper.quorum and .property.clientPort as"
            + " above, or with the directory of that file on its class path.");
    System.out.println("Stop it with ./ishbase down; its data stays for the next ./ishbase up.");
    return 0;
  }

  private LocalCluster start(ClusterOptions options) throws IOException {
    AtomicReference<LocalCluster> cluster = new AtomicReference<>();
    try (Lifetime lifetime =
        new Lifetime(() -> Optional.ofNullable(cluster.get()).ifPresent(LocalCluster::stop))) {
      synchronized (lifetime) {
        cluster.set(LocalCluster.prepare(Home.cluster(), options, Lifetime::say));
      }
      if (mbps > 0 && !cluster.get().rig().canCap()) {
        throw new CliException("No cap without network namespaces: leave --mbps away");
      }
      Home.start(cluster.get(), options);
      cluster.get().rig().capMbps(mbps);
      lifetime.release();
      return cluster.get();
    }
  }
}
