package io.ishbase.sim.figure;

import io.ishbase.sim.compaction.ClusterOutcome;
import io.ishbase.sim.compaction.Setup;
import io.ishbase.sim.figure.Figure.Column;
import io.ishbase.sim.figure.Figure.Shape;
import io.ishbase.sim.workload.Parameters;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * What a read takes while time goes by and compactions come and go: figures of Ahmad and Kemme.
 *
 * @param seed what their text says of it
 * @param stepSeconds of which each point is the mean
 * @param at the parameters of all curves
 */
record ReadTimes(
    String name,
    String title,
    String seed,
    int stepSeconds,
    List<Curve> curves,
    UnaryOperator<Parameters> at)
    implements Recipe {
  private static final int MINUTE = 60;

  /** A curve; all of a figure are of the same time. */
  record Curve(String label, Setup setup) {}

  @Override
  public int runs() {
    return curves.size();
  }

  @Override
  public void begin(Runs runs) {
    curves.forEach(curve -> runs.begin(curve.setup(), at.apply(runs.parameters())));
  }

  @Override
  public Figure make(Runs runs) {
    List<Column> columns = new ArrayList<>();
    int steps = curves.get(0).setup().seconds() / stepSeconds;
    for (Curve curve : curves) {
      ClusterOutcome outcome = runs.of(curve.setup(), at.apply(runs.parameters()));
      List<Double> means =
          IntStream.range(0, steps)
              .mapToObj(
                  step ->
                      ClusterOutcome.mean(
                          outcome.readMs(), step * stepSeconds, (step + 1) * stepSeconds))
              .toList();
      columns.add(new Column(curve.label(), means, true));
    }
    List<String> minutes =
        IntStream.rangeClosed(1, steps).mapToObj(step -> "" + step * stepSeconds / MINUTE).toList();
    return new Figure(name, title, seed, "minutes", "ms a read", Shape.LINES, minutes, columns);
  }
}
