package io.ishbase.bench;

import io.ishbase.bench.report.Results;
import io.ishbase.bench.report.Row;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Windows of the same load in each variant in turn; the first variant is the baseline. */
public final class Comparison {
  private final Point point;
  private final List<String> variants;
  private final ToDoubleFunction<Sample> judged;
  private final List<Map<String, Sample>> rounds = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  public Comparison(Point point, List<String> variants) {
    this(point, variants, Sample::perSecond);
  }

  /**
   * A comparison without windows.
   *
   * @param judged the figure in which the windows of a variant should agree
   */
  Comparison(Point point, List<String> variants, ToDoubleFunction<Sample> judged) {
    this.point = point;
    this.variants = List.copyOf(variants);
    this.judged = judged;
  }

  public Point point() {
    return point;
  }

  public List<String> variants() {
    return variants;
  }

  public String baseline() {
    return variants.get(0);
  }

  /** What the reader should know of how it was measured. */
  public List<String> notes() {
    return notes;
  }

  /** Adds a window of each variant. */
  public void addRound(Map<String, Sample> round) {
    rounds.add(round);
  }

  /** All windows of a variant as one. */
  public Sample all(String variant) {
    return Sample.sum(windows(variant));
  }

  private List<Sample> windows(String variant) {
    return rounds.stream().map(round -> round.get(variant)).toList();
  }

  /** The median over the windows of a variant. */
  public double median(String variant, ToDoubleFunction<Sample> figure) {
    double[] sorted = windows(variant).stream().mapToDouble(figure).sorted().toArray();
    int half = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }

  /** The smallest over the windows of a variant. */
  public double least(String variant, ToDoubleFunction<Sample> figure) {
    return windows(variant).stream().mapToDouble(figure).min().orElse(0);
  }

  /** The largest over the windows of a variant. */
  public double most(String variant, ToDoubleFunction<Sample> figure) {
    return windows(variant).stream().mapToDouble(figure).max().orElse(0);
  }

  /** Largest minus smallest window of a variant, usually in throughput, divided by the median. */
  public double spread(String variant) {
    double median = median(variant, judged);
    return median == 0 ? 0 : (most(variant, judged) - least(variant, judged)) / median;
  }

  /** The spread of the variant that has the largest. */
  public double worstSpread() {
    return variants.stream().mapToDouble(this::spread).max().orElse(0);
  }

  /** Median throughput of a variant divided by that of the baseline. */
  public double ratio(String variant) {
    return median(variant, Sample::perSecond) / median(baseline(), Sample::perSecond);
  }

  /**
   * Operations a second that the line could carry at most if nothing but the values that the
   * clients got crossed it; 0 if there is no cap or nothing was read.
   */
  public double limitPerSecond() {
    Sample all = all(baseline());
    return point.mbps() == 0 || all.read().valueBytes() == 0
        ? 0
        : point.mbps() * 125_000.0 * point.links() * all.operations() / all.read().valueBytes();
  }

  /** Adds it to what a report shows. */
  public void addTo(Results results) {
    addTo(results, Map.of());
  }

  /** The same with further figures of each variant, by name with unit. */
  public void addTo(Results results, Map<String, Plots.Figure> further) {
    addTo(results, Rows.of(this, further));
  }

  /** The same with rows of the caller's. */
  public void addTo(Results results, List<Row> shown) {
    results.add(figures(), shown);
    results.addCosts(Rows.costs(this));
  }

  private Map<String, Object> figures() {
    Map<String, Object> figures = new LinkedHashMap<>(point.parameters());
    figures.put("mbps", point.mbps() == 0 ? "uncapped" : point.mbps());
    figures.put("notes", notes);
    if (limitPerSecond() > 0) {
      figures.put("limit_operations_per_second", Sample.round(limitPerSecond()));
    }
    Map<String, Object> byVariant = new LinkedHashMap<>();
    for (String variant : variants) {
      Map<String, Object> one = new LinkedHashMap<>();
      one.put("median_operations_per_second", Sample.round(median(variant, Sample::perSecond)));
      one.put("ratio_to_" + baseline(), Sample.round(ratio(variant)));
      one.put("least_operations_per_second", Sample.round(least(variant, Sample::perSecond)));
      one.put("most_operations_per_second", Sample.round(most(variant, Sample::perSecond)));
      one.put("all_windows", all(variant).figures());
      one.put("windows", windows(variant).stream().map(Sample::figures).toList());
      byVariant.put(variant, one);
    }
    figures.put("variants", byVariant);
    return figures;
  }
}
