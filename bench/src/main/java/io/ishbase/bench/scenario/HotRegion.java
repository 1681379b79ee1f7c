package io.ishbase.bench.scenario;

import io.ishbase.bench.BenchOptions;
import io.ishbase.bench.LoadDriver;
import io.ishbase.bench.Order;
import io.ishbase.bench.Placement;
import io.ishbase.bench.Sample;
import io.ishbase.bench.Scenario;
import io.ishbase.bench.ScenarioContext;
import io.ishbase.bench.Span;
import io.ishbase.bench.Variant;
import io.ishbase.bench.report.Plot;
import io.ishbase.bench.report.Row;
import io.ishbase.cluster.ClusterNeeds;
import io.ishbase.cluster.Mode;
import io.ishbase.cluster.Progress;
import io.ishbase.cluster.RegionServerJmx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToDoubleFunction;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * A region whose hot rows are cached is closed and opened anew under load. How soon does the
 * segment cache answer as many Gets as before?
 */
abstract class HotRegion implements Scenario {
  private static final String SETTING = "ishbase.cache.prewarm";

  /** One of so many rows is hot. */
  private static final int ROWS_PER_HOT = 2;

  private static final double CACHE_SHARE = 0.8;
  private static final int GETS_OF_CALL = 100;

  /** Few enough that two processors answer all of them from storage. */
  private static final int GETS_PER_SECOND = 300;

  /** Rows that are hot while JVMs warm up. */
  private static final long FIRST_HOT_ROWS = 20_000;

  private static final Duration BEFORE = Duration.ofSeconds(3);
  private static final Duration AFTER = Duration.ofSeconds(12);
  private static final Duration STEP = Duration.ofMillis(500);
  private static final Duration WINDOW = Duration.ofMillis(500);
  private static final List<Integer> SHOWN_SECONDS = List.of(2, 5, 10);

  /** The share of the former hits at which the cache counts as warm. */
  private static final double BACK = 0.9;

  /** Share of hits of the Gets of a step that ended so many seconds after the region opened. */
  private record Step(double atSeconds, double hits) {}

  /**
   * @param seconds from the moment at which it was asked for until the region is open
   * @param silentSeconds the longest time without an answer, give or take a window
   */
  private record Reopening(
      double hitsBefore, double seconds, double silentSeconds, List<Step> steps, Sample load) {
    /** The share of hits at that time, against that before. */
    double hitsAt(double seconds) {
      return steps.stream()
              .filter(step -> step.atSeconds <= seconds + STEP.toMillis() / 2000.0)
              .reduce((first, second) -> second)
              .map(Step::hits)
              .orElse(0.0)
          / hitsBefore;
    }

    double secondsUntilBack() {
      return steps.stream()
          .filter(step -> step.hits >= BACK * hitsBefore)
          .map(Step::atSeconds)
          .findFirst()
          .orElse(AFTER.toSeconds() * 1.0);
    }
  }

  /** The variant of which nothing is remembered, and the other. */
  abstract List<String> variants();

  abstract String target();

  /** All region servers. */
  abstract List<ClusterNeeds.RegionServer> servers(ClusterNeeds.RegionServer caching);

  /** Has the table's region, which is at the first server, opened anew; returns where. */
  abstract ServerName reopen(ScenarioContext context, Placement placement, TableName table)
      throws IOException;

  @Override
  public String seedFigures() {
    return "";
  }

  private static NumberedTable.Shape shape(BenchOptions options) {
    long rows = options.rows() > 0 ? options.rows() : options.preset(200_000L, 2_000_000L);
    return NumberedTable.Shape.usual("moved", options.table().rowsLike(rows))
        .in(options.table())
        .withValue("ishbase.read", Mode.IN_STORAGE.toString());
  }

  private static long hotRows(BenchOptions options) {
    return shape(options).rows() / ROWS_PER_HOT;
  }

