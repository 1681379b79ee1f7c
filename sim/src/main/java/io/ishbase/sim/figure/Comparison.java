package io.ishbase.sim.figure;

import io.ishbase.sim.design.Contender;
import io.ishbase.sim.figure.Figure.Column;
import io.ishbase.sim.figure.Figure.Shape;
import io.ishbase.sim.model.Outcome;
import io.ishbase.sim.model.Run;
import io.ishbase.sim.workload.Parameters;
import io.ishbase.sim.workload.RequestStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** Designs and bounds side by side, under one load. */
public final class Comparison {
  private Comparison() {}

  /**
   * Runs them all, one after the other.
   *
   * @param load the requests, from the first on each time it is asked
   * @param progress called after each run
   * @throws IllegalArgumentException if the parameters are of no run
   */
  public static Figure of(
      String name,
      String title,
      List<Contender> contenders,
      Parameters parameters,
      Supplier<? extends RequestStream> load,
      Runnable progress) {
    List<String> labels = new ArrayList<>();
    List<Outcome> outcomes = new ArrayList<>();
    for (Contender contender : contenders) {
      labels.add(contender.label());
      try {
        outcomes.add(Run.of(contender, parameters, load));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(contender.label() + ": " + e.getMessage(), e);
      }
      progress.run();
    }
    return new Figure(
        name,
        title,
        "",
        "design",
        "QPS",
        Shape.BARS,
        labels,
        List.of(
            new Column("QPS", outcomes.stream().map(Outcome::qps).toList(), true),
            column("Get hits %", outcomes, o -> 100.0 * o.getHits() / o.gets()),
            column("RPCs/request", outcomes, o -> (double) o.rpcs() / o.requests()),
            column("bytes in/request", outcomes, o -> (double) o.bytesIn() / o.requests()),
            column("bytes out/request", outcomes, o -> (double) o.bytesOut() / o.requests()),
            column("mean ms", outcomes, o -> o.meanNanos() / 1e6),
            column("CPU %", outcomes, o -> 100 * o.cpuShare())));
  }

  private static Column column(String name, List<Outcome> of, ToDoubleFunction<Outcome> value) {
    return new Column(name, of.stream().map(value::applyAsDouble).toList(), false);
  }
}
