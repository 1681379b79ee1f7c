package io.ishbase.sim.calibration;

import io.ishbase.sim.calibration.Costs.Cost;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the costs with which the simulator does what was measured: least squares of relative
 * differences, each counted by its bound, by Gauss and Newton. The simulator itself is the function
 * that is fitted, so there is no second model. Of differences far beyond their bound only the
 * direction counts (Huber): what the model has not shall not bend the costs of what it has.
 */
public final class Calibration {
  /** Rounds of linearising and solving. */
  public static final int ROUNDS = 4;

  private static final int SWEEPS = 400;

  /** Differences in bounds, beyond which they count linearly. */
  private static final double FAR = 1;

  /** Part of a cost by which it is moved to see what that does. */
  private static final double STEP = 0.1;

  /** How much a step may be, as a part of the larger of the cost and its start. */
  private static final double TRUST = 0.7;

  /** Keeps what no observation says where it is. */
  private static final double RIDGE = 1e-3;

  /** A mean over n operations is known to about this over the root of n. */
  private static final double NOISE = 0.3;

  /** Of what was measured, what counts as predicted at least. */
  private static final double LEAST = 1e-6;

  private final List<Observation> observations;
  private final IntConsumer progress;

  private Calibration(List<Observation> observations, IntConsumer progress) {
    this.observations = observations;
    this.progress = progress;
  }

  /**
   * Fits costs.
   *
   * @param observations to fit to
   * @param progress is told of each round that is done, from 1
   * @throws IllegalArgumentException if there are none
   */
  public static Costs fit(List<Observation> observations, IntConsumer progress) {
    if (observations.isEmpty()) {
      throw new IllegalArgumentException("There is nothing to fit costs to");
    }
    return new Calibration(observations, progress).fit();
  }

  private Costs fit() {
    Costs costs = Costs.start();
    double[][] errors = errors(costs, null, null);
    Costs best = costs;
    double least = sum(errors);
    for (int round = 1; round <= ROUNDS; round++) {
      costs = improved(costs, errors);
      errors = errors(costs, null, null);
      if (sum(errors) < least) {
        least = sum(errors);
        best = costs;
      }
      progress.accept(round);
    }
    return best;
  }

  /** Differences by their bounds, of each observation; of those that a cost touches, if given. */
  private double[][] errors(Costs costs, @Nullable Cost only, double @Nullable [][] otherwise) {
    return IntStream.range(0, observations.size())
        .parallel()
        .mapToObj(
            i ->
                only == null || otherwise == null || only.isOf(observations.get(i))
                    ? errors(observations.get(i), costs)
                    : otherwise[i])
        .toArray(double[][]::new);
  }

  private static double[] errors(Observation observation, Costs costs) {
    double noise = NOISE / Math.sqrt(observation.measured().operations());
    return Check.of(observation, observation.predict(costs)).stream()
        .filter(check -> !check.isAbsolute() && !check.figure().equals("mean ms"))
        .mapToDouble(
            check ->
                StrictMath.log(Math.max(LEAST, 1 + check.difference())) / (check.bound() + noise))
        .toArray();
  }

  private static double weight(double error) {
    return Math.abs(error) <= FAR ? 1 : FAR / Math.abs(error);
  }

  private static double sum(double[][] errors) {
    return Arrays.stream(errors)
        .flatMapToDouble(Arrays::stream)
        .map(error -> weight(error) * error * error)
        .sum();
  }

  private Costs improved(Costs costs, double[][] errors) {
    List<Cost> fitted = Costs.FITTED;
    double[] residuals = flat(errors);
    double[] weights = Arrays.stream(residuals).map(Calibration::weight).toArray();
    double[][] slopes = new double[fitted.size()][];
    double[] scales = new double[fitted.size()];
    for (int i = 0; i < fitted.size(); i++) {
      Cost cost = fitted.get(i);
      double value = costs.value(cost.name());
      scales[i] = Math.max(value, cost.start());
      double part = value + STEP * scales[i] > cost.most() ? -STEP : STEP;
      Costs other = costs.with(cost.name(), value + part * scales[i]);
      double[] moved = flat(errors(other, cost, errors));
      // Of a unit of the scale.
      slopes[i] = new double[moved.length];
      for (int k = 0; k < moved.length; k++) {
        slopes[i][k] = (moved[k] - residuals[k]) / part;
      }
    }
    double[] steps = new double[fitted.size()];
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
      for (int i = 0; i < steps.length; i++) {
        descend(i, steps, residuals, slopes[i], weights, bounds(fitted.get(i), costs, scales[i]));
      }
    }
    Costs next = costs;
    for (int i = 0; i < steps.length; i++) {
      String name = fitted.get(i).name();
      next = next.with(name, Math.max(0, costs.value(name) + steps[i] * scales[i]));
    }
    return next;
  }

  /** The least and the largest step, in units of the scale. */
  private static double[] bounds(Cost cost, Costs costs, double scale) {
    double value = costs.value(cost.name());
    return new double[] {
      Math.max(-TRUST, -value / scale), Math.min(TRUST, (cost.most() - value) / scale)
    };
  }

  /** Moves one step to where the sum is least, and the residuals with it. */
  private static void descend(
      int i, double[] steps, double[] residuals, double[] slope, double[] weights, double[] most) {
    double gradient = RIDGE * steps[i];
    double curve = RIDGE;
    for (int k = 0; k < slope.length; k++) {
      gradient += weights[k] * slope[k] * residuals[k];
      curve += weights[k] * slope[k] * slope[k];
    }
    double wanted = Math.max(most[0], Math.min(most[1], steps[i] - gradient / curve));
    double by = wanted - steps[i];
    for (int k = 0; k < slope.length; k++) {
      residuals[k] += by * slope[k];
    }
    steps[i] = wanted;
  }

  private static double[] flat(double[][] errors) {
    return Arrays.stream(errors).flatMapToDouble(Arrays::stream).toArray();
  }
}
