package io.ishbase.dist;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.GetLoad;
import io.ishbase.bench.NetworkRig;
import io.ishbase.bench.Report;
import io.ishbase.bench.YcsbTable;
import io.ishbase.dist.cluster.ClusterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./ishbase bench get-bandwidth}: Gets in both modes in turn, at several bandwidths. */
@Command(
    name = "get-bandwidth",
    description = "Gets in both modes in turn, at several bandwidths between compute and storage.",
    mixinStandardHelpOptions = true)
final class GetBandwidthCommand implements Callable<Integer> {
  private static final int FULL_ROWS = 1_300_000;
  private static final Duration WARM_UP = Duration.ofSeconds(20);
  private static final Duration LEAD_IN = Duration.ofSeconds(3);

  @Option(
      names = "--rows",
      description = "Rows of 1 KB; ${DEFAULT-VALUE}.",
      defaultValue = "200000")
  private int rows;

  @Option(names = "--full", description = "As many rows as the published baseline: 1.3 million.")
  private boolean full;

  @Option(
      names = "--seconds",
      description = "Length of a window; ${DEFAULT-VALUE}.",
      defaultValue = "15")
  private int seconds;

  @Option(
      names = "--rounds",
      description = "Windows for each mode and bandwidth; ${DEFAULT-VALUE}.",
      defaultValue = "3")
  private int rounds;

  @Option(
      names = "--bandwidths",
      split = ",",
      description = "In Mbps, 0 for uncapped; ${DEFAULT-VALUE}.",
      defaultValue = "8,32,128,512,0")
  private List<Integer> bandwidths;

  @Option(
      names = "--distribution",
      description = "uniform or zipfian; ${DEFAULT-VALUE}.",
      defaultValue = "uniform")
  private String distribution;

  @Option(
      names = "--threads",
      description = "Client threads; ${DEFAULT-VALUE}.",
      defaultValue = "8")
  private int threads;

  @Option(names = "--loopback", description = "Do without network namespaces.")
  private boolean loopback;

  @Override
  public Integer call() throws IOException {
    check();
    int count = full ? FULL_ROWS : rows;
    Path json = Home.bench().resolve("get-bandwidth.json");
    ClusterOptions options = ClusterOptions.fair(loopback, "stock", BlockCache.bytesFor(count));
    try (TemporaryCluster temporary = TemporaryCluster.start(Home.bench(), options);
        Connection connection =
            ConnectionFactory.createConnection(temporary.cluster().clientConfiguration())) {
      NetworkRig rig = temporary.cluster().rig();
      Report report = new Report("Gets by bandwidth", rig.counting());
      report.fact("rows", count);
      report.fact("value bytes", YcsbTable.VALUE_BYTES);
      report.fact(
          "block cache bytes, of the region server and of each daemon", BlockCache.bytesFor(count));
      report.fact("client threads", threads);
      report.fact("seconds of a window", seconds);
      measure(new YcsbTable(connection, count), rig, report);
      report.writeJson(json);
      report.writeHtml(Home.bench().resolve("get-bandwidth.html"));
      temporary.succeeded();
      System.out.println("\n" + report.text());
    }
    System.out.println("Written to " + json);
    return 0;
  }

  private void check() {
    if (rows < 1000 || seconds < 1 || rounds < 1 || threads < 1) {
      throw new CliException("--rows is 1000 or more, --seconds, --rounds, --threads 1 or more");
    }
    if (bandwidths.stream().anyMatch(mbps -> mbps < 0)) {
      throw new CliException("--bandwidths are numbers of Mbps, 0 for uncapped: " + bandwidths);
    }
    if (!List.of("uniform", "zipfian").contains(distribution)) {
      throw new CliException("--distribution is uniform or zipfian, not '" + distribution + "'");
    }
  }

  private void measure(YcsbTable table, NetworkRig rig, Report report) throws IOException {
    table.load();
    List<Integer> possible = new ArrayList<>(bandwidths);
    if (!rig.canCap() && possible.removeIf(mbps -> mbps > 0)) {
      System.err.println("No caps without network namespaces: measuring uncapped only.");
    }
    String words = distribution + " Gets";
    GetLoad load = new GetLoad(table, distribution, threads, rig);
    Alternation.warmUp(words, load, rig, WARM_UP);
    Alternation alternation = new Alternation(rig, rounds, LEAD_IN, Duration.ofSeconds(seconds));
    for (int mbps : possible) {
      report.add(alternation.run(words, load, mbps));
    }
  }
}
