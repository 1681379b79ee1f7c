package io.ishbase.plugin.memory;

import io.ishbase.core.memory.ReuseCurve;
import java.util.Locale;

/** Words for operators. */
final class Reasons {
  private static final double NANOS_OF_MICRO = 1e3;

  private Reasons() {}

  static String ofCache(ReuseCurve curve, String what) {
    return String.format(
        Locale.ROOT,
        "%.0f %s a second are asked for, one that is missing takes %.0f us",
        curve.accessesPerSecond(),
        what,
        curve.nanosOfMiss() / NANOS_OF_MICRO);
  }
}
