package io.ishbase.daemon.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class JobThrottleTest {
  private final AtomicBoolean goesOn = new AtomicBoolean(true);

  private CompletableFuture<Long> control(JobThrottle throttle, long bytes) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return throttle.control("compaction", bytes);
          } catch (InterruptedException e) {
            throw new CompletionException(e);
          }
        });
  }

  private static void awaitSteps(JobThrottle throttle, long steps) {
    while (throttle.steps() < steps) {
      Thread.onSpinWait();
    }
  }

  @Test
  void keepsToTheRate() throws Exception {
    JobThrottle throttle = new JobThrottle(100_000, goesOn::get);
    long start = System.nanoTime();
    for (int i = 0; i < 50; i++) {
      throttle.control("compaction", 1000);
    }
    // But for what it may be ahead: one pause and the first cell.
    assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)).isGreaterThan(350);
    assertThat(throttle.cells()).isEqualTo(50);
    assertThat(throttle.bytes()).isEqualTo(50_000);
  }

  @Test
  void aRaisedRateEndsAWait() throws Exception {
    JobThrottle throttle = new JobThrottle(1, goesOn::get);
    CompletableFuture<Long> waiting = control(throttle, 1_000_000);
    awaitSteps(throttle, 2);
    throttle.limit(JobThrottle.UNLIMITED);
    waiting.get(10, TimeUnit.SECONDS);
  }

  @Test
  void toWaitForTheRateIsToGetOn() throws Exception {
    JobThrottle throttle = new JobThrottle(1, goesOn::get);
    CompletableFuture<Long> waiting = control(throttle, 1_000_000);
    awaitSteps(throttle, 5);
    goesOn.set(false);
    waiting.get(10, TimeUnit.SECONDS);
    assertThatThrownBy(() -> throttle.control("compaction", 1))
        .isInstanceOf(InterruptedException.class);
  }
}
