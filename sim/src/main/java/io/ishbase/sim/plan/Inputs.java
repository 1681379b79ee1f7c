package io.ishbase.sim.plan;

import io.ishbase.sim.miniature.Reads;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a plan is made from.
 *
 * @param ranges by name; that of a table's has the table's name before it
 */
public record Inputs(Map<String, Range> ranges, List<Table> tables) {
  /**
   * A table. Its numbers are among the ranges.
   *
   * @param traced what is asked of it, instead of what a law of popularity says
   */
  public record Table(String name, boolean isScattered, @Nullable Reads traced) {}

  static String name(String table, String name) {
    return table + ": " + name;
  }

  /** The range of that name. */
  Range range(String name) {
    Range range = ranges.get(name);
    if (range == null) {
      throw new IllegalArgumentException("No input '" + name + "'");
    }
    return range;
  }

  /** The uncertain ones, by name. */
  List<String> uncertain() {
    return ranges.entrySet().stream()
        .filter(entry -> entry.getValue().isUncertain())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Each as the function says. */
  Values draw(ToDoubleFunction<String> place) {
    Map<String, Double> values = new LinkedHashMap<>();
    ranges.forEach((name, range) -> values.put(name, range.at(place.applyAsDouble(name))));
    return new Values(values);
  }

  /** All as they are thought to be. */
  public Values middle() {
    return draw(name -> 0.5);
  }
}
