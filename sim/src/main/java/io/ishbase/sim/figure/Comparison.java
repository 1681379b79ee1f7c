package io.ishbase.sim.figure;

import io.ishbase.sim.design.Contender;
import io.ishbase.sim.figure.Figure.Column;
import io.ishbase.sim.figure.Figure.Shape;
import io.ishbase.sim.model.Outcome;
import io.ishbase.sim.model.Run;
import io.ishbase.sim.parallel.RunThreads;
import io.ishbase.sim.workload.Parameters;
import io.ishbase.sim.workload.RequestStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** Designs and bounds side by side, under one load. */
public final class Comparison {
  private Comparison() {}

  /**
   * Runs them all.
   *
   * @param load the requests, from the first on each time it is asked, by any thread
   * @param progress called after each run, by the thread that made it
   * @param threads that make them
   * @throws IllegalArgumentException if the parameters are of no run
   */
  public static Figure of(
      String name,
      String title,
      List<Contender> contenders,
      Parameters parameters,
      Supplier<? extends RequestStream> load,
      Runnable progress,
      RunThreads threads) {
    List<String> labels = contenders.stream().map(Contender::label).toList();
    List<Callable<Outcome>> runs = new ArrayList<>();
    for (Contender contender : contenders) {
      runs.add(
          () -> {
            Outcome outcome = run(contender, parameters, load);
            progress.run();
            return outcome;
          });
    }
    List<Outcome> outcomes = threads.all(runs);
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

  private static Outcome run(
      Contender contender, Parameters parameters, Supplier<? extends RequestStream> load) {
    try {
      return Run.of(contender, parameters, load);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(contender.label() + ": " + e.getMessage(), e);
    }
  }

  private static Column column(String name, List<Outcome> of, ToDoubleFunction<Outcome> value) {
    return new Column(name, of.stream().map(value::applyAsDouble).toList(), false);
  }
}
