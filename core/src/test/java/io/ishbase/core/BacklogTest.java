package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BacklogTest {
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private final Backlog backlog = new Backlog(0);

  private void accept(int calls) {
    for (int i = 0; i < calls; i++) {
      backlog.accepted();
    }
  }

  @Test
  void halfOfWhatWaitsIsTakenUntilThen() {
    accept(1_000);
    assertThat(backlog.busyMillis(400, 1_000 * MILLI)).isEqualTo(200);
    assertThat(backlog.busyMillis(100, 1_001 * MILLI)).as("at the same pace").isEqualTo(50);
  }

  @Test
  void thePaceIsThatOfLate() {
    accept(1_000);
    backlog.busyMillis(400, 1_000 * MILLI);
    accept(50);
    assertThat(backlog.busyMillis(400, 1_500 * MILLI)).isEqualTo(2_000);
  }

  @Test
  void timesInWhichThereWasRoomSayNothing() {
    accept(36_000);
    assertThat(backlog.busyMillis(256, 3_600_000 * MILLI)).isEqualTo(10);
    accept(1_000);
    assertThat(backlog.busyMillis(256, 3_600_100 * MILLI)).isEqualTo(13);
  }

  @Test
  void whoTakesNothingOutIsBusyForLong() {
    backlog.busyMillis(256, 3_600_000 * MILLI);
    assertThat(backlog.busyMillis(256, 3_600_500 * MILLI)).isEqualTo(10_000);
  }

  @Test
  void itIsNeverBusyForNothingOrForEver() {
    assertThat(backlog.busyMillis(400, MILLI)).isEqualTo(10);
    accept(1);
    assertThat(backlog.busyMillis(1_000_000, 1_000 * MILLI)).isEqualTo(10_000);
    accept(1_000_000);
    assertThat(backlog.busyMillis(1, 2_000 * MILLI)).isEqualTo(10);
  }
}
