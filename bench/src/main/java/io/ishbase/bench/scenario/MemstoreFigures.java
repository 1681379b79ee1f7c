package io.ishbase.bench.scenario;

import io.ishbase.bench.Comparison;
import io.ishbase.bench.Plots;
import io.ishbase.bench.Sample;
import io.ishbase.bench.memstore.Operation;
import io.ishbase.bench.memstore.Verdict;
import io.ishbase.bench.memstore.Workload;
import io.ishbase.bench.report.Plot;
import io.ishbase.bench.report.Results;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/** What the scenario memstore reports of a workload: figures, verdicts and pictures. */
final class MemstoreFigures {
  /** Counters of a window. */
  static final String FLUSHED_MB = "flushed MB";

  static final String COMPACTED_MB = "compacted MB";
  static final String FLUSHES = "flushes";
  private static final String GC_MS = "GC ms";

  private static final Plots.Figure AMPLIFICATION =
      (comparison, variant) -> comparison.median(variant, MemstoreFigures::amplification);

  private MemstoreFigures() {}

  /** Bytes of HFiles for each byte of cells that clients wrote. */
  static double amplification(Sample sample) {
    return written(sample, FLUSHED_MB) + written(sample, COMPACTED_MB);
  }

  private static double written(Sample sample, String counter) {
    return 1e6 * sample.counters().get(counter) / sample.written().cellBytes();
  }

  private static Plots.Figure counter(String name) {
    return (comparison, variant) ->
        comparison.median(variant, sample -> sample.counters().get(name));
  }

  /** The latency in ms that so many percent of the operations of a kind do not exceed; 0: none. */
  private static double millisAt(Sample sample, String kind, double percent) {
    Histogram latency = sample.byKind().get(kind);
    return latency == null ? 0 : latency.getValueAtPercentile(percent) / 1e6;
  }

  private static Plots.Figure tail(String kind, double percent) {
    return (comparison, variant) -> millisAt(comparison.all(variant), kind, percent);
  }

  private static boolean reads(Comparison comparison) {
    return comparison.all(comparison.baseline()).read().rows() > 0;
  }

  /** Adds a workload's figures, a row for each policy, and the verdicts behind them. */
  static void addTo(Results results, Workload workload, Comparison comparison) {
    Map<String, Plots.Figure> further = new LinkedHashMap<>();
    further.put("HFiles/written", AMPLIFICATION);
    further.put(
        "flushed/written", (c, variant) -> c.median(variant, each -> written(each, FLUSHED_MB)));
    further.put(
        "compacted/written",
        (c, variant) -> c.median(variant, each -> written(each, COMPACTED_MB)));
    List<String> kinds =
        reads(comparison) ? List.of(Operation.READ, Operation.WRITE) : List.of(Operation.WRITE);
    for (String kind : kinds) {
      further.put(kind + " p99 ms", tail(kind, 99));
      further.put(kind + " p99.9 ms", tail(kind, 99.9));
    }
    comparison.addTo(results, further);

    Map<String, Verdict.Figures> fixed = new LinkedHashMap<>();
    comparison.variants().forEach(variant -> fixed.put(variant, judged(comparison, variant)));
    Verdict.Figures auto = fixed.remove(MemstoreTable.AUTO);
    List<Verdict> verdicts = Verdict.of(workload, auto, fixed);
    Map<String, String> parameters = new LinkedHashMap<>();
    comparison.point().parameters().forEach((name, value) -> parameters.put(name, "" + value));
    parameters.put("cap", comparison.point().cap());
    Map<String, Object> forMachines = new LinkedHashMap<>(comparison.point().parameters());
    forMachines.put("verdicts", verdicts.stream().map(Verdict::figures).toList());
    results.add(forMachines, verdicts.stream().map(each -> each.row(parameters)).toList());
  }

  private static Verdict.Figures judged(Comparison comparison, String variant) {
    return new Verdict.Figures(
        comparison.median(variant, Sample::perSecond),
        AMPLIFICATION.of(comparison, variant),
        counter(GC_MS).of(comparison, variant),
        tail(Operation.READ, 99).of(comparison, variant));
  }

  /** Adds bars: throughput and write amplification of all, and each workload beside NONE. */
  static void plot(Results results, List<Comparison> comparisons) {
    results.plot(
        Plots.bars(
            "Operations a second",
            "operations/s",
            MemstoreFigures::load,
            Plots.PER_SECOND,
            comparisons));
    results.plot(
        Plots.bars(
            "HFile write amplification",
            "HFile bytes/user byte",
            MemstoreFigures::load,
            AMPLIFICATION,
            comparisons));
    comparisons.forEach(comparison -> results.plot(besideBaseline(comparison)));
  }

  private static String load(Comparison comparison) {
    return comparison.point().parameters().get("load").toString();
  }

  /** A group of bars for each figure, each divided by that of the first policy. */
  private static Plot besideBaseline(Comparison comparison) {
    Map<String, Plots.Figure> figures = new LinkedHashMap<>();
    figures.put("operations/s", Plots.PER_SECOND);
    figures.put("HFile bytes", AMPLIFICATION);
    figures.put(FLUSHES, counter(FLUSHES));
    figures.put("GC time", counter(GC_MS));
    figures.put("write p99", tail(Operation.WRITE, 99));
    if (reads(comparison)) {
      figures.put("read p99", tail(Operation.READ, 99));
    }
    List<Plot.Series> series = new ArrayList<>();
    for (String variant : comparison.variants()) {
      Map<Double, Double> bars = new TreeMap<>();
      double place = 0;
      for (Plots.Figure figure : figures.values()) {
        double baseline = figure.of(comparison, comparison.baseline());
        if (baseline > 0) {
          bars.put(place, figure.of(comparison, variant) / baseline);
        }
        place++;
      }
      series.add(Plot.Series.of(variant, bars));
    }
    return Plot.bars(
        load(comparison) + ", beside " + comparison.baseline(),
        "times that of " + comparison.baseline(),
        List.copyOf(figures.keySet()),
        series);
  }
}
