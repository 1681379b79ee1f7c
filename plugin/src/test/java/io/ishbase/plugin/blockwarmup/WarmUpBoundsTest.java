package io.ishbase.plugin.blockwarmup;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WarmUpBoundsTest {
  private static final long HOUR_MILLIS = TimeUnit.HOURS.toMillis(1);

  private final ScheduledThreadPoolExecutor clock =
      (ScheduledThreadPoolExecutor) Executors.newScheduledThreadPool(1);

  @AfterEach
  void stop() {
    clock.shutdownNow();
  }

  @Test
  void noMoreThanSoManyAtOnce() {
    WarmUpBounds bounds = new WarmUpBounds(2, HOUR_MILLIS, clock);
    WarmUpBounds.Place first = bounds.enter();
    WarmUpBounds.Place second = bounds.enter();
    assertThat(bounds.enter()).isNull();
    first.close();
    first.close();
    assertThat(bounds.enter()).isNotNull();
    assertThat(bounds.enter()).isNull();
    second.close();
    assertThat(bounds.enter()).isNotNull();
  }

  @Test
  void eachEndsWhenItsTimeIsOver() throws Exception {
    CountDownLatch expired = new CountDownLatch(1);
    WarmUpBounds.Place place = new WarmUpBounds(1, 1, clock).enter();
    place.begin(expired::countDown);
    assertThat(expired.await(20, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void whatHasEndedDoesNotExpire() {
    clock.setRemoveOnCancelPolicy(true);
    WarmUpBounds.Place place = new WarmUpBounds(1, HOUR_MILLIS, clock).enter();
    place.begin(() -> {});
    assertThat(clock.getQueue()).hasSize(1);
    place.close();
    assertThat(clock.getQueue()).isEmpty();
    place.begin(() -> {});
    assertThat(clock.getQueue()).isEmpty();
  }
}
