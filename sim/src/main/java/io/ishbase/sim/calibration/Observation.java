package io.ishbase.sim.calibration;

import io.ishbase.sim.design.Designs;
import io.ishbase.sim.model.Outcome;
import io.ishbase.sim.model.Run;
import io.ishbase.sim.workload.Parameters;
import java.util.Map;

/**
 * Something that {@code bench} measured, and how the simulator does the same.
 *
 * @param build of what was measured: its costs are not those of another
 * @param scenario of {@code bench}
 * @param row under what it was measured, in words
 * @param load what the clients do
 * @param design how reads are answered
 * @param settings parameters of the run that are known, not fitted
 * @param rows of an operation; of a wide one, its cells
 * @param fits whether costs are fitted to it; else it is predicted
 */
public record Observation(
    String build,
    String scenario,
    String row,
    Load load,
    Designs design,
    Map<String, String> settings,
    int rows,
    boolean fits,
    Measured measured) {
  private static final int GETS = 8000;
  private static final int LEAST_OPERATIONS = 300;
  private static final int MOST_ROWS = 200_000;
  private static final long SEED = 1;

  /** What an operation is. */
  public enum Load {
    /** A Get of a row. */
    GET,
    /** Gets of several rows at once. */
    BATCH,
    /** A Scan of so many rows of one cell. */
    SCAN,
    /** A Scan of rows of many cells. The simulator's rows have one: its rows are these cells. */
    WIDE_SCAN,
    /** Gets, Scans and Puts. */
    MIXED
  }

  /**
   * What was measured.
   *
   * @param uncertainty of figures of an operation, relative: some operations began before a window
   *     or ended after it
   * @param bytesIn from storage, of an operation
   * @param bytesOut to storage, of an operation; NaN if nobody counted
   * @param storageReads of an operation; NaN if nobody counted
   * @param processorMillis of all processes, of an operation; NaN if nobody counted
   */
  public record Measured(
      long operations,
      double uncertainty,
      double perSecond,
      double meanMillis,
      double bytesIn,
      double bytesOut,
      double storageReads,
      double processorMillis) {}

  /**
   * What the simulator says of the same.
   *
   * @param inBusy share of the time in which the line from storage was in use
   * @param outBusy the same of the line to storage
   */
  public record Predicted(
      double perSecond,
      double meanMillis,
      double bytesIn,
      double bytesOut,
      double storageReads,
      double processorMillis,
      double inBusy,
      double outBusy) {}

  private boolean isByBlocks() {
    return design == Designs.B;
  }

  /** Gets of a batch by blocks are done one after the other: each is a request of the simulator. */
  private int requestsOfOperation() {
    return load == Load.BATCH && isByBlocks() ? rows : 1;
  }

  /** Runs the simulator with these costs. */
  public Predicted predict(Costs costs) {
    return predict(parameters(costs));
  }

  private Predicted predict(Parameters parameters) {
    Outcome outcome = Run.of(design, parameters, SEED);
    double operations = (double) outcome.requests() / requestsOfOperation();
    return new Predicted(
        operations * 1e9 / outcome.nanos(),
        outcome.meanNanos() * requestsOfOperation() / 1e6,
        outcome.bytesIn() / operations,
        outcome.bytesOut() / operations,
        outcome.rpcs() / operations,
        outcome.cpuNanos() / operations / 1e6,
        outcome.inBusy(),
        outcome.outBusy());
  }

  /** Parameters of the run. */
  Parameters parameters(Costs costs) {
    Parameters parameters = costs.applied(Parameters.seed());
    for (Map.Entry<String, String> setting : settings.entrySet()) {
      parameters = parameters.with(setting.getKey(), setting.getValue());
    }
    return switch (load) {
      case GET -> oneAtATime(parameters).with("get.share", 1).with("requests", GETS);
      case MIXED -> oneAtATime(parameters).with("requests", GETS);
      case SCAN -> scans(oneAtATime(parameters));
      case WIDE_SCAN -> scans(wide(oneAtATime(parameters), costs));
      case BATCH -> isByBlocks() ? inTurn(parameters, costs) : atOnce(parameters, costs);
    };
  }

  private static Parameters oneAtATime(Parameters parameters) {
    return parameters.with("request.cell.bytes", 0);
  }

  private Parameters scans(Parameters parameters) {
    int scans = Math.max(LEAST_OPERATIONS, Math.min(GETS, MOST_ROWS / rows));
    return parameters
        .with("get.share", 0)
        .with("scan.rows", rows)
        .with("scan.lengths", "fixed")
        .with("requests", scans)
        .with("warmup.requests", Math.min(scans, parameters.whole("warmup.requests")));
  }

  private Parameters wide(Parameters parameters, Costs costs) {
    double passing = rows * (1 - parameters.number("filter.share"));
    double ofCells =
        passing * costs.value(Costs.COLUMN) + (rows - passing) * costs.value(Costs.SKIPPED);
    return parameters
        .with("cpu.next.share", 0)
        .with("cpu.scan.us", parameters.number("cpu.scan.us") + ofCells)
        .with("cpu.cell.us", costs.value(Costs.COLUMN_AT_STORAGE));
  }

  private Parameters inTurn(Parameters parameters, Costs costs) {
    return parameters
        .with("cpu.query.us", costs.value(Costs.BATCHED))
        .with("get.share", 1)
        .with("requests", GETS);
  }

  /** As a Scan, whose cells are picked by key. */
  private Parameters atOnce(Parameters parameters, Costs costs) {
    return scans(parameters)
        .with("scan.more.cells", 0)
        .with("cpu.query.us", costs.value(Costs.BATCHED))
        .with("cpu.next.share", 1)
        .with("cpu.cell.us", costs.value(Costs.SEEK));
  }
}
