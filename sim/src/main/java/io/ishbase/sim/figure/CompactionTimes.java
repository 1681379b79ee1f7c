package io.ishbase.sim.figure;

import io.ishbase.sim.compaction.Way;
import io.ishbase.sim.figure.Figure.Column;
import io.ishbase.sim.figure.Figure.Shape;
import io.ishbase.sim.workload.Parameters;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How long one compaction takes, of the longest in the figure: figures 31 to 33.
 *
 * @param seed what the seed's text says of it
 * @param x of each point
 * @param legacy label of the curve that is the measure of the others
 * @param seedsShare by x: what in-storage takes of legacy, in percent, where the seed says so
 */
record CompactionTimes(
    String name,
    String title,
    String seed,
    String xLabel,
    List<String> x,
    List<Curve> curves,
    At at,
    String legacy,
    Map<String, Double> seedsShare)
    implements Recipe {
  /**
   * A curve.
   *
   * @param files of each storage node
   * @param isCompared whether a column of the table has its share of {@code legacy}
   */
  record Curve(String label, Way way, int files, boolean isCompared) {}

  /** Nanoseconds of a compaction at a point. */
  interface At {
    long nanos(Parameters parameters, Curve curve, double x);
  }

  @Override
  public int runs() {
    return x.size() * curves.size();
  }

  @Override
  public Figure make(Runs runs) {
    List<List<Double>> seconds = new ArrayList<>();
    for (Curve curve : curves) {
      List<Double> ofCurve = new ArrayList<>();
      for (String point : x) {
        double value = Double.parseDouble(point);
        ofCurve.add(runs.made(() -> at.nanos(runs.parameters(), curve, value)) / 1e9);
      }
      seconds.add(ofCurve);
    }
    double longest =
        seconds.stream().flatMap(List::stream).mapToDouble(Double::doubleValue).max().orElseThrow();
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < curves.size(); i++) {
      List<Double> shares = seconds.get(i).stream().map(one -> 100 * one / longest).toList();
      columns.add(new Column(curves.get(i).label(), shares, true));
    }
    List<Double> measure = seconds.get(labels().indexOf(legacy));
    for (int i = 0; i < curves.size(); i++) {
      if (curves.get(i).isCompared()) {
        List<Double> shares = new ArrayList<>();
        for (int point = 0; point < x.size(); point++) {
          shares.add(100 * seconds.get(i).get(point) / measure.get(point));
        }
        columns.add(new Column(curves.get(i).label() + " of legacy", shares, false));
      }
    }
    columns.add(
        new Column(
            "seed: IS",
            x.stream().map(point -> seedsShare.getOrDefault(point, Double.NaN)).toList(),
            false));
    columns.add(new Column(legacy + ", s", measure, false));
    return new Figure(name, title, seed, xLabel, "% of the longest", Shape.LINES, x, columns);
  }

  private List<String> labels() {
    return curves.stream().map(Curve::label).toList();
  }
}
