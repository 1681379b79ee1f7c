package io.ishbase.sim.calibration;

import io.ishbase.sim.calibration.Observation.Load;
import io.ishbase.sim.calibration.Observation.Measured;
import io.ishbase.sim.calibration.Observation.Predicted;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A figure of an observation, predicted and measured.
 *
 * @param bound on the difference: relative, or absolute where {@code isAbsolute}
 * @param notJudged why what was measured says too little to judge by; null: it does not
 */
record Check(
    String figure,
    double predicted,
    double measured,
    double bound,
    boolean isAbsolute,
    @Nullable String notJudged) {
  private static final String NO_PROCESSORS = "no processor time";
  private static final String FEW_OPERATIONS = "few operations";

  /** A direction of the line that is in use so much of the time limits what is done. */
  private static final double LIMITS = 0.9;

  private static final double BYTES = 0.03;
  private static final double BYTES_OF_LONG_SCANS = 0.1;
  private static final int LONG_SCAN = 1000;
  private static final double RATE_OF_LINE = 0.05;
  private static final double LATENCY_OF_LINE = 0.1;
  private static final double RATE_OF_PROCESSORS = 0.2;

  /** Beyond so many standard errors a difference is one. */
  private static final double SURELY = 3;

  private static final double STORAGE_READS = 0.02;

  /** The figures that have a bound. */
  static List<Check> of(Observation observation, Predicted predicted) {
    Measured measured = observation.measured();
    boolean isLong = observation.load() == Load.SCAN && observation.rows() >= LONG_SCAN;
    double bytes = isLong ? BYTES_OF_LONG_SCANS : BYTES;
    boolean line = lineLimits(predicted);
    List<Check> checks = new ArrayList<>();
    checks.add(relative("bytes in", predicted.bytesIn(), measured.bytesIn(), bytes));
    if (!Double.isNaN(measured.bytesOut())) {
      checks.add(relative("bytes out", predicted.bytesOut(), measured.bytesOut(), bytes));
    }
    boolean hasProcessors = !Double.isNaN(measured.processorMillis());
    Check rate =
        relative(
            "ops/s",
            predicted.perSecond(),
            measured.perSecond(),
            line ? RATE_OF_LINE : RATE_OF_PROCESSORS);
    checks.add(line || hasProcessors ? rate : rate.notJudgedFor(NO_PROCESSORS));
    if (line) {
      checks.add(
          relative("mean ms", predicted.meanMillis(), measured.meanMillis(), LATENCY_OF_LINE));
    }
    if (hasProcessors) {
      checks.add(
          relative(
              "processor ms",
              predicted.processorMillis(),
              measured.processorMillis(),
              RATE_OF_PROCESSORS));
    }
    if (observation.load() == Load.GET && !Double.isNaN(measured.storageReads())) {
      checks.add(
          new Check(
              "storage reads/op",
              predicted.storageReads(),
              measured.storageReads(),
              STORAGE_READS,
              true,
              null));
    }
    return checks.stream()
        .map(
            check ->
                check.isLostIn(measured.uncertainty()) ? check.notJudgedFor(FEW_OPERATIONS) : check)
        .toList();
  }

  /** Whether the bound is less than what was measured may be off, and the difference no more. */
  private boolean isLostIn(double uncertainty) {
    return uncertainty > bound && Math.abs(difference()) <= bound + SURELY * uncertainty;
  }

  static boolean lineLimits(Predicted predicted) {
    return Math.max(predicted.inBusy(), predicted.outBusy()) >= LIMITS;
  }

  private static Check relative(String figure, double predicted, double measured, double bound) {
    return new Check(figure, predicted, measured, bound, false, null);
  }

  private Check notJudgedFor(String why) {
    return new Check(figure, predicted, measured, bound, isAbsolute, why);
  }

  /** How much more is predicted than was measured, as the bound is meant. */
  double difference() {
    return isAbsolute ? predicted - measured : predicted / measured - 1;
  }

  boolean isJudged() {
    return notJudged == null;
  }

  /** Whether it is within its bound, or not judged. */
  boolean holds() {
    return !isJudged() || Math.abs(difference()) <= bound;
  }
}
