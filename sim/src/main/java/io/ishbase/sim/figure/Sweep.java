package io.ishbase.sim.figure;

import io.ishbase.sim.design.Designs;
import io.ishbase.sim.figure.Figure.Column;
import io.ishbase.sim.figure.Figure.Shape;
import io.ishbase.sim.model.Outcome;
import io.ishbase.sim.workload.Parameters;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/**
 * QPS of some designs over something that changes.
 *
 * @param seed what the seed's text says of it
 * @param x of each point
 * @param at the parameters of a point
 */
record Sweep(
    String name,
    String title,
    String seed,
    String xLabel,
    Shape shape,
    List<String> x,
    List<Designs> designs,
    BiFunction<Parameters, String, Parameters> at)
    implements Recipe {
  @Override
  public int runs() {
    return x.size() * designs.size();
  }

  @Override
  public void begin(Runs runs) {
    for (Designs design : designs) {
      x.forEach(point -> runs.begin(design, at.apply(runs.parameters(), point)));
    }
  }

  @Override
  public Figure make(Runs runs) {
    List<Column> columns = new ArrayList<>();
    List<Column> spreads = new ArrayList<>();
    for (Designs design : designs) {
      List<Double> qps = new ArrayList<>();
      List<Double> spread = new ArrayList<>();
      for (String point : x) {
        List<Outcome> outcomes = runs.of(design, at.apply(runs.parameters(), point));
        qps.add(Runs.qps(outcomes));
        spread.add(Runs.spread(outcomes));
      }
      columns.add(new Column(design.label(), qps, true));
      spreads.add(new Column(design.label() + " +- %", spread, false));
    }
    if (runs.seeds() > 1) {
      columns.addAll(spreads);
    }
    return new Figure(name, title, seed, xLabel, "QPS", shape, x, columns);
  }
}
