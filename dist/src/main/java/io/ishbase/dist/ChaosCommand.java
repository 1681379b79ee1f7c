package io.ishbase.dist;

import io.ishbase.cluster.ClusterNeeds.Daemon;
import io.ishbase.cluster.ClusterNeeds.RegionServer;
import io.ishbase.dist.chaos.ChaosRun;
import io.ishbase.dist.cluster.ClusterOptions;
import io.ishbase.dist.cluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code ./ishbase chaos}: a real cluster whose servers are killed, stopped and slowed down while
 * clients read and write, and what they were answered, checked.
 */
@Command(
    name = "chaos",
    description =
        "Kill, stop and slow down servers of a real cluster while clients read and write; check"
            + " every answer.",
    mixinStandardHelpOptions = true)
final class ChaosCommand implements Callable<Integer> {
  private static final long CACHE_BYTES = 16L << 20;

  @Option(
      names = "--minutes",
      description = "How long something goes wrong; ${DEFAULT-VALUE}.",
      defaultValue = "10")
  private double minutes;

  @Option(
      names = "--seed",
      description = "Of what goes wrong and what clients do; drawn if none is given.")
  private Long seed;

  @Option(names = "--clients", description = "At once; ${DEFAULT-VALUE}.", defaultValue = "6")
  private int clients;

  @Option(names = "--loopback", description = "Do without network namespaces.")
  private boolean loopback;

  @Override
  public Integer call() throws IOException {
    if (!(minutes > 0) || minutes > 24 * 60 || clients < 1 || clients > 12) {
      throw new CliException("--minutes is more than 0 and a day at most, --clients 1 to 12");
    }
    Map<String, String> site =
        Map.of(
            "dfs.replication", "2",
            "zookeeper.session.timeout", "12000",
            "hbase.hstore.compactionThreshold", "3",
            "ishbase.cache.bytes", Long.toString(CACHE_BYTES),
            "ishbase.compaction", "offload",
            "ishbase.compaction.min.bytes", "0",
            "ishbase.verify.share", "100");
    ClusterOptions options =
        new ClusterOptions(
            loopback,
            "auto",
            Daemon.caching(CACHE_BYTES),
            site,
            Collections.nCopies(ChaosRun.REGION_SERVERS, RegionServer.caching(CACHE_BYTES)),
            0,
            ChaosRun.STORAGE_NODES,
            false);
    long drawn = seed == null ? System.nanoTime() : seed;
    Path dir = Home.chaos();
    try (TemporaryCluster temporary = TemporaryCluster.start(dir, options)) {
      Files.createDirectories(dir);
      LocalCluster cluster = temporary.cluster();
      ChaosRun run =
          new ChaosRun(
              cluster.clientConfiguration(),
              cluster.rig(),
              (kind, number) -> cluster.server(kind, number, options),
              clients,
              drawn,
              dir.resolve("events.log"));
      ChaosRun.Report report = run.run(Duration.ofMillis((long) (minutes * 60_000)));
      System.out.println(report);
      if (report.isRight()) {
        temporary.succeeded();
        return 0;
      }
      return 1;
    }
  }
}
