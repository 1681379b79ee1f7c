package io.ishbase.bench.scenario;

import io.ishbase.bench.Comparison;
import io.ishbase.bench.Sample;
import io.ishbase.bench.report.Row;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Windows of open loops as rows: medians of the windows, the worst percentile with its range. */
final class TailRows {
  private static final String FALLBACKS = "fallbacks";
  private static final double WHOLE = 100;

  private TailRows() {}

  /**
   * A row for each variant.
   *
   * @param rates operations that were to start each second, by variant
   */
  static List<Row> of(Comparison comparison, Map<String, Double> rates) {
    Map<String, String> parameters = new LinkedHashMap<>();
    comparison.point().parameters().forEach((name, value) -> parameters.put(name, "" + value));
    parameters.put("cap", comparison.point().cap());
    List<Row> rows = new ArrayList<>();
    for (String variant : comparison.variants()) {
      rows.add(
          new Row(
              parameters,
              variant,
              figures(comparison, variant, rates.getOrDefault(variant, 0.0)),
              rows.isEmpty() ? comparison.point().target() : "",
              "",
              rows.isEmpty() ? String.join("; ", comparison.notes()) : ""));
    }
    return rows;
  }

  private static Map<String, Double> figures(Comparison comparison, String variant, double rate) {
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("asked/s", rate);
    figures.put("done %", comparison.median(variant, sample -> donePercent(sample, rate)));
    for (String percent : List.of("50", "99", "99.9", "99.99")) {
      figures.put("p" + percent + " ms", comparison.median(variant, millisAt(percent)));
    }
    figures.put("least p99.9 ms", comparison.least(variant, millisAt("99.9")));
    figures.put("most p99.9 ms", comparison.most(variant, millisAt("99.9")));
    figures.put("max ms", comparison.most(variant, millisAt("100")));
    Sample all = comparison.all(variant);
    double costs = all.operationsPerProcessorSecond();
    if (costs > 0) {
      figures.put("ops/CPU s", costs);
    }
    Map<String, Double> counters = all.counters();
    if (counters.getOrDefault("reads", 0.0) > 0) {
      figures.put("extra %", extraPercent(counters));
      figures.put("late", counters.getOrDefault("late", 0.0));
      figures.put("doubts", counters.getOrDefault("doubts", 0.0));
      figures.put("silences", counters.getOrDefault("silences", 0.0));
    }
    counters.forEach(
        (name, count) -> {
          // Of reasons only those that there were.
          if (name.equals(FALLBACKS) || name.startsWith(FALLBACKS) && count > 0) {
            figures.put(name, count);
          }
        });
    figures.put(CountedFailures.NAME, counters.getOrDefault(CountedFailures.NAME, 0.0));
    return figures;
  }

  private static ToDoubleFunction<Sample> millisAt(String percent) {
    return sample -> sample.millisAt(Double.parseDouble(percent));
  }

  /** Operations that ended each second, of those that were due: less if the last ones are late. */
  static double donePercent(Sample sample, double rate) {
    return WHOLE * sample.perSecond() / rate;
  }

  /**
   * Requests that nobody would have needed from nodes that are well, of all reads sent to nodes.
   */
  static double extraPercent(Map<String, Double> counters) {
    double extra = counters.getOrDefault("hedges", 0.0) + counters.getOrDefault("again", 0.0);
    return WHOLE * extra / counters.get("reads");
  }
}
