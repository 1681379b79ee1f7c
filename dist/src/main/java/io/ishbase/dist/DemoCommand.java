package io.ishbase.dist;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.GetLoad;
import io.ishbase.bench.JdkClasses;
import io.ishbase.bench.Mode;
import io.ishbase.bench.NetworkRig;
import io.ishbase.bench.Report;
import io.ishbase.bench.YcsbTable;
import io.ishbase.dist.cluster.ClusterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
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
  private static final int ROUNDS = 2;
  private static final Duration WARM_UP = Duration.ofSeconds(3);
  private static final Duration LEAD_IN = Duration.ofMillis(1000);
  private static final Duration WINDOW = Duration.ofSeconds(4);
  private static final Duration UNCAPPED_WINDOW = Duration.ofSeconds(2);

  @Option(names = "--loopback", description = "Do without network namespaces.")
  private boolean loopback;

  @Option(
      names = "--rows",
      description = "Rows of the YCSB table; ${DEFAULT-VALUE}.",
      defaultValue = "100000")
  private int rows;

  @Option(
      names = "--mbps",
      description = "Cap between compute and storage; ${DEFAULT-VALUE}.",
      defaultValue = "32")
  private int mbps;

  @Override
  public Integer call() throws IOException {
    if (rows < 1000 || mbps < 1) {
      throw new CliException("--rows is 1000 or more, --mbps 1 or more");
    }
    Path json = Home.demo().resolve("report.json");
    Path html = Home.demo().resolve("report.html");
    ClusterOptions options = ClusterOptions.fair(loopback, "in-storage", BlockCache.bytesFor(rows));
    try (TemporaryCluster temporary = TemporaryCluster.start(Home.demo(), options);
        Connection connection =
            ConnectionFactory.createConnection(temporary.cluster().clientConfiguration())) {
      NetworkRig rig = temporary.cluster().rig();
      Report report = new Report("IS-HBase demo", rig.counting());
      checkJdkClasses(connection, report);
      measureGets(connection, rig, report);
      report.writeJson(json);
      report.writeHtml(html);
      temporary.succeeded();
      System.out.println("\n" + report.text());
    }
    System.out.println("Written to " + json + " and " + html);
    return 0;
  }

  private static void checkJdkClasses(Connection connection, Report report) throws IOException {
    JdkClasses classes = new JdkClasses(connection, THREADS);
    classes.store();
    for (Mode mode : Mode.values()) {
      classes.checkByGet(mode);
      classes.checkByScan(mode);
    }
    report.fact("JDK class files, read back right by Get and Scan in both modes", classes.count());
    report.fact("bytes of JDK class files", classes.bytes());
  }

  private void measureGets(Connection connection, NetworkRig rig, Report report)
      throws IOException {
    YcsbTable table = new YcsbTable(connection, rows);
    table.load();
    report.fact("YCSB rows", rows);
    report.fact("YCSB value bytes", YcsbTable.VALUE_BYTES);
    report.fact(
        "block cache bytes, of the region server and of each daemon", BlockCache.bytesFor(rows));
    report.fact("client threads", THREADS);
    Alternation uncapped = new Alternation(rig, ROUNDS, LEAD_IN, UNCAPPED_WINDOW);
    Alternation capped = new Alternation(rig, ROUNDS, LEAD_IN, WINDOW);
    for (String distribution : List.of("uniform", "zipfian")) {
      String words = distribution + " Gets";
      GetLoad load = new GetLoad(table, distribution, THREADS, rig);
      Alternation.warmUp(words, load, rig, WARM_UP);
      if (rig.canCap()) {
        report.add(capped.run(words, load, mbps));
      }
      report.add(uncapped.run(words, load, 0));
    }
  }
}
