package io.ishbase.bench.scenario;

import io.ishbase.bench.Alternation;
import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.CompactionMode;
import io.ishbase.bench.Comparison;
import io.ishbase.bench.Counters;
import io.ishbase.bench.GetLoad;
import io.ishbase.bench.Keys;
import io.ishbase.bench.LoadDriver;
import io.ishbase.bench.Order;
import io.ishbase.bench.Point;
import io.ishbase.bench.Sample;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Span;
import io.ishbase.bench.Variant;
import io.ishbase.bench.YcsbTable;
import io.ishbase.bench.report.Plot;
import io.ishbase.cluster.ClusterNeeds;
import io.ishbase.cluster.ClusterServer.Kind;
import io.ishbase.cluster.Mode;
import io.ishbase.cluster.Progress;
import io.ishbase.cluster.RegionServerJmx;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;

/**
 * {@code tails}: latencies of uniform Gets in an open loop, up to one in ten thousand, at shares of
 * what each variant can do, while all is well and while a server of a storage node is not. Each
 * block has two replicas, so that another node holds what is asked for.
 */
final class Tails implements Scenario {
  private static final List<Integer> SHARES = List.of(30, 50, 70);

  /** The share that the plots show. */
  private static final int PLOTTED_SHARE = 50;

  private static final List<Integer> BANDWIDTHS = List.of(0);
  private static final int REPLICAS = 2;

  /** More than a region server has handlers, so that operations wait there and not for a thread. */
  private static final int OPEN_THREADS = 32;

  /** In which part of a window nothing is disturbed yet. */
  private static final int CALM_PART = 3;

  private static final Duration RECOVERY_LIMIT = Duration.ofMinutes(3);

  /** Reads for so long until the code of a daemon that has begun again is compiled. */
  private static final Duration COMPILED = Duration.ofSeconds(20);

  private static final long POLL_NANOS = Duration.ofMillis(200).toNanos();
  private static final double SECONDS_OF_RECOVERY = 15;

  /** What is measured under, by the names of {@code --workloads}. */
  private enum State {
    HEALTHY("healthy", true),
    PAUSED("one daemon paused", false),
    SLOW("one daemon ten times slower", false),
    KILLED("one daemon killed", false),
    RESTARTED("one daemon killed, started again at once", false),
    DATANODE("one DataNode dead", true),
    COMPACTION("compactions", true);

    private final String words;

    /** Whether stock HBase notices. */
    private final boolean forStock;

    State(String words, boolean forStock) {
      this.words = words;
      this.forStock = forStock;
    }

    String workload() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Whether a daemon begins again in it. */
    boolean beginsAgain() {
      return this == KILLED || this == RESTARTED;
    }
  }

  @Override
  public String name() {
    return "tails";
  }

  @Override
  public String description() {
    return "Latencies of Gets in an open loop up to 99.99 %, while all is well and while it is not";
  }

  @Override
  public String seedFigures() {
    return "";
  }

  @Override
  public List<String> workloads() {
    return List.of(State.values()).stream().map(State::workload).toList();
  }

  private static List<State> states(BenchOptions options) {
    return List.of(State.values()).stream()
        .filter(
            state ->
                options.workloads().isEmpty()
                    ? state != State.DATANODE
                    : options.workloads().contains(state.workload()))
        .toList();
  }

  @Override
  public ClusterNeeds needs(BenchOptions options) {
    ClusterNeeds needs = ClusterNeeds.usual(options.rowsOrPreset()).withReplicas(REPLICAS);
    return needs.withStorageNodes(storageNodes(options));
  }

  /**
   * Without a DataNode HDFS still writes what HBase logs, on as many others as there are replicas.
   */
  private static int storageNodes(BenchOptions options) {
    return states(options).contains(State.DATANODE) ? REPLICAS + 1 : REPLICAS;
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    int bandwidths =
        options.bandwidths().isEmpty() ? BANDWIDTHS.size() : options.bandwidths().size();
    double windows = options.modes().size() * options.roundsOrPreset();
    double recoveries = 0;
    double compiled = 0;
    for (State state : states(options)) {
      int variants = state.forStock ? options.modes().size() : options.modes().size() - 1;
      int each = SHARES.size() * variants * options.roundsOrPreset();
      windows += each;
      recoveries += state == State.HEALTHY ? 0 : each;
      compiled += state.beginsAgain() ? each : 0;
    }
    return options.rowsOrPreset() * 2e-4
        + 2 * options.firstWarmUp().toSeconds()
        + bandwidths
            * (options.secondsOf((int) Math.round(windows))
                + recoveries * SECONDS_OF_RECOVERY
                + compiled * COMPILED.toSeconds());
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    note(context);
    YcsbTable table = YcsbTable.shared(context, options.usualTable());
    Keys keys = Keys.uniform(table.shape().rows());
    List<RegionServerJmx> servers = new ArrayList<>();
    try (Admin admin = context.connection().getAdmin()) {
      for (ServerName server : admin.getRegionServers()) {
        servers.add(RegionServerJmx.of(admin, server));
      }
    }
    CountedFailures failures = new CountedFailures();
    List<Subject> subjects = new ArrayList<>();
    for (Mode mode : options.modes()) {
      Counters counters = failures::counters;
      if (mode != Mode.STOCK) {
        for (RegionServerJmx server : servers) {
          counters = counters.and(server::inStorageReads);
        }
      }
      GetLoad gets = new GetLoad(table, keys, 1, mode, options.seed());
      subjects.add(new Subject(mode, new Variant(mode.toString(), failures.of(gets), counters)));
    }
    Run run = new Run(context, table, servers, failures, subjects);
    for (int mbps : context.bandwidths(BANDWIDTHS, BANDWIDTHS)) {
      run.at(mbps);
    }
  }

