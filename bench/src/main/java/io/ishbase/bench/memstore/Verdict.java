package io.ishbase.bench.memstore;

import io.ishbase.bench.report.Row;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/**
 * How the policy that chooses for itself does in one figure beside a fixed one, and what it is to
 * reach.
 *
 * @param figure what is compared
 * @param against the fixed policy; empty if the figure itself is judged
 * @param best whether that is the best of the fixed ones in this figure
 * @param value the figure by the other's; empty if the other's is zero
 * @param bound what {@code value} is to reach
 * @param least whether it is to be at least, not at most, that
 */
public record Verdict(
    String figure,
    String against,
    boolean best,
    OptionalDouble value,
    double bound,
    boolean least) {
  /** What is judged, as a report calls it. */
  public static final String VALUE = "auto/fixed";

  /**
   * What was measured of a policy.
   *
   * @param amplification bytes of HFiles for each byte that clients wrote
   * @param readP99Millis 0 if nothing is read
   */
  public record Figures(
      double perSecond, double amplification, double gcMillis, double readP99Millis) {}

  private static final String THROUGHPUT = "throughput";
  private static final String HFILES = "HFile bytes";
  private static final String NONE = "NONE";

  /**
   * The verdicts on a workload.
   *
   * @param fixed HBase's policies by name, NONE among them
   */
  public static List<Verdict> of(Workload workload, Figures auto, Map<String, Figures> fixed) {
    Judge judge = new Judge(auto, fixed);
    boolean inTurn = workload == Workload.IN_TURN;
    judge.againstBest(THROUGHPUT, Figures::perSecond, inTurn ? 1.05 : 0.97, true);
    judge.againstBest(HFILES, Figures::amplification, inTurn ? 0.9 : 1.03, false);
    switch (workload) {
      case ZIPFIAN -> {
        judge.against(NONE, HFILES, Figures::amplification, 0.35, false);
        judge.against(NONE, THROUGHPUT, Figures::perSecond, 1.1, true);
        judge.against(NONE, "GC time", Figures::gcMillis, 0.78, false);
      }
      case UNIFORM -> {
        judge.against(NONE, HFILES, Figures::amplification, 1, false);
        judge.against(NONE, THROUGHPUT, Figures::perSecond, 1, true);
        judge.against(NONE, "GC time", Figures::gcMillis, 0.7, false);
      }
      case HALF_READS -> judge.against(NONE, "p99 of reads", Figures::readP99Millis, 0.88, false);
      case QUEUE -> judge.alone("HFile bytes per byte enqueued", auto.amplification, 0.1);
      default -> {
        // No more is asked for.
      }
    }
    return judge.verdicts;
  }

  /** Whether the target is reached; not if nobody can tell. */
  public boolean reached() {
    return value.isPresent()
        && (least ? value.getAsDouble() >= bound : value.getAsDouble() <= bound);
  }

  private String target() {
    return String.format(Locale.ROOT, "%s %.2f", least ? "≥" : "≤", bound);
  }

  private String outcome() {
    return value.isEmpty()
        ? against + " has none, nothing to compare with"
        : reached() ? "reached" : "missed";
  }

  /** As a row of a report's table, under the parameters of its workload. */
  public Row row(Map<String, String> parameters) {
    Map<String, Double> figures = new LinkedHashMap<>();
    value.ifPresent(number -> figures.put(VALUE, number));
    String other = against.isEmpty() ? "" : " / " + against + (best ? ", the best" : "");
    return new Row(parameters, "auto" + other + ": " + figure, figures, target(), "", outcome());
  }

  /** For machines. */
  public Map<String, Object> figures() {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("figure", figure);
    figures.put("against", against);
    figures.put("best", best);
    value.ifPresent(number -> figures.put("value", Math.round(number * 1000) / 1000.0));
    figures.put("target", target());
    figures.put("reached", reached());
    return figures;
  }

  /** Collects verdicts. */
  private static final class Judge {
    private final Figures auto;
    private final Map<String, Figures> fixed;
    private final List<Verdict> verdicts = new ArrayList<>();

    Judge(Figures auto, Map<String, Figures> fixed) {
      this.auto = auto;
      this.fixed = fixed;
    }

    void againstBest(String name, ToDoubleFunction<Figures> figure, double bound, boolean least) {
      String best = "";
      double record = 0;
      for (Map.Entry<String, Figures> each : fixed.entrySet()) {
        double value = figure.applyAsDouble(each.getValue());
        if (best.isEmpty() || (least ? value > record : value < record)) {
          best = each.getKey();
          record = value;
        }
      }
      verdicts.add(new Verdict(name, best, true, ratio(best, figure), bound, least));
    }

    void against(
        String other, String name, ToDoubleFunction<Figures> figure, double bound, boolean least) {
      verdicts.add(new Verdict(name, other, false, ratio(other, figure), bound, least));
    }

    void alone(String name, double value, double bound) {
      verdicts.add(new Verdict(name, "", false, OptionalDouble.of(value), bound, false));
    }

    private OptionalDouble ratio(String other, ToDoubleFunction<Figures> figure) {
      double divisor = figure.applyAsDouble(fixed.get(other));
      return divisor > 0
          ? OptionalDouble.of(figure.applyAsDouble(auto) / divisor)
          : OptionalDouble.empty();
    }
  }
}
