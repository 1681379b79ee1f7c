package io.ishbase.bench;

import io.ishbase.bench.report.Row;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Comparisons as rows of a report's table. */
final class Rows {
  private Rows() {}

  /** One row for each variant. */
  static List<Row> of(Comparison comparison, Map<String, Plots.Figure> further) {
    List<Row> rows = new ArrayList<>();
    Map<String, String> parameters = parameters(comparison);
    for (String variant : comparison.variants()) {
      Map<String, Double> figures = figures(comparison, variant);
      further.forEach((name, figure) -> figures.put(name, figure.of(comparison, variant)));
      boolean first = variant.equals(comparison.baseline());
      rows.add(
          new Row(
              parameters,
              variant,
              figures,
              first ? "" : comparison.point().target(),
              first ? comparison.point().seed() : "",
              first ? String.join("; ", comparison.notes()) : ""));
    }
    return rows;
  }

  /** The processor time of an operation in each variant; none where nobody counted it. */
  static List<Row> costs(Comparison comparison) {
    List<Row> rows = new ArrayList<>();
    for (String variant : comparison.variants()) {
      Map<String, Double> figures = new LinkedHashMap<>();
      Processors.microsPerOperation(comparison.all(variant))
          .forEach((kind, micros) -> figures.put(kind + " µs", micros));
      if (!figures.isEmpty()) {
        rows.add(new Row(parameters(comparison), variant, figures, "", ""));
      }
    }
    return rows;
  }

  private static Map<String, String> parameters(Comparison comparison) {
    Map<String, String> parameters = new LinkedHashMap<>();
    comparison.point().parameters().forEach((name, value) -> parameters.put(name, "" + value));
    parameters.put("cap", comparison.point().cap());
    return parameters;
  }

  private static Map<String, Double> figures(Comparison comparison, String variant) {
    Sample all = comparison.all(variant);
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("ops/s", comparison.median(variant, Sample::perSecond));
    figures.put("least ops/s", comparison.least(variant, Sample::perSecond));
    figures.put("most ops/s", comparison.most(variant, Sample::perSecond));
    if (Processors.areKnown(all)) {
      figures.put("ops/CPU s", Processors.operationsPerSecond(all));
    }
    figures.put("ratio", comparison.ratio(variant));
    if (comparison.limitPerSecond() > 0) {
      figures.put("limit ops/s", comparison.limitPerSecond());
    }
    if (all.read().valueBytes() > 0) {
      figures.put("in/value", comparison.median(variant, Sample::amplification));
      figures.put("in/cell", comparison.median(variant, Sample::cellAmplification));
      figures.put("out B/row", comparison.median(variant, Sample::outPerRow));
    }
    if (all.written().valueBytes() > 0 && all.read().valueBytes() == 0) {
      figures.put("in/written", comparison.median(variant, Sample::writeAmplificationIn));
      figures.put("out/written", comparison.median(variant, Sample::writeAmplificationOut));
    }
    figures.put("mean ms", all.meanMillis());
    figures.put("p50 ms", all.millisAt(50));
    figures.put("p99 ms", all.millisAt(99));
    figures.put("p99.9 ms", all.millisAt(99.9));
    figures.put("rows/s", comparison.median(variant, Sample::rowsPerSecond));
    figures.put("MB in", all.network().in() / 1e6);
    figures.put("MB out", all.network().out() / 1e6);
    all.severalKinds()
        .forEach((kind, latency) -> figures.put(kind + " mean ms", latency.getMean() / 1e6));
    all.counters()
        .forEach(
            (name, value) -> {
              // For whoever calibrates, not for the table.
              if (!name.startsWith(Counters.PROCESSOR)) {
                figures.put(name, value);
              }
            });
    return figures;
  }
}
