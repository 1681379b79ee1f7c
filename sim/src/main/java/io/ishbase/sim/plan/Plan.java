package io.ishbase.sim.plan;

import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * What IS-HBase would save on a cluster, and need. Each number is given for the inputs as they are
 * thought to be, and with the range in which nine of ten draws of the uncertain ones lie: a Latin
 * hypercube, so that each input takes all of its range.
 */
public final class Plan {
  private static final int DRAWS = 40;
  private static final int TO_MEASURE = 3;
  private static final String SPEED = "compaction.mb.s";

  private final Inputs inputs;
  private final long seed;
  private final List<TableCurves> curves;
  private final Estimates estimates;
  private final Values middle;
  private final Map<Answer, Range> answers = new EnumMap<>(Answer.class);

  /**
   * Makes a plan.
   *
   * @param seed of the draws
   * @param isDone called {@link #steps} times meanwhile
   */
  public Plan(Inputs inputs, long seed, Runnable isDone) {
    this(
        inputs,
        inputs.tables().stream()
            .map(table -> new TableCurves(inputs, table, seed, isDone))
            .toList(),
        seed,
        isDone);
  }

  /** The same of tables whose curves are known. */
  Plan(Inputs inputs, List<TableCurves> curves, long seed, Runnable isDone) {
    this.inputs = inputs;
    this.seed = seed;
    this.curves = List.copyOf(curves);
    middle = inputs.middle();
    estimates = new Estimates(inputs, curves, seed);
    List<Map<Answer, Double>> drawn =
        draws().parallelStream()
            .map(
                values -> {
                  Map<Answer, Double> of = estimates.of(values, true);
                  isDone.run();
                  return of;
                })
            .toList();
    Map<Answer, Double> thought = estimates.of(middle, true);
    for (Answer answer : Answer.values()) {
      answers.put(answer, range(valueOf(thought, answer), drawn, answer));
    }
  }

  /** How many steps it takes to make one. */
  public static int steps(Inputs inputs) {
    return DRAWS
        + inputs.tables().stream().mapToInt(table -> TableCurves.count(inputs, table)).sum();
  }

  private List<Values> draws() {
    SplittableRandom random = new SplittableRandom(seed);
    Map<String, double[]> places = new HashMap<>();
    for (String name : inputs.uncertain()) {
      double[] of = new double[DRAWS];
      for (int i = 0; i < DRAWS; i++) {
        int other = random.nextInt(i + 1);
        of[i] = of[other];
        of[other] = (i + random.nextDouble()) / DRAWS;
      }
      places.put(name, of);
    }
    double[] certain = new double[DRAWS];
    Arrays.fill(certain, 0.5);
    return IntStream.range(0, DRAWS)
        .mapToObj(draw -> inputs.draw(name -> places.getOrDefault(name, certain)[draw]))
        .toList();
  }

  private static double valueOf(Map<Answer, Double> of, Answer answer) {
    return of.getOrDefault(answer, Double.NaN);
  }

  private static Range range(double value, List<Map<Answer, Double>> drawn, Answer answer) {
    double[] sorted = drawn.stream().mapToDouble(of -> valueOf(of, answer)).sorted().toArray();
    int out = drawn.size() / 20;
    return new Range(
        Math.min(value, sorted[out]), value, Math.max(value, sorted[sorted.length - 1 - out]));
  }

  Inputs inputs() {
    return inputs;
  }

  Values middle() {
    return middle;
  }

  Range answer(Answer answer) {
    Range range = answers.get(answer);
    if (range == null) {
      throw new IllegalStateException("No " + answer);
    }
    return range;
  }

  Load load(Side side) {
    return estimates.load(side, middle);
  }

  double spread() {
    return estimates.spread();
  }

  Knee knee() {
    return Knee.of(inputs, middle, curves);
  }

  /** With that the other end of a name's range, and all else as it is thought to be. */
  private Values with(String name, double place) {
    return inputs.draw(other -> other.equals(name) ? place : 0.5);
  }

  /** Compactions if storage links were slow, with so many replicas. */
  CappedCompactions cappedCompactions(int replicas) {
    return CappedCompactions.of(middle, replicas);
  }

  /** Bytes a second that compactions read, and write again. */
  double compactedBytes() {
    return Compactions.of(inputs, middle).bytesPerSecond();
  }

  CompactionServers compactionServers() {
    return CompactionServers.of(inputs, middle, seed);
  }

  /** Compaction servers by the formula, if one compaction is as slow, or as fast, as it may be. */
  Range formulaServers() {
    return new Range(
        CompactionServers.formula(inputs, with(SPEED, 1)),
        CompactionServers.formula(inputs, middle),
        CompactionServers.formula(inputs, with(SPEED, 0)));
  }

  /** The same by simulation. */
  Range simulatedServers() {
    return new Range(
        CompactionServers.needed(inputs, with(SPEED, 1), seed),
        CompactionServers.needed(inputs, middle, seed),
        CompactionServers.needed(inputs, with(SPEED, 0), seed));
  }

  /**
   * The inputs whose range moves what IS-HBase saves and what the machines carry the most, the
   * first three, with the sum of these moves as parts of the numbers.
   */
  Map<String, Double> toMeasure() {
    Map<String, Double> moves = new HashMap<>();
    for (String name : inputs.uncertain()) {
      Map<Answer, Double> low = estimates.of(with(name, 0), false);
      Map<Answer, Double> high = estimates.of(with(name, 1), false);
      double move = 0;
      for (Answer answer :
          List.of(
              Answer.LINE_IN_TODAY,
              Answer.LINE_IN_WITH,
              Answer.CARRIED_TODAY,
              Answer.CARRIED_WITH)) {
        double value = answer(answer).value();
        move += value == 0 ? 0 : Math.abs(valueOf(high, answer) - valueOf(low, answer)) / value;
      }
      moves.put(name, move);
    }
    Map<String, Double> first = new LinkedHashMap<>();
    moves.entrySet().stream()
        .filter(entry -> entry.getValue() > 0)
        .sorted(
            Comparator.comparingDouble((Map.Entry<String, Double> entry) -> -entry.getValue())
                .thenComparing(Map.Entry::getKey))
        .limit(TO_MEASURE)
        .forEach(entry -> first.put(entry.getKey(), entry.getValue()));
    return first;
  }
}
