package io.ishbase.bench.report;

import java.util.Map;

/**
 * A row of a scenario's table.
 *
 * @param parameters under which it was measured, by name
 * @param figures by name with unit
 * @param seed what the seed document says, in words; empty if nothing
 * @param notes on how it was measured; empty if there are none
 */
public record Row(
    Map<String, String> parameters,
    String variant,
    Map<String, Double> figures,
    String seed,
    String notes) {}
