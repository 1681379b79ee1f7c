package io.ishbase.sim.plan;

import io.ishbase.sim.miniature.Curve;
import io.ishbase.sim.miniature.Fetches;
import io.ishbase.sim.miniature.Miniature;
import io.ishbase.sim.miniature.TableLoad;
import java.util.EnumMap;
import java.util.Map;

/** What a table's reads fetch, by the size of the cache, on each side, however skewed they are. */
public final class TableCurves {
  private static final double FINE = 2;
  private static final double COARSE = 6;

  private final Range skew;
  private final Map<Side, Curve> least = new EnumMap<>(Side.class);
  private final Map<Side, Curve> middle = new EnumMap<>(Side.class);
  private final Map<Side, Curve> most = new EnumMap<>(Side.class);

  /**
   * Runs miniatures of the table.
   *
   * @param isMade called for each curve
   */
  public TableCurves(Inputs inputs, Inputs.Table table, long seed, Runnable isMade) {
    skew = inputs.range(Inputs.name(table.name(), "skew"));
    TableLoad load = load(inputs.middle(), table);
    if (table.traced() != null) {
      add(middle, new Miniature(load, table.traced()), FINE, isMade);
      return;
    }
    add(middle, load, skew.value(), FINE, seed, isMade);
    if (skew.isUncertain()) {
      add(least, load, skew.least(), COARSE, seed, isMade);
      add(most, load, skew.most(), COARSE, seed, isMade);
    }
  }

  /** How many are made of a table. */
  static int count(Inputs inputs, Inputs.Table table) {
    return inputs.range(Inputs.name(table.name(), "skew")).isUncertain() ? 6 : 2;
  }

  private static void add(
      Map<Side, Curve> to,
      TableLoad load,
      double exponent,
      double step,
      long seed,
      Runnable isMade) {
    // At 1 the formulas of the law do not hold; there is no cache that sees the difference.
    double usable = exponent == 1 ? 1.0001 : exponent;
    add(to, new Miniature(load.withExponent(usable), seed), step, isMade);
  }

  private static void add(Map<Side, Curve> to, Miniature miniature, double step, Runnable isMade) {
    for (Side side : Side.values()) {
      to.put(side, Curve.of(miniature, side.design(), step));
      isMade.run();
    }
  }

  static TableLoad load(Values values, Inputs.Table table) {
    double row = values.openRow(table);
    return new TableLoad(
        values.openBytes(table) / row,
        (int) Math.round(row),
        (int) Math.round(values.of(table, "block.bytes") * values.of(table, "unpacked")),
        values.of(table, "skew"),
        table.isScattered(),
        values.of(table, "gets"),
        values.of(table, "scans"),
        (int) values.of(table, "scan.rows"));
  }

  /** What reads fetch with that skew through a cache of that part of the table. */
  public Fetches at(Side side, double skewed, double share) {
    Curve certain = curve(middle, side);
    if (skewed < skew.value()) {
      double part = (skew.value() - skewed) / (skew.value() - skew.least());
      return Curve.between(certain, curve(least, side), part, share);
    }
    if (skewed > skew.value()) {
      double part = (skewed - skew.value()) / (skew.most() - skew.value());
      return Curve.between(certain, curve(most, side), part, share);
    }
    return certain.at(share);
  }

  private static Curve curve(Map<Side, Curve> of, Side side) {
    Curve curve = of.get(side);
    if (curve == null) {
      throw new IllegalStateException("No curve of " + side);
    }
    return curve;
  }
}
