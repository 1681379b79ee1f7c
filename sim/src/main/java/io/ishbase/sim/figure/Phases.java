package io.ishbase.sim.figure;

import io.ishbase.sim.compaction.ClusterOutcome;
import io.ishbase.sim.figure.Figure.Column;
import io.ishbase.sim.figure.Figure.Shape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * How much longer reads take during a major compaction and while the block cache warms up: figure 7
 * of Ahmad and Kemme.
 *
 * @param seed what their text says of it
 * @param seeds percent in both phases, by the label of a curve, where the text says so
 */
record Phases(
    String name,
    String title,
    String seed,
    List<ReadTimes.Curve> curves,
    Map<String, List<Double>> seeds)
    implements Recipe {
  /** Reads are as before once they take so little longer. */
  private static final double AS_BEFORE = 1.02;

  /** Of the mean that says whether they are. */
  private static final int MINUTE = 60;

  @Override
  public int runs() {
    return curves.size();
  }

  @Override
  public void begin(Runs runs) {
    curves.forEach(curve -> runs.begin(curve.setup(), runs.parameters()));
  }

  @Override
  public Figure make(Runs runs) {
    List<List<Double>> values = new ArrayList<>();
    for (ReadTimes.Curve curve : curves) {
      ClusterOutcome outcome = runs.of(curve.setup(), runs.parameters());
      values.add(row(outcome, curve));
    }
    List<String> names =
        List.of(
            "compaction, s",
            "compaction, % longer",
            "warm-up, s",
            "warm-up, % longer",
            "worst second, ms",
            "seed: compaction",
            "seed: warm-up");
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      int column = i;
      columns.add(
          new Column(
              names.get(i),
              values.stream().map(row -> row.get(column)).toList(),
              names.get(i).endsWith("% longer")));
    }
    return new Figure(
        name,
        title,
        seed,
        "who compacts",
        "% longer",
        Shape.BARS,
        curves.stream().map(ReadTimes.Curve::label).toList(),
        columns);
  }

  private List<Double> row(ClusterOutcome outcome, ReadTimes.Curve curve) {
    List<Double> ms = outcome.readMs();
    int begun = (int) outcome.majors().get(0).begun();
    int ended = (int) outcome.majors().get(0).ended();
    double before = ClusterOutcome.mean(ms, begun - MINUTE, begun);
    int warm = (int) Math.ceil(outcome.majors().get(0).warm());
    while (warm + MINUTE < ms.size()
        && ClusterOutcome.mean(ms, warm, warm + MINUTE) > AS_BEFORE * before) {
      warm++;
    }
    List<Double> row = new ArrayList<>();
    row.add((double) ended - begun);
    row.add(100 * (ClusterOutcome.mean(ms, begun, ended) / before - 1));
    row.add((double) warm - ended);
    row.add(warm == ended ? 0 : 100 * (ClusterOutcome.mean(ms, ended, warm) / before - 1));
    row.add(Collections.max(ms.subList(begun, ms.size())));
    row.addAll(seeds.getOrDefault(curve.label(), List.of(Double.NaN, Double.NaN)));
    return row;
  }
}
