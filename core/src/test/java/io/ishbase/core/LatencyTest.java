package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import org.junit.jupiter.api.Test;

class LatencyTest {
  private static final long DEADLINE = TimeUnit.SECONDS.toNanos(5);
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private final Latency latency = new Latency(3, DEADLINE);

  /** The part of the last 10,000 of 11,000 answers that were late. */
  private double late(LongSupplier nanos) {
    int late = 0;
    for (int i = 0; i < 11_000; i++) {
      long next = nanos.getAsLong();
      if (i >= 1_000 && next > latency.lateAfterNanos(0)) {
        late++;
      }
      latency.observed(0, next);
    }
    return late / 10_000.0;
  }

  @Test
  void whatIsNotKnownIsGivenTime() {
    assertThat(latency.lateAfterNanos(0)).isEqualTo(100 * MILLI);
    assertThat(latency.meanNanos(0)).isZero();
    assertThat(latency.silentAfterNanos(0)).isEqualTo(600 * MILLI);
    latency.signed(MILLI);
    assertThat(latency.silentAfterNanos(0)).isEqualTo(150 * MILLI);
  }

  @Test
  void eachKindHasItsOwn() {
    for (int i = 0; i < 1_000; i++) {
      latency.observed(0, MILLI);
      latency.observed(1, 300 * MILLI);
    }
    assertThat(latency.lateAfterNanos(0)).isEqualTo(10 * MILLI);
    assertThat(latency.lateAfterNanos(1)).isBetween(300 * MILLI, 1_000 * MILLI);
    assertThat(latency.lateAfterNanos(2)).isEqualTo(100 * MILLI);
    assertThat(latency.silentAfterNanos(0))
        .as("where answers take long so does silence")
        .isGreaterThan(1_000 * MILLI);
  }

  /** A line that is full delays signs as it does answers. */
  @Test
  void whereSignsTakeLongSoDoesSilence() {
    for (int i = 0; i < 1_000; i++) {
      latency.observed(0, MILLI);
      latency.signed(100 * MILLI);
    }
    assertThat(latency.silentAfterNanos(0)).isBetween(700 * MILLI, 800 * MILLI);
  }

  /** All handlers may have asked for blocks just before. */
  @Test
  void whereTheLineIsKeptBusySilenceTakesLonger() {
    latency.signed(MILLI);
    assertThat(latency.silentAfterNanos(100 * MILLI)).isEqualTo(150 * MILLI);
    assertThat(latency.silentAfterNanos(700 * MILLI)).isEqualTo(700 * MILLI);
    assertThat(latency.silentAfterNanos(DEADLINE)).isEqualTo(DEADLINE / 2);
  }

  @Test
  void halfTheDeadlineIsLateInAnyCase() {
    for (int i = 0; i < 100; i++) {
      latency.observed(0, DEADLINE);
    }
    assertThat(latency.lateAfterNanos(0)).isEqualTo(DEADLINE / 2);
    assertThat(latency.silentAfterNanos(0)).isEqualTo(DEADLINE / 2);
  }

  /** Else there would be more hedges than are allowed, of a daemon that is as it always is. */
  @Property(tries = 50)
  void fewAnswersOfADaemonThatStaysAsItIsAreLate(
      @ForAll @DoubleRange(min = 0.1, max = 300) double meanMillis, @ForAll long seed) {
    Random random = new Random(seed);
    assertThat(late(() -> (long) (-Math.log(1 - random.nextDouble()) * meanMillis * MILLI)))
        .isLessThan(0.01);
  }

  @Test
  void someOfADiskAmongManyOfMemoryAreLateOnlyIfTheyTakeVeryLong() {
    Random random = new Random(17);
    assertThat(late(() -> random.nextInt(20) == 0 ? 10 * MILLI : MILLI / 2)).isZero();
    assertThat(late(() -> random.nextInt(20) == 0 ? 2_000 * MILLI : MILLI / 2)).isLessThan(0.05);
  }

  @Test
  void aDaemonThatHasBecomeSlowIsSoonAsItIs() {
    late(() -> MILLI);
    int late = 0;
    for (int i = 0; i < 200; i++) {
      late += 50 * MILLI > latency.lateAfterNanos(0) ? 1 : 0;
      latency.observed(0, 50 * MILLI);
    }
    assertThat(late).isBetween(1, 5);
  }
}