  private static void note(ScenarioContext context) {
    context
        .results()
        .note(
            "Percentiles are medians of the windows, max is the largest of all. Latency counts from"
                + " when an operation was due, and every one counts that was due. load % is of what the variant itself does in a closed"
                + " loop, which the rows of 100 % show. A window is disturbed from its first third on"
                + " to its end, storage node 1 in one round and the next node in the next. A daemon does"
                + " nothing for stock reads: of stock only healthy, datanode and compaction are"
                + " measured. A daemon that starts has the processors of all for seconds:"
                + " a daemon killed begins again behind the window, unless it is started again"
                + " at once; then all is read for "
                + COMPILED.toSeconds()
                + " s before the next window. A DataNode dies only where --workloads names that, and of three, as"
                + " nothing could be written on fewer than two: each block of the table lies on two of them.");
    context
        .results()
        .note(
            "In windows of fewer than 10,000 operations p99.99 is the slowest of all. Counters are"
                + " up to a second old. extra %: requests that went to another node, or once more"
                + " alone, of the reads that were sent to nodes.");
    context.results().fact("client threads of open loops", threads(context.options()));
  }

  private static int threads(BenchOptions options) {
    return options.threads() > 0 ? options.threads() : OPEN_THREADS;
  }

  /** A way of reading. */
  private record Subject(Mode mode, Variant variant) {
    String name() {
      return variant.name();
    }
  }

  /** The measurements on one table. */
  private static final class Run {
    private final ScenarioContext context;
    private final BenchOptions options;
    private final YcsbTable table;
    private final List<RegionServerJmx> servers;
    private final CountedFailures failures;
    private final List<Subject> subjects;

    Run(
        ScenarioContext context,
        YcsbTable table,
        List<RegionServerJmx> servers,
        CountedFailures failures,
        List<Subject> subjects) {
      this.context = context;
      this.options = context.options();
      this.table = table;
      this.servers = servers;
      this.failures = failures;
      this.subjects = subjects;
    }

    void at(int mbps) throws IOException {
      Comparison peaks = peaks(mbps);
      Map<String, List<Plot.Series>> lines = new LinkedHashMap<>();
      subjects.forEach(subject -> lines.put(subject.name(), new ArrayList<>()));
      for (State state : states(options)) {
        List<Subject> some =
            subjects.stream()
                .filter(subject -> state.forStock || subject.mode != Mode.STOCK)
                .toList();
        for (int share : some.isEmpty() ? List.<Integer>of() : SHARES) {
          Comparison comparison = measure(state, share, mbps, some, peaks);
          if (share == PLOTTED_SHARE) {
            for (Subject subject : some) {
              Sample all = comparison.all(subject.name());
              lines
                  .get(subject.name())
                  .add(LatencyByPercentile.series(state.workload(), all.latency()));
            }
          }
        }
      }
      lines.forEach(
          (variant, series) -> {
            if (!series.isEmpty()) {
              context
                  .results()
                  .plot(
                      LatencyByPercentile.plot(
                          variant
                              + " at "
                              + PLOTTED_SHARE
                              + " % of its peak, "
                              + Point.uncapped().at(mbps).cap(),
                          series));
            }
          });
    }

    private Comparison peaks(int mbps) throws IOException {
      List<Variant> variants = subjects.stream().map(Subject::variant).toList();
      Alternation alternation = context.alternation(context.driver(options.threadsOrPreset(), 0));
      context.warmUp("Gets", alternation, variants);
      Comparison peaks =
          alternation.run(
              Point.uncapped().with("state", "healthy, closed loop").with("load %", 100).at(mbps),
              variants);
      Map<String, Double> rates = new LinkedHashMap<>();
      peaks
          .variants()
          .forEach(variant -> rates.put(variant, peaks.median(variant, Sample::perSecond)));
      peaks.addTo(context.results(), TailRows.of(peaks, rates));
      return peaks;
    }

