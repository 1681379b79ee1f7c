package io.ishbase.sim.figure;

import io.ishbase.sim.design.Designs;
import io.ishbase.sim.figure.Figure.Column;
import io.ishbase.sim.figure.Figure.Shape;
import io.ishbase.sim.model.Outcome;
import io.ishbase.sim.workload.Parameters;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * Upgrades or downgrades of SA in 5,000 queries, over the run, in tenths of it; the mean of all
 * seeds.
 *
 * @param curves what differs between the curves
 * @param unit of that
 * @param at the parameters of a curve
 * @param count upgrades or downgrades of a window
 */
record Changes(
    String name,
    String title,
    String seed,
    String unit,
    List<String> curves,
    BiFunction<Parameters, String, Parameters> at,
    ToLongFunction<Outcome.Window> count)
    implements Recipe {
  private static final int PARTS = 10;

  @Override
  public int runs() {
    return curves.size();
  }

  @Override
  public void begin(Runs runs) {
    curves.forEach(curve -> runs.begin(Designs.SA, at.apply(runs.parameters(), curve)));
  }

  @Override
  public Figure make(Runs runs) {
    List<Column> columns = new ArrayList<>();
    for (String curve : curves) {
      List<Outcome> outcomes = runs.of(Designs.SA, at.apply(runs.parameters(), curve));
      List<Double> ofParts = new ArrayList<>();
      for (int i = 0; i < PARTS; i++) {
        int part = i;
        ofParts.add(
            outcomes.stream()
                .mapToDouble(outcome -> ofPart(outcome.windows(), part))
                .average()
                .orElseThrow());
      }
      columns.add(new Column(curve + " " + unit, ofParts, true));
    }
    return new Figure(
        name,
        title,
        seed,
        "% of the run",
        "in 5,000 queries",
        Shape.LINES,
        IntStream.rangeClosed(1, PARTS).mapToObj(part -> "" + part * 100 / PARTS).toList(),
        columns);
  }

  private double ofPart(List<Outcome.Window> windows, int part) {
    return windows
        .subList(part * windows.size() / PARTS, (part + 1) * windows.size() / PARTS)
        .stream()
        .mapToLong(count)
        .average()
        .orElse(Double.NaN);
  }
}
