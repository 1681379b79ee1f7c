package io.ishbase.sim.figure;

import io.ishbase.sim.compaction.BesideReads;
import io.ishbase.sim.figure.Figure.Column;
import io.ishbase.sim.figure.Figure.Shape;
import java.util.ArrayList;
import java.util.List;

/** How long the shipped processor budget makes a compaction take beside reads. */
record Budget(String name, String title) implements Recipe {
  private static final List<String> READS =
      List.of("0", "10", "20", "30", "40", "50", "60", "70", "80", "90", "100");
  private static final List<Double> PRESSURES = List.of(0.0, 0.5, 1.0);

  @Override
  public int runs() {
    return READS.size() * PRESSURES.size();
  }

  @Override
  public Figure make(Runs runs) {
    List<Column> columns = new ArrayList<>();
    for (double pressure : PRESSURES) {
      List<Double> seconds = new ArrayList<>();
      for (String reads : READS) {
        double share = Double.parseDouble(reads) / 100;
        seconds.add(runs.made(() -> BesideReads.nanos(runs.parameters(), share, pressure)) / 1e9);
      }
      columns.add(new Column("pressure " + pressure, seconds, true));
    }
    return new Figure(
        name, title, "", "% of the processors read", "s", Shape.LINES, READS, columns);
  }
}
