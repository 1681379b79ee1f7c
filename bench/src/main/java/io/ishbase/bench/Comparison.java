package io.ishbase.bench;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Windows of the same load in both modes in turn.
 *
 * @param load what was run, in words
 * @param mbps the cap it ran under; 0: none
 */
public record Comparison(String load, int mbps, Map<Mode, List<Sample>> windows) {

  static Comparison of(String load, int mbps) {
    Map<Mode, List<Sample>> windows = new EnumMap<>(Mode.class);
    for (Mode mode : Mode.values()) {
      windows.put(mode, new ArrayList<>());
    }
    return new Comparison(load, mbps, windows);
  }

  /** All windows of a mode as one. */
  Sample all(Mode mode) {
    return Sample.sum(windows.get(mode));
  }

  /** The median over the windows of a mode. */
  double median(Mode mode, java.util.function.ToDoubleFunction<Sample> figure) {
    double[] sorted = windows.get(mode).stream().mapToDouble(figure).sorted().toArray();
    int half = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }

  /** Median throughput in-storage divided by that of stock. */
  double speedUp() {
    return median(Mode.IN_STORAGE, Sample::perSecond) / median(Mode.STOCK, Sample::perSecond);
  }

  String capInWords() {
    return mbps == 0 ? "uncapped" : mbps + " Mbps";
  }

  /** The figures by name, for a report. */
  Map<String, Object> figures() {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("load", load);
    figures.put("mbps", mbps == 0 ? "uncapped" : mbps);
    figures.put("in_storage_to_stock", Sample.round(speedUp()));
    for (Mode mode : Mode.values()) {
      Map<String, Object> ofMode = all(mode).figures();
      ofMode.put("median_reads_per_second", Sample.round(median(mode, Sample::perSecond)));
      ofMode.put("windows", windows.get(mode).stream().map(Sample::figures).toList());
      figures.put(mode.toString(), ofMode);
    }
    return figures;
  }
}
