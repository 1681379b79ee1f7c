package io.ishbase.core.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WarmUpThrottleTest {
  private static final long RATE = 1_000_000;

  private long nanos;
  private final WarmUpThrottle throttle = new WarmUpThrottle(RATE, () -> nanos);

  @Test
  void whatAllFetchStaysBelowTheRate() {
    long bytes = 0;
    for (int i = 0; i < 1000; i++) {
      nanos += throttle.nanosFor(10_000);
      bytes += 10_000;
    }
    assertThat(bytes / (nanos / 1e9)).isBetween(0.99 * RATE, 1.06 * RATE);
  }

  @Test
  void afterAPauseNoMoreThanAShortBurstIsFree() {
    nanos += TimeUnit.HOURS.toNanos(1);
    assertThat(throttle.nanosFor(50_000)).isZero();
    assertThat(throttle.nanosFor(1)).isZero();
    assertThat(throttle.nanosFor(100_000)).isPositive();
    assertThat(throttle.nanosFor(1)).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(100));
  }
}
