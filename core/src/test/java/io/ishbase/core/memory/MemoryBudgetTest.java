package io.ishbase.core.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.memory.MemoryBudget.Consumer;
import io.ishbase.core.memory.MemoryBudget.Plan;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
  private static final long MB = 1 << 20;
  private static final long SUM = 1000 * MB;
  private static final int STEPS = 200;

  private static MemoryBudget budget(long heapLimit, long directLimit) {
    return new MemoryBudget(
        List.of(
            new Consumer("memstores", 50 * MB, 700 * MB, true),
            new Consumer("block cache", 10 * MB, 800 * MB, true),
            new Consumer("segment cache", 10 * MB, Math.min(900 * MB, directLimit), false)),
        heapLimit);
  }

  private static Utility concave(double weight, double scaleMb) {
    return bytes -> weight * (1 - Math.exp(-bytes / (scaleMb * MB)));
  }

  private static double value(List<Long> sizes, List<Utility> utilities) {
    double sum = 0;
    for (int i = 0; i < sizes.size(); i++) {
      sum += utilities.get(i).nanosPerSecond(sizes.get(i));
    }
    return sum;
  }

  /** The most that any split within the limits saves, on a grid finer than the budget's. */
  private static double best(List<Utility> utilities, long heapLimit, long directLimit) {
    double best = 0;
    for (long first = 50; first <= 700; first += 2) {
      for (long second = 10; second <= 800; second += 2) {
        long third = 1000 - first - second;
        if (third >= 10
            && third <= 900
            && (first + second) * MB <= heapLimit
            && third * MB <= directLimit) {
          best = Math.max(best, value(List.of(first * MB, second * MB, third * MB), utilities));
        }
      }
    }
    return best;
  }

  @Property(tries = 50)
  void findsTheBestSplitOfConcaveUtilitiesAndStaysThere(
      @ForAll @DoubleRange(min = 0, max = 1e9) double first,
      @ForAll @DoubleRange(min = 0, max = 1e9) double second,
      @ForAll @DoubleRange(min = 1e8, max = 1e9) double third,
      @ForAll @DoubleRange(min = 20, max = 2000) double scale,
      @ForAll @LongRange(min = 600, max = 900) long heapLimitMb,
      @ForAll @LongRange(min = 400, max = 900) long directLimitMb) {
    List<Utility> utilities =
        List.of(concave(first, scale), concave(second, 200), concave(third, 2 * scale));
    MemoryBudget budget = budget(heapLimitMb * MB, directLimitMb * MB);
    List<Long> sizes = List.of(300 * MB, 300 * MB, 400 * MB);
    for (int i = 0; i < STEPS; i++) {
      Plan plan = budget.next(sizes, utilities);
      List<Long> next = plan.sizes();
      assertThat(next.stream().mapToLong(Long::longValue).sum()).isEqualTo(SUM);
      for (int j = 0; j < 3; j++) {
        Consumer consumer = budget.consumers().get(j);
        assertThat(next.get(j)).isBetween(consumer.minBytes(), consumer.maxBytes());
        assertThat(Math.abs(next.get(j) - sizes.get(j))).isLessThanOrEqualTo(SUM / 4 + 3);
      }
      assertThat(next.get(0) + next.get(1)).isLessThanOrEqualTo(heapLimitMb * MB);
      assertThat(next.get(2)).isLessThanOrEqualTo(directLimitMb * MB);
      sizes = next;
    }
    assertThat(budget.next(sizes, utilities).stays()).isTrue();
    assertThat(value(sizes, utilities))
        .isGreaterThan(0.97 * best(utilities, heapLimitMb * MB, directLimitMb * MB));
  }

  @Test
  void crossesAPlateau() {
    // A scan of 600 MB over and over: nothing is hit until all of it fits.
    Utility scan = bytes -> bytes < 600 * MB ? 0 : 1e9;
    List<Utility> utilities = List.of(concave(1e6, 100), concave(1e6, 100), scan);
    MemoryBudget budget = budget(SUM, SUM);
    List<Long> sizes = List.of(400 * MB, 400 * MB, 200 * MB);
    for (int i = 0; i < STEPS; i++) {
      sizes = budget.next(sizes, utilities).sizes();
    }
    assertThat(sizes.get(2)).isGreaterThanOrEqualTo(600 * MB);
  }

  @Test
  void twoExchangeMemoryWhereBothLimitsAreReached() {
    List<Utility> utilities = List.of(Utility.NONE, concave(1e9, 1000), concave(1e9, 1000));
    MemoryBudget budget = budget(600 * MB, 400 * MB);
    List<Long> sizes = List.of(300 * MB, 300 * MB, 400 * MB);
    for (int i = 0; i < STEPS; i++) {
      sizes = budget.next(sizes, utilities).sizes();
    }
    assertThat(sizes).isEqualTo(List.of(50 * MB, 550 * MB, 400 * MB));
  }

  @Test
  void staysWhereNothingIsWorthAnything() {
    List<Long> sizes = List.of(400 * MB, 400 * MB, 200 * MB);
    Plan plan = budget(SUM, SUM).next(sizes, List.of(Utility.NONE, Utility.NONE, Utility.NONE));
    assertThat(plan.stays()).isTrue();
    assertThat(plan.sizes()).isEqualTo(sizes);
  }

  @Test
  void leavesOutWhatIsNotWorthTheMove() {
    // One consumer wants all: of the two others, which are worth nothing, each gives what it has.
    List<Utility> utilities = List.of(Utility.NONE, Utility.NONE, concave(1e9, 1000));
    MemoryBudget budget = budget(SUM, SUM);
    List<Long> sizes = List.of(400 * MB, 400 * MB, 200 * MB);
    for (int i = 0; i < STEPS; i++) {
      sizes = budget.next(sizes, utilities).sizes();
    }
    assertThat(sizes.get(2)).isGreaterThan(880 * MB);
  }

  @Test
  void sizesBeyondTheBoundsComeBack() {
    List<Utility> utilities = List.of(concave(1e9, 1000), Utility.NONE, concave(1e9, 1000));
    MemoryBudget budget = budget(SUM, SUM);
    List<Long> sizes = List.of(20 * MB, 20 * MB, 960 * MB);
    for (int i = 0; i < STEPS; i++) {
      sizes = budget.next(sizes, utilities).sizes();
    }
    assertThat(sizes.get(0)).isBetween(50 * MB, 700 * MB);
    assertThat(sizes.get(2)).isLessThanOrEqualTo(900 * MB);
  }

  @Test
  void boundsHoldWhateverItSaves() {
    // All that there is would be lost by moving, by a little.
    List<Utility> utilities = List.of(Utility.NONE, Utility.NONE, concave(1e9, 10));
    MemoryBudget budget = budget(SUM, SUM);
    List<Long> sizes = List.of(5 * MB, 45 * MB, 950 * MB);
    for (int i = 0; i < STEPS; i++) {
      sizes = budget.next(sizes, utilities).sizes();
    }
    assertThat(sizes.get(0)).isGreaterThanOrEqualTo(50 * MB);
    assertThat(sizes.get(2)).isLessThanOrEqualTo(900 * MB);
    assertThat(budget.next(sizes, utilities).stays()).isTrue();
  }

  @Test
  void theHeapsLimitComesBeforeTheBounds() {
    List<Long> sizes = List.of(20 * MB, 30 * MB, 950 * MB);
    Plan plan = budget(50 * MB, SUM).next(sizes, List.of(Utility.NONE, Utility.NONE, Utility.NONE));
    assertThat(plan.stays()).isTrue();
  }

  @Test
  void aMemstoreIsWorthWhatCompactionsItSpares() {
    MemstoreUtility writes = new MemstoreUtility(10e6, 20, 500 * MB);
    double three = writes.nanosPerSecond(300 * MB) - writes.nanosPerSecond(100 * MB);
    // Three times the size is one compaction less of each byte.
    assertThat(three).isBetween(0.95 * 10e6 * 20, 1.05 * 10e6 * 20);
    assertThat(writes.nanosPerSecond(900 * MB)).isEqualTo(writes.nanosPerSecond(500 * MB));
    assertThat(writes.nanosPerSecond(0)).isZero();
  }
}