    private Comparison measure(
        State state, int share, int mbps, List<Subject> some, Comparison peaks) throws IOException {
      Point point =
          Point.uncapped()
              .with("state", state.words)
              .with("load %", share)
              .at(mbps)
              .target("errors 0");
      Comparison comparison = new Comparison(point, some.stream().map(Subject::name).toList());
      Map<String, Double> rates = new LinkedHashMap<>();
      for (Subject subject : some) {
        double peak = peaks.median(subject.name(), Sample::perSecond);
        rates.put(subject.name(), peak * share / 100);
      }
      context.rig().capMbps(mbps);
      double failed = failures.counters().get(CountedFailures.NAME);
      try (Progress progress =
          Progress.ofSeconds(
              point.toString(), options.secondsOf(some.size() * options.roundsOrPreset()))) {
        for (int round = 0; round < options.roundsOrPreset(); round++) {
          Map<String, Sample> samples = new LinkedHashMap<>();
          for (Subject subject : Order.ofRound(round, some)) {
            progress.note(subject.name());
            double rate = rates.get(subject.name());
            int node = 1 + round % storageNodes(options);
            samples.put(subject.name(), window(state, subject, rate, node));
          }
          comparison.addRound(samples);
        }
        progress.done(inShort(comparison));
      } finally {
        context.rig().capMbps(0);
      }
      if (failures.counters().get(CountedFailures.NAME) > failed) {
        comparison.notes().add("the first error of all: " + failures.first());
      }
      comparison.addTo(context.results(), TailRows.of(comparison, rates));
      return comparison;
    }

    private static String inShort(Comparison comparison) {
      StringBuilder words = new StringBuilder();
      for (String variant : comparison.variants()) {
        words.append(
            String.format(
                Locale.ROOT,
                "%s%s p99.9 %.1f ms",
                words.isEmpty() ? "" : ", ",
                variant,
                comparison.median(variant, sample -> sample.millisAt(99.9))));
      }
      return words.toString();
    }

    private Sample window(State state, Subject subject, double rate, int node) throws IOException {
      if (state == State.COMPACTION) {
        CompactionMode mode =
            subject.mode == Mode.STOCK ? CompactionMode.STOCK : CompactionMode.OFFLOAD;
        mode.switchOver(context.connection(), table.name());
      }
      LoadDriver driver = context.driver(threads(options), rate);
      driver.run(subject.variant, Duration.ZERO, Span.of(options.leadIn()));
      // All that are due in the window count, however long they take: those that are under way when
      // its time is over are the slowest.
      Span window =
          Span.ofOperations(Math.max(1, Math.round(rate * options.window().toMillis() / 1000)));
      Sample sample =
          Disturbance.during(
              disturbance(state, node),
              options.window().dividedBy(CALM_PART),
              () -> driver.run(subject.variant, Duration.ZERO, window));
      awaitNoQuarantine();
      if (state.beginsAgain()) {
        // In the next window the other node is to answer alone what this one has just begun with.
        context
            .driver(options.threadsOrPreset(), 0)
            .run(subject.variant, Duration.ZERO, Span.of(COMPILED));
      }
      return sample;
    }

    private Disturbance disturbance(State state, int node) throws IOException {
      return switch (state) {
        case HEALTHY -> Disturbance.NONE;
        case PAUSED -> Disturbances.paused(context.cluster().server(Kind.DAEMON, node));
        case SLOW -> Disturbances.slow(context.cluster().server(Kind.DAEMON, node));
        case KILLED -> Disturbances.killed(context.cluster().server(Kind.DAEMON, node), false);
        case RESTARTED -> Disturbances.killed(context.cluster().server(Kind.DAEMON, node), true);
        case DATANODE ->
            Disturbances.withoutDataNode(
                context.cluster(), node, context.connection(), table.name());
        case COMPACTION -> Disturbances.compactions(context.connection(), table.name());
      };
    }

    /** Waits until the region servers leave nothing alone any more. */
    private void awaitNoQuarantine() throws IOException {
      long deadline = System.nanoTime() + RECOVERY_LIMIT.toNanos();
      for (RegionServerJmx server : servers) {
        while (!server.quarantined().isEmpty()) {
          if (System.nanoTime() > deadline) {
            throw new IOException("still left alone: " + server.quarantined());
          }
          LockSupport.parkNanos(POLL_NANOS);
        }
      }
    }
  }
}