  @Override
  public ClusterNeeds needs(BenchOptions options) {
    long cacheBytes = (long) (CACHE_SHARE * shape(options).cellBytes());
    ClusterNeeds.RegionServer server =
        Caches.server(Caches.SEGMENTS, cacheBytes)
            .withFlag("-XX:MaxDirectMemorySize=" + (2 * cacheBytes / (1 << 20) + 512) + "m");
    return ClusterNeeds.usual(shape(options).rows()).withRegionServers(servers(server));
  }

  @Override
  public double estimatedSeconds(BenchOptions options) {
    return 20
        + shape(options).rows() / 20_000.0
        + options.roundsOrPreset()
            * variants().size()
            * (2 * hotRows(options) / 8_000.0 + BEFORE.plus(AFTER).toSeconds() + 5);
  }

  @Override
  public void run(ScenarioContext context) throws IOException {
    BenchOptions options = context.options();
    context.results().fact("rows of the table", shape(options).rows());
    context.results().fact("hot rows, each asked for as often", hotRows(options));
    context
        .results()
        .note(
            "Open loop. Hits are those of the segment cache that has the region, in steps of "
                + STEP.toMillis()
                + " ms; the time counts from the moment at which the region is open again.");
    NumberedTable table = new NumberedTable(context.connection(), shape(options));
    Map<String, List<Reopening>> all = new LinkedHashMap<>();
    variants().forEach(variant -> all.put(variant, new ArrayList<>()));
    try (Placement placement = new Placement(context.connection());
        Admin admin = context.connection().getAdmin()) {
      table.create();
      table.fill();
      // There and back, so that both servers have fetched before.
      for (int first = 0; first < 2; first++) {
        measure(
            context,
            placement,
            admin,
            table,
            variants().get(1),
            Math.min(FIRST_HOT_ROWS, hotRows(options)));
      }
      for (int round = 0; round < options.roundsOrPreset(); round++) {
        for (String variant : Order.ofRound(round, variants())) {
          all.get(variant)
              .add(measure(context, placement, admin, table, variant, hotRows(options)));
        }
      }
    }
    report(context, all);
  }

