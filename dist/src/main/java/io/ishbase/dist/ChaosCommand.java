package io.ishbase.dist;

import io.ishbase.cluster.ClusterNeeds.Daemon;
import io.ishbase.cluster.ClusterNeeds.RegionServer;
import io.ishbase.cluster.Mode;
import io.ishbase.dist.chaos.ChaosRun;
import io.ishbase.dist.chaos.IntegrationRun;
import io.ishbase.dist.chaos.TestClient;
import io.ishbase.dist.cluster.ClusterOptions;
import io.ishbase.dist.cluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.mob.DefaultMobStoreCompactor;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.compactions.DefaultCompactor;
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
  private static final String HISTORIES = "histories";
  private static final String BIG_LINKED_LIST = "big-linked-list";
  private static final long CACHE_BYTES = 16L << 20;
  private static final long MOST_NODES = 1_000_000_000;

  /**
   * Of a log that was begun while a disk was full HDFS recovers nothing, ever; HBase would wait a
   * quarter of an hour, in which nothing fails or changes.
   */
  private static final String LEASE_RECOVERY = "hbase.lease.recovery.timeout";

  private static final int LEASE_RECOVERY_MILLIS = 180_000;

  private static final String SESSION = "zookeeper.session.timeout";
  private static final int SESSION_MILLIS = 12_000;
  private static final int REGION_SERVERS = 2;

  /** One more than there are replicas, or a region server that cannot write its log would end. */
  private static final int STORAGE_NODES = 3;

  private static final int COMPACTION_SERVERS = 1;
  private static final List<Mode> STOCK = List.of(Mode.STOCK);

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

  @Option(
      names = "--workload",
      description = "histories, or HBase's own test, big-linked-list; ${DEFAULT-VALUE}.",
      defaultValue = HISTORIES)
  private String workload;

  @Option(
      names = "--nodes",
      description =
          "Rows of each list of big-linked-list, one list after the other; ${DEFAULT-VALUE}.",
      defaultValue = "200000")
  private long nodes;

  @Option(names = "--stock", description = "With nothing of IS-HBase, to know whose fault it is.")
  private boolean stock;

  @Option(names = "--loopback", description = "Do without network namespaces.")
  private boolean loopback;

  @Override
  public Integer call() throws IOException {
    if (!(minutes > 0) || minutes > 24 * 60 || clients < 1 || clients > 12) {
      throw new CliException("--minutes is more than 0 and a day at most, --clients 1 to 12");
    }
    if (nodes < 1 || nodes > MOST_NODES) {
      throw new CliException("--nodes is 1 to " + MOST_NODES);
    }
    boolean isTest = workload.equals(BIG_LINKED_LIST);
    if (!isTest && !workload.equals(HISTORIES)) {
      throw new CliException(
          "There is no workload '%s'; there are: %s, %s"
              .formatted(workload, HISTORIES, BIG_LINKED_LIST));
    }
    Path classPath = isTest ? Home.hbaseTests() : null;
    ClusterOptions options = options();
    long drawn = seed == null ? System.nanoTime() : seed;
    Path dir = Home.chaos();
    try (TemporaryCluster temporary = TemporaryCluster.start(dir, options)) {
      Files.createDirectories(dir);
      LocalCluster cluster = temporary.cluster();
      cluster.startCompactionServer(options);
      Path events = dir.resolve("events.log");
      Duration time = Duration.ofMillis((long) (minutes * 60_000));
      boolean isRight;
      if (classPath != null) {
        TestClient client = new TestClient(cluster, options, classPath);
        List<Mode> verified = stock ? STOCK : List.of(Mode.IN_STORAGE, Mode.STOCK);
        IntegrationRun.Report report =
            new IntegrationRun(cluster, options, client, nodes, verified, drawn, events).run(time);
        System.out.println(report);
        isRight = report.isRight();
      } else {
        List<Mode> modes = stock ? STOCK : List.of(Mode.values());
        ChaosRun.Report report =
            new ChaosRun(cluster, options, modes, clients, drawn, events).run(time);
        System.out.println(report);
        isRight = report.isRight();
      }
      if (isRight) {
        temporary.succeeded();
      }
      return isRight ? 0 : 1;
    }
  }

  private ClusterOptions options() {
    Map<String, String> site =
        new TreeMap<>(
            Map.of(
                "dfs.replication",
                "2",
                SESSION,
                "" + SESSION_MILLIS,
                "hbase.hstore.compactionThreshold",
                "3",
                LEASE_RECOVERY,
                "" + LEASE_RECOVERY_MILLIS));
    if (stock) {
      site.put("hbase.hregion.impl", HRegion.class.getName());
      site.put("hbase.hstore.defaultengine.compactor.class", DefaultCompactor.class.getName());
      site.put("hbase.hstore.mobengine.compactor.class", DefaultMobStoreCompactor.class.getName());
      site.put("hbase.coprocessor.master.classes", "");
    } else {
      site.put("ishbase.cache.bytes", Long.toString(CACHE_BYTES));
      site.put("ishbase.cache.file", "${java.io.tmpdir}/rows");
      site.put("ishbase.cache.restart.directory", "${java.io.tmpdir}/restart");
      site.put("hbase.master.scp.retain.assignment", "true");
      site.put("ishbase.memstore", "auto");
      site.put("ishbase.compaction", "offload");
      site.put("ishbase.compaction.min.bytes", "0");
      site.put("ishbase.verify.share", "100");
    }
    ClusterOptions options =
        new ClusterOptions(
            loopback,
            stock ? "stock" : "auto",
            Daemon.caching(CACHE_BYTES).with(SESSION, SESSION_MILLIS),
            site,
            Collections.nCopies(REGION_SERVERS, RegionServer.caching(CACHE_BYTES)),
            COMPACTION_SERVERS,
            STORAGE_NODES,
            false);
    return options.withOwnClocks();
  }
}
