package io.ishbase.sim.plan;

import java.util.Locale;
import java.util.function.DoubleFunction;

/** Numbers as a page shows them: three digits, with a unit. */
final class Numbers {
  private Numbers() {}

  static String plain(double number) {
    if (Double.isInfinite(number)) {
      return "none";
    }
    double size = Math.abs(number);
    if (size == 0) {
      return "0";
    }
    if (size >= 999.5) {
      double unit = StrictMath.pow(10, StrictMath.floor(StrictMath.log10(size)) - 2);
      return String.format(Locale.ROOT, "%,.0f", Math.rint(number / unit) * unit);
    }
    String format = size >= 99.95 ? "%.0f" : size >= 9.995 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, format, number);
  }

  static String whole(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  static String bytes(double bytes) {
    String[] units = {"B", "KB", "MB", "GB", "TB", "PB"};
    int unit = 0;
    double number = bytes;
    while (number >= 999.5 && unit < units.length - 1) {
      number /= 1024;
      unit++;
    }
    return plain(number) + ' ' + units[unit];
  }

  static String bytesPerSecond(double bytes) {
    return bytes(bytes) + "/s";
  }

  static String percent(double part) {
    if (Double.isInfinite(part)) {
      return "none left";
    }
    return String.format(Locale.ROOT, part < 0.0995 ? "%.1f %%" : "%.0f %%", 100 * part);
  }

  static String mbps(double mbps) {
    return Double.isInfinite(mbps) ? "none" : plain(mbps) + " Mbps";
  }

  static String latency(double seconds) {
    return Double.isInfinite(seconds) ? "overload" : plain(1e3 * seconds) + " ms";
  }

  /** With its range, if it has one. */
  static String range(Range range, DoubleFunction<String> unit) {
    String value = unit.apply(range.value());
    String least = unit.apply(range.least());
    String most = unit.apply(range.most());
    return least.equals(most) ? value : value + " (" + least + " to " + most + ')';
  }
}
