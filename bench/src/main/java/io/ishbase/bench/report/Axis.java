package io.ishbase.bench.report;

import java.util.ArrayList;
import java.util.List;

/** Where numbers stand along a line. */
final class Axis {
  private static final int TICKS = 5;
  private static final double LOG_MARGIN = 1.25;

  private final boolean log;
  private final double low;
  private final double high;
  private final double from;
  private final double to;

  /**
   * An axis that holds all of {@code values}; linear ones begin at 0.
   *
   * @param from where its low end is drawn
   * @param to where its high end is drawn
   */
  Axis(boolean log, List<Double> values, double from, double to) {
    double least =
        values.stream().mapToDouble(v -> v).filter(v -> !log || v > 0).min().orElse(log ? 1 : 0);
    double most = values.stream().mapToDouble(v -> v).max().orElse(1);
    this.log = log;
    this.low = log ? least / LOG_MARGIN : Math.min(0, least);
    this.high = log ? Math.max(most, least) * LOG_MARGIN : most > low ? most : low + 1;
    this.from = from;
    this.to = to;
  }

  /** Whether a value can stand on it. */
  boolean holds(double value) {
    return Double.isFinite(value) && (!log || value > 0);
  }

  double at(double value) {
    double share =
        log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    return from + share * (to - from);
  }

  /** Round numbers within it. */
  List<Double> ticks() {
    List<Double> ticks = new ArrayList<>();
    if (log) {
      boolean few = high / low < 1000;
      for (double power = Math.pow(10, Math.floor(Math.log10(low))); power <= high; power *= 10) {
        for (double step : few ? new double[] {1, 2, 5} : new double[] {1}) {
          if (power * step >= low * 0.999 && power * step <= high * 1.001) {
            ticks.add(power * step);
          }
        }
      }
    } else {
      double rough = (high - low) / TICKS;
      double power = Math.pow(10, Math.floor(Math.log10(rough)));
      double step =
          power * (rough / power > 5 ? 10 : rough / power > 2 ? 5 : rough / power > 1 ? 2 : 1);
      for (double tick = Math.ceil(low / step) * step; tick <= high * 1.001; tick += step) {
        ticks.add(tick);
      }
    }
    return ticks;
  }
}
