package io.ishbase.daemon.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.compaction.ProcessorBudget;
import io.ishbase.testing.Await;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class JobThrottleTest {
  private final AtomicBoolean goesOn = new AtomicBoolean(true);

  private volatile double load = -1;
  private final ProcessorBudget budget =
      new ProcessorBudget(1, 0.01, () -> load, () -> 0, () -> 1, System::nanoTime);

  private JobThrottle throttle(long bytesPerSecond) {
    return new JobThrottle(budget, bytesPerSecond, 0, goesOn::get);
  }

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
    Await.until(steps + " steps", () -> throttle.steps() >= steps);
  }

  @Test
  void keepsToTheRate() throws Exception {
    JobThrottle throttle = throttle(100_000);
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
    JobThrottle throttle = throttle(1);
    CompletableFuture<Long> waiting = control(throttle, 1_000_000);
    awaitSteps(throttle, 2);
    throttle.limit(JobThrottle.UNLIMITED, 0);
    waiting.get(1, TimeUnit.MINUTES);
  }

  @Test
  void toWaitForTheRateIsToGetOn() throws Exception {
    JobThrottle throttle = throttle(1);
    CompletableFuture<Long> waiting = control(throttle, 1_000_000);
    awaitSteps(throttle, 5);
    goesOn.set(false);
    waiting.get(1, TimeUnit.MINUTES);
    assertThatThrownBy(() -> throttle.control("compaction", 1))
        .isInstanceOf(InterruptedException.class);
  }

  @Test
  void keepsToTheProcessorTimeThatCanBeSpared() throws Exception {
    JobThrottle throttle = throttle(JobThrottle.UNLIMITED);
    throttle.control("compaction", 1 << 14);
    load = 1;
    IntStream.range(0, 20).forEach(i -> budget.sample());
    long startNanos = System.nanoTime();
    long startCpuNanos = cpuNanos();
    while (cpuNanos() - startCpuNanos < TimeUnit.MILLISECONDS.toNanos(5)) {
      throttle.control("compaction", 1 << 14);
    }
    // A hundredth of the time, but for the last pause.
    assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos)).isGreaterThan(400);
    assertThat(throttle.steps()).isGreaterThan(throttle.cells());
    assertThat(throttle.heldBackMillis()).isGreaterThan(300);
  }

  @Test
  void aStoreThatBlocksWritesDoesNotWaitForProcessors() throws Exception {
    JobThrottle throttle = throttle(JobThrottle.UNLIMITED);
    load = 1;
    IntStream.range(0, 20).forEach(i -> budget.sample());
    throttle.control("compaction", 1 << 20);
    throttle.limit(JobThrottle.UNLIMITED, 1);
    long startCpuNanos = cpuNanos();
    while (cpuNanos() - startCpuNanos < TimeUnit.MILLISECONDS.toNanos(20)) {
      throttle.control("compaction", 1 << 20);
    }
    assertThat(throttle.steps()).as("each pause is a step").isEqualTo(throttle.cells());
  }

  private static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }
}
