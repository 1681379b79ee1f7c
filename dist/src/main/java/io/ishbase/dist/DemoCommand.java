package io.ishbase.dist;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.Clock;
import io.ishbase.bench.Comparison;
import io.ishbase.bench.GetLoad;
import io.ishbase.bench.JdkClasses;
import io.ishbase.bench.Keys;
import io.ishbase.bench.LoadDriver;
import io.ishbase.bench.Plots;
import io.ishbase.bench.Point;
import io.ishbase.bench.Span;
import io.ishbase.bench.TableFormat;
import io.ishbase.bench.Variant;
import io.ishbase.bench.YcsbTable;
import io.ishbase.bench.report.Report;
import io.ishbase.bench.report.Results;
import io.ishbase.cluster.ClusterNeeds;
import io.ishbase.cluster.Mode;
import io.ishbase.cluster.NetworkRig;
import io.ishbase.dist.cluster.ClusterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code ./ishbase demo}: a real cluster stores and returns the JDK's class files, then answers
 * YCSB's Gets in both modes in turn; what that took is printed and written to {@code target/demo}.
 */
@Command(
    name = "demo",
    description = "Start a real cluster, read in both modes, show what that costs, stop.",
    mixinStandardHelpOptions = true)
final class DemoCommand implements Callable<Integer> {
  private static final int THREADS = 8;
  private static final int DEFAULT_MBPS = 32;
  private static final int ROUNDS = 2;
  private static final long SEED = 1;
  private static final Duration WARM_UP = Duration.ofSeconds(3);
  private static final Duration LEAD_IN = Duration.ofMillis(1000);
  private static final Duration WINDOW = Duration.ofSeconds(4);
  private static final Duration UNCAPPED_WINDOW = Duration.ofSeconds(2);

  private static final Function<Comparison, String> WORDS = c -> c.point().toString();

  @Option(names = "--loopback", description = "Do without network namespaces.")
  private boolean loopback;

  @Option(
      names = "--rows",
      description = "Rows of the YCSB table; ${DEFAULT-VALUE}.",
      defaultValue = "100000")
  private int rows;

  @Option(names = "--mbps", description = "Cap between compute and storage; " + DEFAULT_MBPS + ".")
  private @Nullable Integer mbps;

  @Override
  public Integer call() throws IOException {
    if (rows < 1000 || mbps != null && mbps < 1) {
      throw new CliException("--rows is 1000 or more, --mbps 1 or more");
    }
    if (loopback && mbps != null) {
      throw new CliException("No cap without network namespaces: leave --mbps or --loopback away");
    }
    Path json = Home.demo().resolve("report.json");
    Path html = Home.demo().resolve("report.html");
    ClusterOptions options =
        ClusterOptions.fair(loopback, "in-storage", ClusterNeeds.usualCacheBytes(rows));
    try (TemporaryCluster temporary = TemporaryCluster.start(Home.demo(), options);
        Connection connection =
            ConnectionFactory.createConnection(temporary.cluster().clientConfiguration())) {
      NetworkRig rig = temporary.cluster().rig();
      Results results = new Results("demo", "What in-storage reads do to a network", "");
      Machine.facts().forEach(results::fact);
      results.fact("network", rig.counting());
      Conditions.of(ClusterNeeds.usual(rows).conditions(), rig, results);
      checkJdkClasses(connection, results);
      measureGets(connection, rig, results);
      results.write(json);
      Report report = new Report(List.of(results));
      report.writeHtml(html, "IS-HBase demo");
      temporary.succeeded();
      System.out.println("\n" + report.text());
    }
    System.out.println("Written to " + json + " and " + html);
    return 0;
  }

  private static void checkJdkClasses(Connection connection, Results results) throws IOException {
    JdkClasses classes = new JdkClasses(connection, THREADS);
    classes.store();
    for (Mode mode : Mode.PLAIN) {
      classes.checkByGet(mode);
      classes.checkByScan(mode);
    }
    results.fact("JDK class files, read back right by Get and Scan in both modes", classes.count());
    results.fact("bytes of JDK class files", classes.bytes());
  }

  private void measureGets(Connection connection, NetworkRig rig, Results results)
      throws IOException {
    YcsbTable table =
        new YcsbTable(connection, new YcsbTable.Shape("usertable", rows, TableFormat.PLAIN));
    table.load();
    results.fact("table", table.shape());
    results.fact(
        "block cache bytes, of the region server and of each daemon",
        ClusterNeeds.usualCacheBytes(rows));
    results.fact("client threads", THREADS);
    LoadDriver driver = new LoadDriver(Clock.SYSTEM, rig, THREADS, 0);
    Alternation uncapped = new Alternation(driver, rig, ROUNDS, LEAD_IN, Span.of(UNCAPPED_WINDOW));
    Alternation capped = uncapped.withWindow(Span.of(WINDOW));
    List<Comparison> comparisons = new ArrayList<>();
    for (String distribution : List.of("uniform", "zipfian")) {
      Keys keys = Keys.of(distribution, rows);
      List<Variant> variants =
          Variant.modes(Mode.PLAIN, mode -> new GetLoad(table, keys, 1, mode, SEED));
      Point point = Point.uncapped().with("Gets", distribution);
      uncapped.warmUp("warming up, " + distribution, variants, WARM_UP);
      if (rig.canCap()) {
        comparisons.add(capped.run(point.at(mbps == null ? DEFAULT_MBPS : mbps), variants));
      }
      comparisons.add(uncapped.run(point, variants));
    }
    comparisons.forEach(comparison -> comparison.addTo(results));
    results.plot(
        Plots.bars("Gets a second", "longer is better", WORDS, Plots.PER_SECOND, comparisons));
    results.plot(
        Plots.bars("Mean latency", "ms, shorter is better", WORDS, Plots.MEAN_MILLIS, comparisons));
    results.plot(
        Plots.bars(
            "Network bytes from storage per byte of value",
            "shorter is better",
            WORDS,
            Plots.AMPLIFICATION,
            comparisons));
  }
}
