package io.ishbase.sim.plan;

/** A number that is not known exactly. */
public record Range(double least, double value, double most) {
  /** A number that is known. */
  static Range exactly(double value) {
    return new Range(value, value, value);
  }

  boolean isUncertain() {
    return least < most;
  }

  /** The value at 0.5, half of what may be on each side of it. */
  double at(double part) {
    return part < 0.5
        ? least + 2 * part * (value - least)
        : value + (2 * part - 1) * (most - value);
  }
}
