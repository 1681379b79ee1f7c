package io.ishbase.bench.report;

import java.util.Map;

/**
 * A row of a scenario's table.
 *
 * @param parameters under which it was measured, by name
 * @param figures by name with unit
 * @param target what the project wants to reach, in words; empty if nothing is set
 * @param seed what the seed document says, in words; empty if nothing
 * @param notes on how it was measured; empty if there are none
 */
public record Row(
    Map<String, String> parameters,
    String variant,
    Map<String, Double> figures,
    String target,
    String seed,
    String notes) {

  /** A row for which no target is set. */
  public Row(
      Map<String, String> parameters,
      String variant,
      Map<String, Double> figures,
      String seed,
      String notes) {
    this(parameters, variant, figures, "", seed, notes);
  }

  public Row {
    // Results that an earlier version wrote have none.
    target = target == null ? "" : target;
  }
}
