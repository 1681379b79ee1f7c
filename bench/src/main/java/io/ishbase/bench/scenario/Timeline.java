package io.ishbase.bench.scenario;

import io.ishbase.bench.Sample;
import io.ishbase.bench.report.Plot;
import io.ishbase.bench.scenario.CompactionPhases.Phase;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What a load around a major compaction gave, window by window. */
final class Timeline {
  static final String DEGRADATION = "degradation % during";

  /** A window and the phase it lies in; it ended {@code atSeconds} after the first began. */
  private record Window(Phase phase, double atSeconds, Sample sample) {}

  private final List<Window> windows = new ArrayList<>();
  private double compactionSeconds;
  private boolean recovered;

  /** Adds the next window. */
  void add(Phase phase, Sample sample) {
    double start = windows.isEmpty() ? 0 : windows.get(windows.size() - 1).atSeconds;
    windows.add(new Window(phase, start + sample.seconds(), sample));
  }

  /** Says how the run ended. */
  void end(double seconds, boolean latencyIsBack) {
    compactionSeconds = seconds;
    recovered = latencyIsBack;
  }

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
    figures.put(DEGRADATION, degradationPercent(Phase.COMPACTION, Sample::meanMillis));
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
