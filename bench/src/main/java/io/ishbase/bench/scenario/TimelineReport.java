package io.ishbase.bench.scenario;

import io.ishbase.bench.Sample;
import io.ishbase.bench.report.Plot;
import io.ishbase.bench.report.Results;
import io.ishbase.bench.report.Row;
import io.ishbase.bench.scenario.AroundCompaction.Timeline;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Timelines of several variants as rows and plots; figures are medians over the rounds. */
final class TimelineReport {
  private TimelineReport() {}

  /**
   * Adds a row for each variant.
   *
   * @param timelines by variant, one for each round
   * @param seed what the seed document says
   */
  static void add(
      Results results,
      Map<String, String> parameters,
      Map<String, List<Timeline>> timelines,
      String seed) {
    add(results, parameters, timelines, seed, Timeline::figures);
  }

  /** The same with other figures of a timeline. */
  static void add(
      Results results,
      Map<String, String> parameters,
      Map<String, List<Timeline>> timelines,
      String seed,
      Function<Timeline, Map<String, Double>> figures) {
    List<Row> rows = new ArrayList<>();
    Map<String, Object> all = new LinkedHashMap<>(parameters);
    timelines.forEach(
        (variant, rounds) -> {
          rows.add(
              new Row(
                  parameters,
                  variant,
                  medians(rounds.stream().map(figures).toList()),
                  rows.isEmpty() ? seed : "",
                  notes(rounds)));
          all.put(variant, rounds.stream().map(Timeline::all).toList());
        });
    results.add(all, rows);
  }

  private static String notes(List<Timeline> rounds) {
    long late = rounds.stream().filter(timeline -> !timeline.recovered()).count();
    return late == 0
        ? ""
        : "latency not back within 10 % in the time given, " + late + " of " + rounds.size();
  }

  /** The median of each figure; of those rounds that have it. */
  private static Map<String, Double> medians(List<Map<String, Double>> rounds) {
    Map<String, Double> medians = new LinkedHashMap<>();
    for (Map<String, Double> round : rounds) {
      for (String name : round.keySet()) {
        double[] sorted =
            rounds.stream()
                .filter(each -> each.containsKey(name))
                .mapToDouble(each -> each.get(name))
                .sorted()
                .toArray();
        int half = sorted.length / 2;
        medians.put(
            name, sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2);
      }
    }
    return medians;
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
