package io.ishbase.daemon.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProcessorBudgetTest {
  private static final int PROCESSORS = 4;

  private double load;
  private int compactions = 1;
  private long nanos;
  private final ProcessorBudget budget =
      new ProcessorBudget(PROCESSORS, 0.01, () -> load, () -> compactions, () -> nanos);

  private void second(double allLoad) {
    nanos += TimeUnit.SECONDS.toNanos(1);
    load = allLoad;
    budget.sample();
  }

  private void assertSecondsPerSecond(double pressure, double expected) {
    assertThat(budget.secondsPerSecond(pressure)).isCloseTo(expected, within(1e-9));
  }

  @Test
  void isNotBoundedBeforeTheFirstSample() {
    assertSecondsPerSecond(0, PROCESSORS);
  }

  @Test
  void leavesAReserveOfWhatIsIdle() {
    second(0.5);
    assertSecondsPerSecond(0, PROCESSORS * 0.2);
    assertThat(budget.lastLoad()).isEqualTo(0.5);
  }

  @Test
  void givesTheLeastShareOfBusyProcessors() {
    second(1);
    assertSecondsPerSecond(0, PROCESSORS * 0.01);
  }

  @Test
  void itsOwnCompactionsDoNotCountAsLoad() {
    // Two of four processors.
    budget.used(TimeUnit.SECONDS.toNanos(2));
    second(0.8);
    assertSecondsPerSecond(0, PROCESSORS * 0.4);
    // What was used before the last sample does not count again.
    second(0.8);
    assertSecondsPerSecond(0, PROCESSORS * 0.01);
  }

  @Test
  void compactionsShareIt() {
    compactions = 3;
    second(0.4);
    assertSecondsPerSecond(0, PROCESSORS * 0.3 / 3);
  }

  @Test
  void aStoreUnderPressureGetsMore() {
    second(1);
    assertSecondsPerSecond(0.5, PROCESSORS * 0.505);
    assertSecondsPerSecond(1, PROCESSORS);
    assertSecondsPerSecond(2, PROCESSORS);
  }

  @Test
  void aLoadThatIsNotKnownDoesNotBound() {
    second(1);
    second(-1);
    assertSecondsPerSecond(0, PROCESSORS);
    assertThat(budget.lastLoad()).isZero();
  }
}
