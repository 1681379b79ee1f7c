package io.ishbase.dist;

import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.scenario.Scenarios;
import io.ishbase.cluster.Mode;
import io.ishbase.dist.cluster.LocalCluster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./ishbase bench}: the measurements behind the published figures. */
@Command(
    name = "bench",
    description = "Measure stock and in-storage side by side.",
    mixinStandardHelpOptions = true)
final class BenchCommand implements Callable<Integer> {
  /** Of any option that is a number. */
  private static final double MOST = 1e12;

  @Spec private CommandSpec spec;

  @Parameters(
      paramLabel = "NAME",
      arity = "0..*",
      description = {
        "What to measure; none: everything. 'list' shows what there is;",
        "'publish' puts what was measured into docs/results."
      })
  private List<String> names = new ArrayList<>();

  @Option(names = "--full", description = "At the size of the published figures, not small.")
  private boolean full;

  @Option(names = "--rounds", description = "Windows for each variant and point; 2, full 4.")
  private int rounds;

  @Option(names = "--seconds", description = "Length of a window; 3, full 10.")
  private double seconds;

  @Option(
      names = "--rows",
      description = "Rows of the usual table, of 1 KB each; 100,000, full 1.3 million.")
  private long rows;

  @Option(
      names = "--bandwidths",
      split = ",",
      description = "In Mbps, 0 for uncapped; each scenario has its own.")
  private List<Integer> bandwidths = new ArrayList<>();

  @Option(names = "--threads", description = "Client threads; 8 unless a scenario says otherwise.")
  private int threads;

  @Option(
      names = "--open-loop",
      paramLabel = "RATE",
      description = "Start operations at this rate per second, whatever the cluster does.")
  private double openLoop;

  @Option(
      names = "--seed",
      description = "Of the random choices; ${DEFAULT-VALUE}.",
      defaultValue = "1")
  private long seed;

  @Option(
      names = "--modes",
      split = ",",
      description =
          "How tables are read, the baseline first; ${DEFAULT-VALUE}. There is auto, too.",
      defaultValue = "stock,in-storage")
  private List<String> modes = new ArrayList<>();

  @Mixin private TableOptions table;

  @Option(
      names = "--replicas",
      description =
          "Of each block in HDFS, 1 to 3; with 3 there are three DataNodes; ${DEFAULT-VALUE}.",
      defaultValue = "1")
  private int replicas;

  @Option(
      names = "--workloads",
      split = ",",
      description =
          "Of archetypes, compaction, memstore or tails, as docs/benchmarks.md names them; all.")
  private List<String> workloads = new ArrayList<>();

  @Option(
      names = "--validate",
      description = "Then hold the simulator against what was measured, as ./ishbase sim validate.")
  private boolean validate;

  @Option(names = "--loopback", description = "Do without network namespaces.")
  private boolean loopback;

  @Option(
      names = "--secure",
      description = {
        "With Kerberos, every connection encrypted and access control: on loopback, whose lines",
        "have no cap."
      })
  private boolean secure;

  @Override
  public Integer call() throws IOException {
    if (names.equals(List.of("list"))) {
      list();
      return 0;
    }
    if (!names.isEmpty() && names.get(0).equals(Publication.NAME)) {
      Publication.of(names.subList(1, names.size()));
      return 0;
    }
    check();
    List<Scenario> chosen = chosen();
    checkWorkloads(chosen);
    BenchOptions options =
        new BenchOptions(
            full,
            loopback || secure,
            secure,
            rounds,
            seconds,
            rows,
            threads,
            bandwidths,
            openLoop,
            seed,
            modes(),
            table.format(),
            replicas,
            workloads);
    new BenchRun(chosen, options, commandLine()).run();
    return !validate || new SimValidation(Home.bench(), Home.sim()).validate() ? 0 : 1;
  }

  private static void list() {
    for (Scenario scenario : Scenarios.all()) {
      System.out.printf("%-16s %s%n", scenario.name(), scenario.description());
      System.out.printf("%-16s seed: %s%n", "", scenario.seedFigures());
    }
  }

  private void check() {
    require("--rounds", rounds, 1);
    require("--seconds", seconds, 0.1);
    require("--rows", rows, 1000);
    require("--threads", threads, 1);
    require("--open-loop", openLoop, 0.1);
    if (replicas < 1 || replicas > LocalCluster.MAX_STORAGE_NODES) {
      throw new CliException(
          "--replicas is 1 to "
              + LocalCluster.MAX_STORAGE_NODES
              + ", as many as there can be DataNodes");
    }
    if (bandwidths.stream().anyMatch(mbps -> mbps < 0)) {
      throw new CliException("--bandwidths are numbers of Mbps, 0 for uncapped: " + bandwidths);
    }
    if (secure && bandwidths.stream().anyMatch(mbps -> mbps > 0)) {
      throw new CliException("A secured cluster has no capped lines: say --bandwidths 0");
    }
  }

  private void checkWorkloads(List<Scenario> chosen) {
    List<String> known = chosen.stream().flatMap(each -> each.workloads().stream()).toList();
    for (String name : workloads) {
      if (!known.contains(name)) {
        throw new CliException(
            "--workloads: There is no workload '"
                + name
                + "'; there are: "
                + (known.isEmpty() ? "none" : String.join(", ", known)));
      }
    }
  }

  private List<Mode> modes() {
    try {
      return modes.stream().map(Mode::of).distinct().toList();
    } catch (IllegalArgumentException e) {
      throw new CliException("--modes: " + e.getMessage());
    }
  }

  private void require(String option, double value, double least) {
    if (spec.commandLine().getParseResult().hasMatchedOption(option)
        && !(value >= least && value <= MOST)) {
      throw new CliException(
          option
              + " is "
              + (least < 1 ? "" + least : "" + (long) least)
              + " or more, and "
              + (long) MOST
              + " at most");
    }
  }

  private List<Scenario> chosen() {
    if (names.isEmpty()) {
      return Scenarios.all();
    }
    return names.stream()
        .distinct()
        .map(
            name ->
                Scenarios.named(name)
                    .orElseThrow(
                        () ->
                            new CliException(
                                "There is no benchmark '"
                                    + name
                                    + "'; there are: "
                                    + String.join(", ", Scenarios.names()))))
        .toList();
  }

  private String commandLine() {
    return "./ishbase "
        + String.join(" ", spec.root().commandLine().getParseResult().originalArgs());
  }
}
