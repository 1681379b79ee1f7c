package io.ishbase.dist.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnClockTest {
  @TempDir Path dir;

  @Test
  void itIsTheMachinesUntilItIsSetFromOutside() throws IOException {
    Path file = dir.resolve("clocks/server");
    OwnClock clock = new OwnClock(file);
    assertThat(hoursAhead(clock)).isZero();
    for (int hours : new int[] {72, -5, 0}) {
      new OwnClock(file).set(Duration.ofHours(hours));
      Await.until("the clock to be " + hours + " h off", () -> hoursAhead(clock) == hours);
    }
  }

  private static long hoursAhead(OwnClock clock) {
    return Math.round((clock.currentTime() - System.currentTimeMillis()) / 3_600_000.0);
  }
}
