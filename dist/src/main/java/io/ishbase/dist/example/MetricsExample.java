package io.ishbase.dist.example;

import io.ishbase.archetypes.metrics.Group;
import io.ishbase.archetypes.metrics.MetricsOptions;
import io.ishbase.archetypes.metrics.MetricsStore;
import io.ishbase.archetypes.metrics.MetricsWriter;
import io.ishbase.archetypes.metrics.Query;
import io.ishbase.archetypes.metrics.Resolution;
import io.ishbase.archetypes.metrics.RollUp;
import io.ishbase.archetypes.metrics.Series;
import io.ishbase.archetypes.metrics.Summary;
import io.ishbase.cluster.Tables;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;

/**
 * Every class file of the running JDK is a measurement, taken over a day: of its size, its constant
 * pool and its methods, by module and package. What is asked of them is compared with what they
 * are.
 */
final class MetricsExample implements Example {
  private static final TableName NAME = TableName.valueOf("example_metrics");
  private static final long MINUTE = Resolution.MINUTE.stepMillis();
  private static final long DAY = Resolution.DAY.stepMillis();
  private static final long START = 20_000 * DAY;
  private static final int SHOWN = 12;

  private static final Map<String, ToIntFunction<MeasuredClass>> METRICS =
      Map.of(
          "class.bytes", MeasuredClass::bytes,
          "class.constants", MeasuredClass::constants,
          "class.methods", MeasuredClass::methods);

  @Override
  public String name() {
    return "metrics";
  }

  @Override
  public String description() {
    return "The JDK's class files as measurements: counters, percentiles and roll-ups.";
  }

  @Override
  public void run(Connection connection, PrintStream out) throws IOException {
    List<MeasuredClass> classes = MeasuredClass.all();
    AtomicLong clock = new AtomicLong(START);
    MetricsOptions options =
        MetricsOptions.of(connection.getConfiguration())
            .withBuffer(10_000, 10 * MINUTE)
            .withSettling(15 * MINUTE, 15 * MINUTE);
    Tables.recreate(connection, MetricsStore.table(NAME, options).build());
    MetricsStore store = MetricsStore.open(connection, NAME, options, clock::get);

    long before = System.nanoTime();
    measure(classes, store, clock);
    Tables.flush(connection, NAME);
    out.printf(
        "%,d class files, %d measurements of each, over a day: counted in %,d ms.%n%n",
        classes.size(), METRICS.size(), millisSince(before));

    Query bytes = Query.of("class.bytes", START, START + DAY);
    byModule(classes, store, out);
    sizes(classes, store.read(bytes).values().iterator().next(), out);
    SortedMap<Group, Summary> hours = store.read(bytes.step(Resolution.HOUR));
    rollUp(store, clock, out);
    byHour(hours, store, bytes, out);
  }

  /** Counts all, as if it took a day. */
  private static void measure(List<MeasuredClass> classes, MetricsStore store, AtomicLong clock)
      throws IOException {
    try (MetricsWriter writer = store.writer()) {
      for (int i = 0; i < classes.size(); i++) {
        MeasuredClass one = classes.get(i);
        clock.set(START + DAY * i / classes.size());
        for (Map.Entry<String, ToIntFunction<MeasuredClass>> metric : METRICS.entrySet()) {
          writer.observe(
              series(metric.getKey(), one), clock.get(), metric.getValue().applyAsInt(one));
        }
      }
    }
  }

  private static Series series(String metric, MeasuredClass one) {
    return one.packageName().isEmpty()
        ? Series.of(metric, "module", one.module())
        : Series.of(metric, "module", one.module(), "package", one.packageName());
  }

