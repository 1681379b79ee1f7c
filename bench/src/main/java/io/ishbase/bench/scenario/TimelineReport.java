package io.ishbase.bench.scenario;

import io.ishbase.bench.Sample;
import io.ishbase.bench.report.Plot;
import io.ishbase.bench.report.Results;
import io.ishbase.bench.report.Row;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Timelines of several variants as rows and plots; figures are medians over the rounds. */
final class TimelineReport {
  private TimelineReport() {}

  /**
   * Adds a row for each variant, the baseline first.
   *
   * @param timelines by variant, one for each round
   * @param figures what a row shows of a timeline
   * @param rate the one of them whose range over the rounds and ratio to the baseline it shows
   * @param targets what is to be reached, by variant
   * @param seed what the seed document says
   */
  static void add(
      Results results,
      Map<String, String> parameters,
      Map<String, List<Timeline>> timelines,
      Function<Timeline, Map<String, Double>> figures,
      String rate,
      Map<String, String> targets,
      String seed) {
    List<Row> rows = new ArrayList<>();
    Map<String, Object> all = new LinkedHashMap<>(parameters);
    double[] baseline = new double[1];
    timelines.forEach(
        (variant, rounds) -> {
          List<Map<String, Double>> each = rounds.stream().map(figures).toList();
          Map<String, Double> shown = medians(each);
          if (rows.isEmpty()) {
            baseline[0] = shown.get(rate);
          }
          Medians.interval(of(each, Timeline.DEGRADATION))
              .ifPresent(
                  interval -> {
                    shown.put(Timeline.DEGRADATION + ", 95 % from", interval.least());
                    shown.put(Timeline.DEGRADATION + ", 95 % to", interval.most());
                  });
          shown.put("least " + rate, Collections.min(of(each, rate)));
          shown.put("most " + rate, Collections.max(of(each, rate)));
          shown.put("ratio", shown.get(rate) / baseline[0]);
          rows.add(
              new Row(
                  parameters,
                  variant,
                  shown,
                  targets.getOrDefault(variant, ""),
                  rows.isEmpty() ? seed : "",
                  notes(rounds)));
          all.put(variant, rounds.stream().map(Timeline::forMachines).toList());
        });
    results.add(all, rows);
  }

  private static String notes(List<Timeline> rounds) {
    long late = rounds.stream().filter(timeline -> !timeline.recovered()).count();
    return late == 0
        ? ""
        : "latency not back within 10 % in the time given, " + late + " of " + rounds.size();
  }

  /** The median of each figure over those rounds that have it. */
  private static Map<String, Double> medians(List<Map<String, Double>> rounds) {
    Map<String, Double> medians = new LinkedHashMap<>();
    for (Map<String, Double> round : rounds) {
      round.keySet().forEach(name -> medians.put(name, Medians.of(of(rounds, name))));
    }
    return medians;
  }

  private static List<Double> of(List<Map<String, Double>> rounds, String name) {
    return rounds.stream()
        .filter(each -> each.containsKey(name))
        .map(each -> each.get(name))
        .toList();
  }

  /** A figure over time, and when the compaction ran, of the first round of each variant. */
  static Plot plot(
      String title, Map<String, List<Timeline>> timelines, ToDoubleFunction<Sample> figure) {
    List<Plot.Series> series = new ArrayList<>();
    timelines.forEach(
        (variant, rounds) -> {
          Timeline first = rounds.get(0);
          series.add(first.series(variant, figure));
        });
    timelines.forEach((variant, rounds) -> series.add(rounds.get(0).compaction(variant)));
    return Plot.lines(title, "seconds", "ms", series);
  }
}
