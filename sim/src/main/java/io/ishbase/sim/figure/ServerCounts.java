package io.ishbase.sim.figure;

import io.ishbase.core.compaction.Sizing;
import io.ishbase.sim.compaction.ClusterOutcome;
import io.ishbase.sim.figure.Figure.Column;
import io.ishbase.sim.figure.Figure.Shape;
import io.ishbase.sim.workload.Parameters;
import java.util.ArrayList;
import java.util.List;

/**
 * How many compaction servers a load needs: by the formula of Ahmad and Kemme (6.3), which ships as
 * {@link Sizing}, and by what comes of so many.
 *
 * @param seed what their text says of it
 */
record ServerCounts(String name, String title, String seed, List<ReadTimes.Curve> curves)
    implements Recipe {
  @Override
  public int runs() {
    return curves.size();
  }

  @Override
  public void begin(Runs runs) {
    Parameters ofFigure9 = Compactions.ofFigure9(runs.parameters());
    curves.forEach(curve -> runs.begin(curve.setup(), ofFigure9));
  }

  @Override
  public Figure make(Runs runs) {
    List<Double> needed = new ArrayList<>();
    List<ClusterOutcome> outcomes = new ArrayList<>();
    for (ReadTimes.Curve curve : curves) {
      needed.add(servers(runs.parameters(), curve.setup().regionServers()));
      outcomes.add(runs.of(curve.setup(), Compactions.ofFigure9(runs.parameters())));
    }
    List<Column> columns =
        List.of(
            new Column("servers by the formula", needed, false),
            column("longest wait, min", outcomes.stream().map(o -> o.longestWait() / 60).toList()),
            column("majors done", outcomes.stream().map(o -> (double) o.majors().size()).toList()),
            column("majors overdue", outcomes.stream().map(o -> (double) o.overdue()).toList()),
            column("at home", outcomes.stream().map(o -> (double) o.home()).toList()),
            column("files at the end", outcomes.stream().map(ServerCounts::filesAtEnd).toList()),
            column("ms a read at the end", outcomes.stream().map(ServerCounts::msAtEnd).toList()));
    return new Figure(
        name,
        title,
        seed,
        "who compacts",
        "in four hours",
        Shape.BARS,
        curves.stream().map(ReadTimes.Curve::label).toList(),
        columns);
  }

  private static double servers(Parameters parameters, int regions) {
    return new Sizing(
            parameters.number("compact.bytes"),
            parameters.number("transfer.bytes"),
            parameters.number("server.memory.bytes"),
            parameters.number("region.bytes"),
            parameters.number("major.seconds"),
            1,
            regions)
        .servers();
  }

  private static Column column(String name, List<Double> values) {
    return new Column(name, values, name.startsWith("longest"));
  }

  /** The mean of the last hour. */
  private static double filesAtEnd(ClusterOutcome outcome) {
    return ClusterOutcome.mean(
        outcome.files(), outcome.files().size() - 3600, outcome.files().size());
  }

  private static double msAtEnd(ClusterOutcome outcome) {
    return ClusterOutcome.mean(
        outcome.readMs(), outcome.readMs().size() - 3600, outcome.readMs().size());
  }
}
