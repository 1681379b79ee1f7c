package io.ishbase.bench.scenario;

import io.ishbase.bench.LoadDriver;
import io.ishbase.bench.MajorCompaction;
import io.ishbase.bench.Progress;
import io.ishbase.bench.RegionServerJmx;
import io.ishbase.bench.Sample;
import io.ishbase.bench.Span;
import io.ishbase.bench.Variant;
import io.ishbase.bench.report.Plot;
import io.ishbase.bench.scenario.CompactionPhases.Phase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;

/** A load before, during and after a major compaction, in short windows without gaps. */
final class AroundCompaction {
  /**
   * How long the parts last.
   *
   * @param leadIn not measured; fills caches
   * @param window one point of the plot over time
   * @param windowsBefore windows before the compaction
   * @param maxWarmUp windows after it within which latency is to come back
   * @param windowsAfter windows after that
   */
  record Times(
      Duration leadIn, Duration window, int windowsBefore, int maxWarmUp, int windowsAfter) {
    /** Seconds of a run whose compaction takes {@code compactionSeconds}. */
    double seconds(double compactionSeconds) {
      return leadIn.toMillis() / 1000.0
          + compactionSeconds
          + (windowsBefore + maxWarmUp / 2.0 + windowsAfter) * window.toMillis() / 1000.0;
    }
  }

  /** A window and the phase it lies in; it ended {@code atSeconds} after the first began. */
  record Window(Phase phase, double atSeconds, Sample sample) {}

  /** What a run gave. */
  static final class Timeline {
    private final List<Window> windows = new ArrayList<>();
    private double compactionSeconds;
    private boolean recovered;

    double compactionSeconds() {
      return compactionSeconds;
    }

    /** Whether latency came back in time. */
    boolean recovered() {
      return recovered;
    }

    /** All windows of a phase as one; without operations if the phase has none. */
    Sample of(Phase phase) {
      return Sample.sum(
          windows.stream().filter(window -> window.phase == phase).map(Window::sample).toList());
    }

    /** All windows from the beginning of the compaction on as one. */
    Sample sinceCompaction() {
      return Sample.sum(
          windows.stream()
              .filter(window -> window.phase != Phase.BEFORE)
              .map(Window::sample)
              .toList());
    }

    /** All windows as one. */
    Sample all() {
      return Sample.sum(windows.stream().map(Window::sample).toList());
    }

    /** By how many per cent a figure is above that before the compaction; 0 if it is not known. */
    double degradationPercent(Phase phase, ToDoubleFunction<Sample> figure) {
      Sample during = of(phase);
      double before = figure.applyAsDouble(of(Phase.BEFORE));
      return during.operations() == 0 || before == 0
          ? 0
          : 100 * (figure.applyAsDouble(during) / before - 1);
    }

    /** A figure over time. */
    Plot.Series series(String name, ToDoubleFunction<Sample> figure) {
      List<Double> x = new ArrayList<>();
      List<Double> y = new ArrayList<>();
      for (Window window : windows) {
        // A window without a single operation has no latency.
        if (window.sample.operations() > 0) {
          x.add(window.atSeconds);
          y.add(figure.applyAsDouble(window.sample));
        }
      }
      return new Plot.Series(name, x, y);
    }

    /** A line along the axis while the compaction ran. */
    Plot.Series compaction(String variant) {
      double start = 0;
      for (Window window : windows) {
        if (window.phase == Phase.BEFORE) {
          start = window.atSeconds;
        }
      }
      return new Plot.Series(
          variant + " compacts", List.of(start, start + compactionSeconds), List.of(0.0, 0.0));
    }