  private Reopening measure(
      ScenarioContext context,
      Placement placement,
      Admin admin,
      NumberedTable table,
      String variant,
      long hot)
      throws IOException {
    TableDescriptorBuilder changed =
        TableDescriptorBuilder.newBuilder(admin.getDescriptor(table.name()));
    admin.modifyTable(
        variant.equals(variants().get(0))
            ? changed.setValue(SETTING, "0").build()
            : changed.removeValue(SETTING).build());
    ServerName first = placement.server(context.cluster().regionServers().get(0));
    placement.place(table.name(), List.of(first));
    try (Progress progress = new Progress("hot rows, " + variant, 2 * hot)) {
      table.readSome(Mode.IN_STORAGE, hot, GETS_OF_CALL, 2, progress);
      progress.done("");
    }
    double rate =
        context.options().openLoopRate() > 0 ? context.options().openLoopRate() : GETS_PER_SECOND;
    LoadDriver driver = context.driver(context.options().threadsOrPreset(), rate);
    List<Sample> windows = Collections.synchronizedList(new ArrayList<>());
    boolean[] over = new boolean[1];
    CompletableFuture<Void> load =
        CompletableFuture.runAsync(
            () -> {
              try {
                driver.stream(
                    Variant.of(
                        variant, table.getsOfSome(Mode.IN_STORAGE, hot, context.options().seed())),
                    Duration.ZERO,
                    Span.of(WINDOW),
                    sample -> {
                      windows.add(sample);
                      return !over[0];
                    });
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    try (Progress progress = new Progress("opened anew, " + variant, 0)) {
      String name = table.name() + "/";
      Steps from = new Steps(RegionServerJmx.of(admin, first), name);
      sleep(BEFORE);
      double before = from.next().hits;
      long start = System.nanoTime();
      ServerName second = reopen(context, placement, table.name());
      double seconds = (System.nanoTime() - start) / 1e9;
      Steps to = new Steps(RegionServerJmx.of(admin, second), name);
      List<Step> steps = new ArrayList<>();
      for (Duration since = Duration.ZERO; since.compareTo(AFTER) < 0; since = since.plus(STEP)) {
        sleep(STEP);
        steps.add(to.next());
      }
      over[0] = true;
      load.join();
      List<Sample> all = List.copyOf(windows);
      // A window ends with the first answer behind its time.
      double longest = all.stream().mapToDouble(Sample::seconds).max().orElse(0);
      double silent = Math.max(0, longest - WINDOW.toMillis() / 1000.0);
      Reopening again = new Reopening(before, seconds, silent, steps, Sample.sum(all));
      progress.done(String.format(Locale.ROOT, "warm after %.1f s", again.secondsUntilBack()));
      return again;
    } catch (CompletionException e) {
      throw new IOException(e.getCause());
    } finally {
      over[0] = true;
    }
  }

  /** Hits of a region server's stores of a table, step by step. */
  private static final class Steps {
    private final RegionServerJmx server;
    private final String stores;
    private final long beganNanos;
    private double hits;
    private double misses;

    Steps(RegionServerJmx server, String stores) throws IOException {
      this.server = server;
      this.stores = stores;
      this.beganNanos = System.nanoTime();
      next();
    }

    Step next() throws IOException {
      Map<String, Double> now = server.cachedStores(stores);
      double hitsNow = now.getOrDefault("hits", 0.0);
      double missesNow = now.getOrDefault("misses", 0.0);
      double hit = Math.max(0, hitsNow - hits);
      double missed = Math.max(0, missesNow - misses);
      hits = hitsNow;
      misses = missesNow;
      return new Step(
          (System.nanoTime() - beganNanos) / 1e9, hit + missed == 0 ? 0 : hit / (hit + missed));
    }
  }

  private static void sleep(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private void report(ScenarioContext context, Map<String, List<Reopening>> reopenings) {
    List<Row> rows = new ArrayList<>();
    Map<String, Object> all = new LinkedHashMap<>();
    List<Plot.Series> series = new ArrayList<>();
    double megabytes =
        hotRows(context.options())
            * shape(context.options()).cellBytes()
            / 1e6
            / shape(context.options()).rows();
    Map<String, String> parameters =
        Map.of("hot rows", String.format(Locale.ROOT, "%.0f MB", megabytes));
    reopenings.forEach(
        (variant, rounds) -> {
          Map<String, Double> figures = new LinkedHashMap<>();
          figures.put("hits before", median(rounds, each -> each.hitsBefore));
          figures.put("s until open", median(rounds, each -> each.seconds));
          figures.put("of these without any answer", median(rounds, each -> each.silentSeconds));
          for (int seconds : SHOWN_SECONDS) {
            figures.put(
                "of them after " + seconds + " s", median(rounds, each -> each.hitsAt(seconds)));
          }
          figures.put(
              "least after 10 s",
              rounds.stream().mapToDouble(each -> each.hitsAt(10)).min().orElseThrow());
          figures.put(
              "s until " + BACK + ", of " + AFTER.toSeconds(),
              median(rounds, Reopening::secondsUntilBack));
          figures.put("p99 ms, all", median(rounds, each -> each.load.millisAt(99)));
          rows.add(
              new Row(
                  parameters,
                  variant,
                  figures,
                  variant.equals(variants().get(1)) ? target() : "",
                  "",
                  ""));
          all.put(
              variant,
              rounds.stream()
                  .map(
                      each ->
                          Map.of(
                              "hits_before", each.hitsBefore,
                              "seconds_until_open", each.seconds,
                              "silent_seconds", each.silentSeconds,
                              "steps",
                                  each.steps.stream()
                                      .map(step -> List.of(step.atSeconds, step.hits))
                                      .toList()))
                  .toList());
          List<Step> first = rounds.get(0).steps;
          series.add(
              new Plot.Series(
                  variant,
                  first.stream().map(Step::atSeconds).toList(),
                  first.stream().map(Step::hits).toList()));
        });
    context.results().add(all, rows);
    context
        .results()
        .plot(Plot.lines("Share of hits once it is open", "seconds", "of all Gets", series));
  }

  private static double median(List<Reopening> rounds, ToDoubleFunction<Reopening> figure) {
    return Medians.of(rounds.stream().map(figure::applyAsDouble).toList());
  }
}
