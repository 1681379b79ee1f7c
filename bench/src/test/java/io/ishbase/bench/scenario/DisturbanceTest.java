package io.ishbase.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.cluster.ClusterServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DisturbanceTest {
  private static final Duration NEVER = Duration.ofDays(1);

  private final List<String> done = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch begun = new CountDownLatch(1);

  private final Disturbance disturbance =
      new Disturbance() {
        @Override
        public void begin() {
          done.add("begin");
          begun.countDown();
        }

        @Override
        public void close() {
          done.add("close");
        }
      };

  private String awaitBegin() throws IOException {
    try {
      assertThat(begun.await(50, TimeUnit.SECONDS)).isTrue();
      done.add("measured");
      return "figures";
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  @Test
  void itBeginsWithinTheMeasurementAndIsUndoneAfterIt() throws IOException {
    assertThat(Disturbance.during(disturbance, Duration.ZERO, this::awaitBegin))
        .isEqualTo("figures");
    assertThat(done).containsExactly("begin", "measured", "close");
  }

  @Test
  void whatEndsBeforeIsNotDisturbed() throws IOException {
    assertThat(Disturbance.during(disturbance, NEVER, () -> "figures")).isEqualTo("figures");
    assertThat(done).containsExactly("close");
  }

  @Test
  void itIsUndoneAlsoWhenTheMeasurementFails() {
    assertThatThrownBy(
            () ->
                Disturbance.during(
                    disturbance,
                    Duration.ZERO,
                    () -> {
                      awaitBegin();
                      throw new IOException("a wrong value");
                    }))
        .hasMessage("a wrong value");
    assertThat(done).containsExactly("begin", "measured", "close");
  }

  @Test
  void aWindowThatCouldNotBeDisturbedIsNoFigure() {
    CountDownLatch failed = new CountDownLatch(1);
    Disturbance failing =
        new Disturbance() {
          @Override
          public void begin() throws IOException {
            failed.countDown();
            throw new IOException("no such process");
          }

          @Override
          public void close() {
            done.add("close");
          }
        };
    assertThatThrownBy(
            () ->
                Disturbance.during(
                    failing,
                    Duration.ZERO,
                    () -> {
                      try {
                        return failed.await(50, TimeUnit.SECONDS);
                      } catch (InterruptedException e) {
                        throw new IOException(e);
                      }
                    }))
        .hasMessage("no such process");
    assertThat(done).containsExactly("close");
  }

  @Test
  void aSlowProcessStopsAndGoesInTurnAndGoesInTheEnd() throws IOException {
    CountDownLatch often = new CountDownLatch(5);
    ClusterServer.Standstill standstill =
        new ClusterServer.Standstill() {
          @Override
          public void stop() {
            done.add("stop");
            often.countDown();
          }

          @Override
          public void go() {
            done.add("go");
          }

          @Override
          public void close() {
            done.add("close");
          }
        };
    Disturbance.during(
        Disturbances.slow(standstill, Duration.ofMillis(2)),
        Duration.ZERO,
        () -> {
          try {
            return often.await(50, TimeUnit.SECONDS);
          } catch (InterruptedException e) {
            throw new IOException(e);
          }
        });
    assertThat(done).hasSizeGreaterThanOrEqualTo(11).endsWith("stop", "go", "close");
    for (int i = 0; i < done.size() - 1; i++) {
      assertThat(done.get(i)).isEqualTo(i % 2 == 0 ? "stop" : "go");
    }
  }
}
