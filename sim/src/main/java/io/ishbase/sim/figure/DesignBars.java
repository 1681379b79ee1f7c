package io.ishbase.sim.figure;

import io.ishbase.sim.design.Designs;
import io.ishbase.sim.figure.Figure.Column;
import io.ishbase.sim.figure.Figure.Shape;
import io.ishbase.sim.model.Outcome;
import io.ishbase.sim.workload.Parameters;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Figure 20: all designs at the defaults; then those of the seed again, charged for what a cached
 * KV-pair takes besides itself, as ours are anyway.
 */
record DesignBars(String name) implements Recipe {
  private static final List<Double> OF_SEED = List.of(292.53, 1053.03, 1018.28, 1280.49, 1330.13);
  private static final List<Designs> CHARGED = List.of(Designs.K, Designs.KB_NET, Designs.SA);

  @Override
  public String title() {
    return "mean QPS of the designs";
  }

  @Override
  public int runs() {
    return Designs.values().length + CHARGED.size();
  }

  private static Parameters charged(Parameters plain) {
    return plain.with("bookkeeping.cell.bytes", plain.number("charged.cell.bytes"));
  }

  @Override
  public void begin(Runs runs) {
    for (Designs design : Designs.values()) {
      runs.begin(design, runs.parameters());
    }
    CHARGED.forEach(design -> runs.begin(design, charged(runs.parameters())));
  }

  @Override
  public Figure make(Runs runs) {
    Parameters plain = runs.parameters();
    Parameters charged = charged(plain);
    List<String> names = new ArrayList<>();
    List<List<Outcome>> all = new ArrayList<>();
    List<Double> qps = new ArrayList<>();
    List<Double> seed = new ArrayList<>();
    List<Double> off = new ArrayList<>();
    List<Double> spread = new ArrayList<>();
    for (Designs design : Designs.values()) {
      List<Outcome> outcomes = runs.of(design, plain);
      names.add(design.label());
      all.add(outcomes);
      qps.add(Runs.qps(outcomes));
      spread.add(Runs.spread(outcomes));
      int place = Designs.OF_SEED.indexOf(design);
      seed.add(place < 0 ? Double.NaN : OF_SEED.get(place));
      off.add(100 * (Runs.qps(outcomes) / seed.get(seed.size() - 1) - 1));
    }
    for (Designs design : CHARGED) {
      List<Outcome> outcomes = runs.of(design, charged);
      names.add(design.label() + ", charged");
      all.add(outcomes);
      qps.add(Runs.qps(outcomes));
      spread.add(Runs.spread(outcomes));
      seed.add(Double.NaN);
      off.add(Double.NaN);
    }
    List<Column> columns = new ArrayList<>();
    columns.add(new Column("QPS", qps, true));
    columns.add(new Column("seed", seed, true));
    columns.add(new Column("off %", off, false));
    if (runs.seeds() > 1) {
      columns.add(new Column("+- %", spread, false));
    }
    columns.add(column("Get hits %", all, o -> 100.0 * o.getHits() / Math.max(1, o.gets())));
    columns.add(column("RPCs/request", all, o -> (double) o.rpcs() / o.requests()));
    columns.add(column("bytes in/request", all, o -> (double) o.bytesIn() / o.requests()));
    columns.add(column("mean ms", all, o -> o.meanNanos() / 1e6));
    columns.add(column("CPU %", all, o -> 100 * o.cpuShare()));
    columns.add(column("upgrades", all, Outcome::upgrades));
    columns.add(column("downgrades", all, Outcome::downgrades));
    return new Figure(
        name,
        title(),
        "B 292.53, K 1,053.03, KB 1,018.28, KB-NET 1,280.49, SA 1,330.13",
        "design",
        "QPS",
        Shape.BARS,
        names,
        columns);
  }

  /** The mean of all seeds. */
  private static Column column(
      String name, List<List<Outcome>> of, ToDoubleFunction<Outcome> value) {
    return new Column(
        name,
        of.stream().map(each -> each.stream().mapToDouble(value).average().orElseThrow()).toList(),
        false);
  }
}
