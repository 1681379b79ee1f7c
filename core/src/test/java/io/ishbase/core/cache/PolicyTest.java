package io.ishbase.core.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.cache.policy.Policy;
import java.util.Locale;
import java.util.Random;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;

/**
 * What other values of the policy would do, as the table of {@code docs/segment-cache.md}: share of
 * hits of Zipfian Gets (0.99) after few Gets and after many, of those to a hot range that moves,
 * and of Zipfian Gets beside a scan.
 */
class PolicyTest {
  private static final long BUDGET = (long) Workload.ROWS / 10 * Workload.PAYLOAD_BYTES;
  private static final Policy DEFAULT = Policy.DEFAULT;

  private record Shares(double few, double many, double moving, double scanned) {
    double sum() {
      return few + many + moving + scanned;
    }
  }

  private static double hits(Workload workload, IntSupplier rows, int gets) {
    return 1 - (double) workload.misses(rows, gets) / gets;
  }

  private static Shares shares(String what, Policy policy) {
    double few;
    double many;
    double moving;
    double scanned = 0;
    try (Workload workload = new Workload(BUDGET, false, policy)) {
      IntSupplier zipfian = Workload.zipfian(new Random(1), 0.99);
      workload.misses(zipfian, 2 * Workload.ROWS);
      few = hits(workload, zipfian, Workload.ROWS);
      workload.misses(zipfian, 3 * Workload.ROWS);
      many = hits(workload, zipfian, Workload.ROWS);
      for (int row = 0; row < Workload.ROWS; row += 100) {
        workload.scan(row, row + 100);
        scanned += hits(workload, zipfian, 100) * 100 / Workload.ROWS;
      }
    }
    try (Workload workload = new Workload(BUDGET, false, policy)) {
      IntSupplier range = Workload.movingRange(new Random(2), Workload.ROWS / 20, Workload.ROWS);
      workload.misses(range, 2 * Workload.ROWS);
      moving = hits(workload, range, 3 * Workload.ROWS);
    }
    System.out.printf(
        Locale.ROOT, "| %s | %.3f | %.3f | %.3f | %.3f |%n", what, few, many, moving, scanned);
    return new Shares(few, many, moving, scanned);
  }

  @Test
  void otherValuesAreHardlyBetter() {
    double byDefault = shares("default", DEFAULT).sum();
    double best = 0;
    for (double small : new double[] {0.01, 0.1}) {
      Policy policy =
          new Policy(small, DEFAULT.alpha(), DEFAULT.droppedShare(), DEFAULT.droppedInChange());
      best = Math.max(best, shares("small queue " + small, policy).sum());
    }
    for (double alpha : new double[] {0.02, 0.12, 0.5}) {
      Policy policy =
          new Policy(
              DEFAULT.smallShare(), alpha, DEFAULT.droppedShare(), DEFAULT.droppedInChange());
      best = Math.max(best, shares("alpha " + alpha, policy).sum());
    }
    for (double dropped : new double[] {0.1, 0.5}) {
      Policy policy =
          new Policy(DEFAULT.smallShare(), DEFAULT.alpha(), dropped, DEFAULT.droppedInChange());
      best = Math.max(best, shares("dropped " + dropped, policy).sum());
    }
    for (double inChange : new double[] {0.3, 0.9}) {
      Policy policy =
          new Policy(DEFAULT.smallShare(), DEFAULT.alpha(), DEFAULT.droppedShare(), inChange);
      best = Math.max(best, shares("dropped in a change " + inChange, policy).sum());
    }
    assertThat(byDefault).isGreaterThan(best - 0.02);
  }
}
