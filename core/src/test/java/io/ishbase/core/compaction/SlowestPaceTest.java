package io.ishbase.core.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SlowestPaceTest {
  private static final long GIGABYTE = 1L << 30;
  private static final long STEP_SECONDS = 10;

  private final AtomicLong nanos = new AtomicLong();
  private final SlowestPace pace = new SlowestPace(GIGABYTE, nanos::get);
  private double heldBackMillis;

  /** Seconds until it is late. */
  private long patience(long rate, double heldBackShare, boolean blocksWrites) {
    long start = nanos.get();
    while (true) {
      nanos.addAndGet(TimeUnit.SECONDS.toNanos(STEP_SECONDS));
      heldBackMillis += 1e3 * STEP_SECONDS * heldBackShare;
      long late = pace.check(rate, (long) heldBackMillis, blocksWrites);
      if (late > 0) {
        assertThat(late).isEqualTo(nanos.get());
        return TimeUnit.NANOSECONDS.toSeconds(nanos.get() - start);
      }
    }
  }

  private static void isAbout(long seconds, double expected) {
    assertThat(seconds).isBetween((long) expected, (long) expected + 2 * STEP_SECONDS);
  }

  @Test
  void aGigabyteHasTwentyMinutes() {
    isAbout(patience(0, 0, false), 1024 + 256);
  }

  @Test
  void whoeverMakesWayHasAsLongAsThatTakes() {
    isAbout(patience(0, 1, false), 32 * (1024 + 256));
  }

  @Test
  void halfOfTheTimeMakesNearlyTwice() {
    isAbout(patience(0, 0.5, false), (1024 + 256) / (0.5 + 0.5 / 32));
  }

  @Test
  void nobodyMakesWayWhileWritesAreBlocked() {
    isAbout(patience(0, 1, true), 1024 + 256);
  }

  @Test
  void whoSaysThatHeMadeWayForLongerThanThereWasIsNotBelieved() {
    isAbout(patience(0, 100, false), 32 * (1024 + 256));
  }

  @Test
  void theRateThatIsAllowedIsNoFaultOfTheWorker() {
    isAbout(patience(100 << 10, 0, false), (1024 + 256) * 1024 / 50.0);
    assertThat(pace.check(100 << 20, (long) heldBackMillis, false)).isPositive();
  }

  @Test
  void aHighRateMakesNobodyFaster() {
    isAbout(patience(100 << 20, 0, false), 1024 + 256);
  }
}
