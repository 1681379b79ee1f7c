package io.ishbase.bench.memstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.ishbase.bench.memstore.Verdict.Figures;
import io.ishbase.bench.report.Row;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class VerdictTest {
  private static final Map<String, Figures> FIXED = new LinkedHashMap<>();

  static {
    FIXED.put("NONE", new Figures(1000, 2.0, 100, 10));
    FIXED.put("BASIC", new Figures(1200, 1.5, 90, 9));
    FIXED.put("EAGER", new Figures(900, 0.5, 150, 12));
  }

  private static List<Verdict> verdicts(Workload workload, Figures auto) {
    return Verdict.of(workload, auto, FIXED);
  }

  private static String text(Verdict verdict) {
    Row row = verdict.row(Map.of());
    return String.format(
        "%s %.3f, %s, %s",
        row.variant(), row.figures().get(Verdict.VALUE), row.target(), row.notes());
  }

  private static List<String> texts(Workload workload, Figures auto) {
    return verdicts(workload, auto).stream().map(VerdictTest::text).toList();
  }

  /** Each figure beside whatever policy is best in that figure. */
  @Test
  void theBestPolicyIsThatOfEachFigure() {
    assertThat(texts(Workload.COUNTERS, new Figures(1188, 0.52, 100, 0)))
        .containsExactly(
            "auto / BASIC, the best: throughput 0.990, ≥ 0.97, reached",
            "auto / EAGER, the best: HFile bytes 1.040, ≤ 1.03, missed");
  }

  @Test
  void changingWritesAreToBeDoneBetterThanByAnyFixedPolicy() {
    assertThat(texts(Workload.IN_TURN, new Figures(1260, 0.46, 100, 0)))
        .containsExactly(
            "auto / BASIC, the best: throughput 1.050, ≥ 1.05, reached",
            "auto / EAGER, the best: HFile bytes 0.920, ≤ 0.90, missed");
  }

  @Test
  void zipfianAndUniformWritesAreHeldAgainstNone() {
    assertThat(texts(Workload.ZIPFIAN, new Figures(1200, 0.5, 80, 0)))
        .endsWith(
            "auto / NONE: HFile bytes 0.250, ≤ 0.35, reached",
            "auto / NONE: throughput 1.200, ≥ 1.10, reached",
            "auto / NONE: GC time 0.800, ≤ 0.78, missed");
    assertThat(texts(Workload.UNIFORM, new Figures(990, 2, 70, 0)))
        .endsWith(
            "auto / NONE: HFile bytes 1.000, ≤ 1.00, reached",
            "auto / NONE: throughput 0.990, ≥ 1.00, missed",
            "auto / NONE: GC time 0.700, ≤ 0.70, reached");
  }

  @Test
  void halfReadsAreJudgedByTheirTailAndQueuesByBytes() {
    assertThat(texts(Workload.HALF_READS, new Figures(1200, 0.5, 80, 8.9)))
        .last()
        .isEqualTo("auto / NONE: p99 of reads 0.890, ≤ 0.88, missed");
    assertThat(texts(Workload.QUEUE, new Figures(1200, 0.09, 80, 0)))
        .last()
        .isEqualTo("auto: HFile bytes per byte enqueued 0.090, ≤ 0.10, reached");
  }

  /** A short window may be without any collection. */
  @Test
  void nothingIsJudgedBesideZero() {
    Map<String, Figures> fixed = new LinkedHashMap<>(FIXED);
    fixed.put("NONE", new Figures(1000, 2.0, 0, 10));
    Verdict verdict = Verdict.of(Workload.ZIPFIAN, new Figures(1200, 0.5, 0, 0), fixed).get(4);
    assertThat(verdict.value()).isEmpty();
    assertThat(verdict.reached()).isFalse();
    Row row = verdict.row(Map.of());
    assertThat(row.figures()).isEmpty();
    assertThat(row.notes()).isEqualTo("NONE has none, nothing to compare with");
    assertThat(verdict.figures()).doesNotContainKey("value").containsEntry("reached", false);
  }

  /** As does what is best, all targets but those beyond it. */
  @ParameterizedTest
  @EnumSource
  void aPolicyLikeTheBestReachesWhatIsAskedBesideThem(Workload workload) {
    for (Verdict verdict : verdicts(workload, new Figures(1200, 0.5, 0, 0))) {
      if (verdict.best()) {
        assertThat(verdict.value().getAsDouble()).isCloseTo(1, within(1e-9));
        assertThat(verdict.reached()).isEqualTo(workload != Workload.IN_TURN);
      }
    }
  }

  @Test
  void rowsKeepTheParametersOfTheirWorkload() {
    Map<String, String> parameters = Map.of("load", "queue", "cap", "uncapped");
    assertThat(verdicts(Workload.QUEUE, FIXED.get("NONE")))
        .allSatisfy(each -> assertThat(each.row(parameters).parameters()).isEqualTo(parameters));
  }
}
