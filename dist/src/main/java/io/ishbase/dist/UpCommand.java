package io.ishbase.dist;

import io.ishbase.core.ReadMode;
import io.ishbase.dist.cluster.ClusterOptions;
import io.ishbase.dist.cluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
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
      names = "--secure",
      description = {
        "With Kerberos, encrypted connections and access control; without network",
        "namespaces. Prints how clients log in."
      })
  private boolean secure;

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

  @Option(
      names = "--region-servers",
      paramLabel = "N",
      description = "How many, 1 to " + ClusterOptions.MAX_REGION_SERVERS + "; ${DEFAULT-VALUE}.",
      defaultValue = "1")
  private int regionServers;

  @Option(
      names = "--memory",
      paramLabel = "BYTES",
      description = {
        "What each region server gets, most of it off the heap: ${DEFAULT-VALUE}, as the machine",
        "has it; or a size as 4G; stock: HBase's defaults, with all on the heap."
      },
      defaultValue = "auto")
  private String memory;

  @Mixin private ServerSettings servers;

  @Override
  public Integer call() throws IOException {
    ReadMode mode = ReadMode.of(read);
    if (mode == null) {
      throw new CliException("--read is in-storage, auto or stock, not '" + read + "'");
    }
    if (mbps > 0 && (secure || loopback)) {
      throw new CliException(
          "No cap without network namespaces: leave --mbps or %s away"
              .formatted(secure ? "--secure" : "--loopback"));
    }
    if (mbps < 0) {
      throw new CliException("--mbps is 0 or more, not " + mbps);
    }
    if (regionServers < 1 || regionServers > ClusterOptions.MAX_REGION_SERVERS) {
      throw new CliException(
          "--region-servers is 1 to "
              + ClusterOptions.MAX_REGION_SERVERS
              + ", not "
              + regionServers);
    }
    Map<String, String> site = servers.site();
    List<Path> jars = servers.jars();
    Optional<LocalCluster> before = LocalCluster.open(Home.cluster());
    if (before.filter(LocalCluster::isAlive).isPresent()) {
      throw new CliException("A cluster runs already: see ./ishbase status, or ./ishbase down");
    }
    if (before.filter(LocalCluster::hasLivingOwner).isPresent()) {
      throw new CliException("Another ./ishbase up is at work here: wait for its end, or end it");
    }
    LocalMemory local =
        LocalMemory.of(
            memory,
            MachineLimits.memoryBytes(),
            MachineLimits.processors(),
            regionServers,
            mode,
            JvmProbe.ask(JvmProbe.own()),
            site);
    before.ifPresent(LocalCluster::stop);
    local.explanation().forEach(System.out::println);
    ClusterOptions options =
        ClusterOptions.general(loopback, read, regionServers, local.each(), site);
    LocalCluster cluster = start(secure ? options.withSecurity() : options, jars);
    StatusCommand.addresses(cluster).forEach(System.out::println);
    System.out.println(
        "That directory on its class path makes any client of HBase 2.x and HDFS one of this"
            + " cluster: reads, bulk loads, map-reduce.");
    System.out.println("Try ./ishbase create t f, then put, scan, flush, compact, alter, tables.");
    System.out.println(
        "Stop it with ./ishbase down; data and addresses stay for the next ./ishbase up.");
    return 0;
  }

  private LocalCluster start(ClusterOptions options, List<Path> jars) throws IOException {
    AtomicReference<LocalCluster> cluster = new AtomicReference<>();
    try (Lifetime lifetime =
        new Lifetime(() -> Optional.ofNullable(cluster.get()).ifPresent(LocalCluster::stop))) {
      synchronized (lifetime) {
        cluster.set(LocalCluster.prepare(Home.cluster(), options, Lifetime::say));
      }
      if (mbps > 0 && !cluster.get().rig().canCap()) {
        throw new CliException("No cap without network namespaces: leave --mbps away");
      }
      Home.start(cluster.get(), options, jars);
      cluster.get().rig().capMbps(mbps);
      lifetime.release();
      return cluster.get();
    }
  }
}
