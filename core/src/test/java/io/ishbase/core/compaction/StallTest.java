package io.ishbase.core.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class StallTest {
  private static final long LEASE_MILLIS = 20_000;

  private final AtomicLong nanos = new AtomicLong();
  private final Stall stall = new Stall(LEASE_MILLIS, nanos::get);

  /** Milliseconds without progress that are too many; 0: they are not. */
  private long check(long afterMillis, Long counter, boolean blocksWrites) {
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(afterMillis));
    return TimeUnit.NANOSECONDS.toMillis(stall.check(counter, blocksWrites));
  }

  @Test
  void aWorkerThatDoesNotGetOnHasFourLeases() {
    assertThat(check(1, 7L, false)).isZero();
    assertThat(check(4 * LEASE_MILLIS, 7L, false)).isZero();
    assertThat(check(1, 7L, false)).isEqualTo(4 * LEASE_MILLIS + 1);
  }

  @Test
  void oneLeaseWhileAStoreBlocksWrites() {
    assertThat(check(1, 7L, false)).isZero();
    assertThat(check(LEASE_MILLIS, 7L, true)).isZero();
    assertThat(check(1, 7L, true)).isEqualTo(LEASE_MILLIS + 1);
  }

  @Test
  void whatGetsOnIsNotStalledHoweverLongItTakes() {
    for (long counter = 1; counter < 10; counter++) {
      assertThat(check(5 * LEASE_MILLIS, counter, true)).isZero();
    }
  }

  @Test
  void anAnswerThatDoesNotSpeakOfItIsTakenForProgress() {
    for (int i = 0; i < 10; i++) {
      assertThat(check(5 * LEASE_MILLIS, null, true)).isZero();
    }
  }
}
