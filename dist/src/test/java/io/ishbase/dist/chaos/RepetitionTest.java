package io.ishbase.dist.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class RepetitionTest {
  private final List<String> done = Collections.synchronizedList(new ArrayList<>());

  @Test
  void itIsDoneAgainAndAgainAndTheEndIsLast() throws Exception {
    CountDownLatch three = new CountDownLatch(3);
    Repetition repetition =
        Repetition.of(
            "test",
            pause -> {
              done.add("step");
              three.countDown();
              pause.of(Duration.ofMillis(1));
            },
            () -> done.add("end"));
    three.await();
    repetition.close();
    assertThat(done).hasSizeGreaterThanOrEqualTo(4).endsWith("step", "end");
    assertThat(done).containsOnlyOnce("end");
  }

  @Test
  void nobodyWaitsForTheEndOfAPause() throws Exception {
    CountDownLatch pausing = new CountDownLatch(1);
    Repetition repetition =
        Repetition.of(
            "test",
            pause -> {
              pausing.countDown();
              pause.of(Duration.ofDays(1));
            },
            () -> done.add("end"));
    pausing.await();
    repetition.close();
    assertThat(done).containsExactly("end");
  }

  @Test
  void whatCannotBeDoneAnyMoreEnds() throws Exception {
    Repetition repetition =
        Repetition.of(
            "test",
            pause -> {
              done.add("step");
              throw new IOException("gone");
            },
            () -> done.add("end"));
    repetition.close();
    assertThat(done.stream().filter("step"::equals).count()).isLessThanOrEqualTo(1);
    assertThat(done).endsWith("end");
  }
}
