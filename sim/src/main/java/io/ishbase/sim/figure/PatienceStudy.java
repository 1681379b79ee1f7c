package io.ishbase.sim.figure;

import io.ishbase.sim.compaction.ClusterOutcome;
import io.ishbase.sim.figure.Figure.Column;
import io.ishbase.sim.figure.Figure.Shape;
import io.ishbase.sim.workload.Parameters;
import java.util.ArrayList;
import java.util.List;

/** What the shipped patience with busy compaction servers is worth: shorter, and longer. */
record PatienceStudy(String name, String title, List<ReadTimes.Curve> curves) implements Recipe {
  private static final List<String> SECONDS = List.of("0", "10", "60", "300", "600", "1800");

  @Override
  public int runs() {
    return SECONDS.size() * curves.size();
  }

  @Override
  public Figure make(Runs runs) {
    List<Column> reads = new ArrayList<>();
    List<Column> others = new ArrayList<>();
    for (ReadTimes.Curve curve : curves) {
      List<ClusterOutcome> outcomes =
          SECONDS.stream().map(seconds -> runs.of(curve.setup(), at(runs, seconds))).toList();
      String label = curve.label() + ", ";
      reads.add(
          new Column(
              label + "ms",
              outcomes.stream()
                  .map(o -> ClusterOutcome.mean(o.readMs(), 0, o.readMs().size()))
                  .toList(),
              true));
      others.add(
          new Column(
              label + "at home", outcomes.stream().map(o -> (double) o.home()).toList(), false));
      others.add(
          new Column(
              label + "most files",
              outcomes.stream()
                  .map(o -> o.files().stream().mapToDouble(Double::doubleValue).max().orElseThrow())
                  .toList(),
              false));
      others.add(
          new Column(
              label + "overdue", outcomes.stream().map(o -> (double) o.overdue()).toList(), false));
    }
    reads.addAll(others);
    return new Figure(
        name, title, "", "seconds of patience", "ms a read", Shape.LINES, SECONDS, reads);
  }

  private static Parameters at(Runs runs, String seconds) {
    return Compactions.ofFigure9(runs.parameters())
        .with("patience.ms", 1000 * Double.parseDouble(seconds));
  }
}