  private static void byModule(List<MeasuredClass> classes, MetricsStore store, PrintStream out)
      throws IOException {
    Map<String, List<MeasuredClass>> truth =
        classes.stream().collect(Collectors.groupingBy(MeasuredClass::module));
    for (Map.Entry<String, ToIntFunction<MeasuredClass>> metric : METRICS.entrySet()) {
      SortedMap<Group, Summary> modules =
          store.read(Query.of(metric.getKey(), START, START + DAY).groupBy("module"));
      require(modules.size() == truth.size(), "modules of " + metric.getKey());
      modules.forEach(
          (group, got) ->
              check(
                  metric.getKey() + " of " + group.tag("module"),
                  got,
                  truth.get(group.tag("module")).stream().mapToInt(metric.getValue()).toArray()));
      if (metric.getKey().equals("class.bytes")) {
        print(modules, out);
      }
    }
    out.printf(
        "All %d modules: totals and counts exact, percentiles within 1 %% of the exact ones.%n%n",
        truth.size());
  }

  private static void print(SortedMap<Group, Summary> modules, PrintStream out) {
    out.printf(
        "%-24s %8s %12s %9s %9s %9s%n", "module", "classes", "bytes", "p50", "p99", "largest");
    modules.entrySet().stream()
        .sorted(
            Comparator.comparingLong((Map.Entry<Group, Summary> one) -> one.getValue().total())
                .reversed())
        .limit(SHOWN)
        .forEach(
            one ->
                out.printf(
                    "%-24s %,8d %,12d %,9.0f %,9.0f %,9.0f%n",
                    one.getKey().tag("module"),
                    one.getValue().count(),
                    one.getValue().total(),
                    one.getValue().quantile(0.5).getAsDouble(),
                    one.getValue().quantile(0.99).getAsDouble(),
                    one.getValue().max().getAsDouble()));
  }

  private static void sizes(List<MeasuredClass> classes, Summary got, PrintStream out) {
    check("class.bytes", got, classes.stream().mapToInt(MeasuredClass::bytes).toArray());
    out.println("Class files by size in bytes:");
    MetricsPicture.histogram(out, got);
    out.println();
  }

  private static void rollUp(MetricsStore store, AtomicLong clock, PrintStream out)
      throws IOException {
    clock.set(START + DAY + 30 * MINUTE);
    for (String metric : METRICS.keySet().stream().sorted().toList()) {
      long before = System.nanoTime();
      RollUp.Done done = store.rollUp().run(metric, START, START + DAY);
      out.printf(
          "Rolled up %s: %,d values in %,d buckets, %,d ms.%n",
          metric, done.written(), done.buckets(), millisSince(before));
      require(done.leftOpen() == 0, "all buckets are closed");
      require(
          store.rollUp().run(metric, START, START + DAY).written() == 0, "nothing is left to do");
    }
    out.println();
  }

  private static void byHour(
      SortedMap<Group, Summary> wanted, MetricsStore store, Query bytes, PrintStream out)
      throws IOException {
    long before = System.nanoTime();
    SortedMap<Group, Summary> got = store.read(bytes.step(Resolution.HOUR));
    out.printf("Bytes by hour, of the roll-up, in %,d ms:%n", millisSince(before));
    require(got.equals(wanted), "the roll-up says what the seconds said");
    Map<String, Long> hours = new LinkedHashMap<>();
    got.forEach(
        (group, summary) ->
            hours.put(
                "%02d:00".formatted((group.startMillis() - START) / Resolution.HOUR.stepMillis()),
                summary.total()));
    MetricsPicture.bars(out, hours);
    out.println("Each hour is what its seconds added up to before.");
  }

  private static void check(String what, Summary got, int[] values) {
    Arrays.sort(values);
    require(got.count() == values.length, "count of " + what);
    require(got.total() == Arrays.stream(values).asLongStream().sum(), "total of " + what);
    for (double q : new double[] {0, 0.5, 0.9, 0.99, 1}) {
      double exact = values[(int) (q * (values.length - 1))];
      double error = Math.abs(got.quantile(q).getAsDouble() - exact);
      require(error <= Summary.ACCURACY * exact * (1 + 1e-6), "quantile " + q + " of " + what);
    }
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalStateException("Not so: " + what);
    }
  }

  private static long millisSince(long nanos) {
    return (System.nanoTime() - nanos) / 1_000_000;
  }
}