    /** What all loads have in common, by name with unit. */
    Map<String, Double> figures() {
      Map<String, Double> figures = new LinkedHashMap<>();
      Sample before = of(Phase.BEFORE);
      Sample during = of(Phase.COMPACTION);
      Sample warmUp = of(Phase.WARM_UP);
      figures.put("ops/s", all().perSecond());
      figures.put("compaction s", compactionSeconds);
      figures.put("warm-up s", warmUp.seconds());
      figures.put("ops/s before", before.perSecond());
      figures.put("ops/s during", during.perSecond());
      figures.put("mean ms before", before.meanMillis());
      figures.put("mean ms during", during.meanMillis());
      figures.put("p99 ms before", before.millisAt(99));
      figures.put("p99 ms during", during.millisAt(99));
      figures.put("degradation % during", degradationPercent(Phase.COMPACTION, Sample::meanMillis));
      if (warmUp.operations() > 0) {
        figures.put("mean ms warm-up", warmUp.meanMillis());
        figures.put("degradation % warm-up", degradationPercent(Phase.WARM_UP, Sample::meanMillis));
      }
      figures.put("MB in during", during.network().in() / 1e6);
      figures.put("MB out during", during.network().out() / 1e6);
      return figures;
    }

    /** All of it, for machines. */
    Map<String, Object> forMachines() {
      Map<String, Object> all = new LinkedHashMap<>(figures());
      all.put("recovered", recovered);
      all.put(
          "windows",
          windows.stream()
              .map(
                  window -> {
                    Map<String, Object> one = new LinkedHashMap<>();
                    one.put("phase", window.phase.toString());
                    one.put("at_seconds", window.atSeconds);
                    one.putAll(window.sample.figures());
                    return one;
                  })
              .toList());
      return all;
    }
  }

  private final Connection connection;
  private final LoadDriver driver;
  private final Times times;
  private final List<RegionServerJmx> servers = new ArrayList<>();

  AroundCompaction(Connection connection, LoadDriver driver, Times times) throws IOException {
    this.connection = connection;
    this.driver = driver;
    this.times = times;
    try (Admin admin = connection.getAdmin()) {
      for (ServerName server : admin.getRegionServers()) {
        servers.add(RegionServerJmx.of(admin, server));
      }
    }
  }

  /** Runs a variant while {@code table} is compacted. */
  Timeline run(String words, Variant variant, TableName table) throws IOException {
    Timeline timeline = new Timeline();
    CompactionPhases phases =
        new CompactionPhases(times.windowsBefore, times.maxWarmUp, times.windowsAfter);
    MajorCompaction[] compaction = new MajorCompaction[1];
    try (Progress progress = new Progress(words, 0)) {
      progress.note("caches");
      driver.stream(
          variant,
          times.leadIn,
          Span.of(times.window),
          sample -> {
            try {
              return take(timeline, phases, sample, compaction, table, progress);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
      timeline.compactionSeconds = compaction[0].seconds();
      timeline.recovered = phases.recovered();
      progress.done(String.format(Locale.ROOT, "compaction %.1f s", timeline.compactionSeconds));
    } finally {
      if (compaction[0] != null) {
        compaction[0].close();
      }
    }
    return timeline;
  }

  private boolean isWarming() throws IOException {
    for (RegionServerJmx server : servers) {
      if (server.isWarming()) {
        return true;
      }
    }
    return false;
  }

  /** Takes a window; returns whether there is to be another one. */
  private boolean take(
      Timeline timeline,
      CompactionPhases phases,
      Sample sample,
      MajorCompaction[] compaction,
      TableName table,
      Progress progress)
      throws IOException {
    boolean ended = compaction[0] != null && compaction[0].hasEnded();
    Phase phase =
        phases.ended(sample.operations(), sample.meanMillis(), ended, ended && isWarming());
    double start =
        timeline.windows.isEmpty()
            ? 0
            : timeline.windows.get(timeline.windows.size() - 1).atSeconds;
    timeline.windows.add(new Window(phase, start + sample.seconds(), sample));
    if (phases.current() == Phase.COMPACTION && compaction[0] == null) {
      compaction[0] = MajorCompaction.start(connection, table);
    }
    progress.note(phases.current().toString());
    return phases.current() != Phase.OVER;
  }
}
