package io.ishbase.core.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProcessorBudgetTest {
  private static final int PROCESSORS = 4;
  private static final long QUARTER_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private double load;
  private int compactions = 1;
  private long nanos;
  private long compilerNanos;
  private final ProcessorBudget budget =
      new ProcessorBudget(
          PROCESSORS, 0.01, () -> load, () -> compilerNanos, () -> compactions, () -> nanos);

  /** All processors are that busy for some seconds. */
  private void steady(double allLoad) {
    steady(allLoad, 0, 0);
  }

  /** Compactions use a share of the processors for it, and write. */
  private void steady(double allLoad, double ownShare, double bytesPerSecond) {
    load = allLoad;
    for (int i = 0; i < 100; i++) {
      quarter(ownShare, bytesPerSecond);
    }
  }

  private void quarter(double ownShare, double bytesPerSecond) {
    nanos += QUARTER_NANOS;
    budget.used((long) (ownShare * PROCESSORS * QUARTER_NANOS), (long) (bytesPerSecond / 4));
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
  void isNotBoundedWhileHardlyAnythingElseRuns() {
    steady(0.1);
    assertSecondsPerSecond(0, PROCESSORS);
  }

  @Test
  void leavesAReserveOfWhatIsIdle() {
    steady(0.5);
    assertSecondsPerSecond(0, PROCESSORS * 0.2);
    assertThat(budget.othersLoad()).isCloseTo(0.5, within(1e-6));
  }

  @Test
  void givesTheLeastShareOfBusyProcessors() {
    steady(1);
    assertSecondsPerSecond(0, PROCESSORS * 0.01);
  }

  @Test
  void compactionsAndTheirHelpersDoNotCountAsOthers() {
    steady(0.9, 0.25, 500_000_000);
    assertThat(budget.othersLoad()).isCloseTo(0.15, within(1e-6));
    assertSecondsPerSecond(0, PROCESSORS);
    // What was used before the last sample does not count again.
    steady(0.9);
    assertThat(budget.othersLoad()).isCloseTo(0.9, within(1e-6));
  }

  @Test
  void theCompilerIsNotHeldUp() {
    load = 0.9;
    for (int i = 0; i < 100; i++) {
      compilerNanos += (long) (0.8 * PROCESSORS * QUARTER_NANOS);
      quarter(0, 0);
    }
    assertThat(budget.othersLoad()).isCloseTo(0.1, within(1e-6));
    assertSecondsPerSecond(0, PROCESSORS);
  }

  @Test
  void aShortLoadDoesNotBound() {
    load = 0.7;
    quarter(0, 0);
    assertSecondsPerSecond(0, PROCESSORS);
    quarter(0, 0);
    assertSecondsPerSecond(0, PROCESSORS * 0.01);
  }

  @Test
  void givesWayByHalvesUntilTheReserveIsIdle() {
    steady(1, 0.5, 0);
    assertSecondsPerSecond(0, PROCESSORS * 0.35);
    steady(0.9, 0.1, 0);
    assertSecondsPerSecond(0, PROCESSORS * 0.01);
    steady(0.6, 0.1, 0);
    assertSecondsPerSecond(0, PROCESSORS * 0.2);
  }

  @Test
  void compactionsShareIt() {
    compactions = 3;
    steady(0.4);
    assertSecondsPerSecond(0, PROCESSORS * 0.3 / 3);
  }

  @Test
  void aStoreUnderPressureGetsMore() {
    steady(1);
    assertSecondsPerSecond(0.5, PROCESSORS * 0.505);
    assertSecondsPerSecond(1, PROCESSORS);
    assertSecondsPerSecond(2, PROCESSORS);
  }

  @Test
  void aLoadThatIsNotKnownDoesNotBound() {
    steady(1);
    steady(-1);
    assertSecondsPerSecond(0, PROCESSORS);
    assertThat(budget.othersLoad()).isZero();
  }
}
