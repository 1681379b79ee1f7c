package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReplicasTest {
  private final Map<String, Integer> loads = Map.of("a", 50, "b", 10, "c", 10);
  private final Set<String> closed = new HashSet<>();

  private String choose(Set<String> preferred) {
    return Replicas.choose(List.of("a", "b", "c"), preferred, closed::contains, loads::get);
  }

  @Test
  void aSlowHolderGetsAsManyReadsLessAsItIsSlower() {
    long milli = 1_000_000;
    assertThat(share(20 * milli, 2 * milli)).isEqualTo(0.1);
    assertThat(share(6 * milli, 2 * milli)).as("little in milliseconds").isEqualTo(1);
    assertThat(share(50 * milli, 20 * milli)).as("not many times as long").isEqualTo(1);
    assertThat(share(5_000 * milli, milli)).as("to learn of its recovery").isEqualTo(32 / 1000.0);
    assertThat(share(20 * milli, 0)).as("nothing is known of the other").isEqualTo(1);
    assertThat(share(0, 2 * milli)).as("nothing is known of it").isEqualTo(1);
  }

  /** The part of a thousand reads that go to it. */
  private static double share(long nanos, long fastest) {
    return IntStream.range(0, 1_000)
            .filter(i -> !Replicas.isPassedOver(nanos, fastest, i / 1000.0))
            .count()
        / 1000.0;
  }

  @Test
  void whoHasJustBegunGetsEverMoreOfItsReads() {
    assertThat(shareOfOneThatHasBegun(0)).isCloseTo(1 / 32.0, within(0.001));
    assertThat(shareOfOneThatHasBegun(0.5)).isEqualTo(0.5);
    assertThat(shareOfOneThatHasBegun(1)).isEqualTo(1);
  }

  private static double shareOfOneThatHasBegun(double begun) {
    return IntStream.range(0, 1_000).filter(i -> !Replicas.isSpared(begun, i / 1000.0)).count()
        / 1000.0;
  }

  @Test
  void whoAnswersMuchHasBegunSoonerThanInAMinute() {
    assertThat(Replicas.begun(0, 0)).isZero();
    assertThat(Replicas.begun(512, 1)).isEqualTo(0.25);
    assertThat(Replicas.begun(1, TimeUnit.SECONDS.toNanos(30))).isEqualTo(0.5);
    assertThat(Replicas.begun(10_000, 1)).isEqualTo(1);
    assertThat(Replicas.begun(0, TimeUnit.DAYS.toNanos(1000))).isEqualTo(1);
  }

  @Test
  void theLeastLoadedIsAskedTheFirstOfSeveral() {
    assertThat(choose(Set.of())).isEqualTo("b");
  }

  @Test
  void whoIsAskedAnywayIsAskedForThisToo() {
    assertThat(choose(Set.of("a"))).isEqualTo("a");
    closed.add("a");
    assertThat(choose(Set.of("a"))).isEqualTo("a");
  }

  @Test
  void whoFailedLatelyIsAskedOnlyIfAllDid() {
    closed.add("b");
    assertThat(choose(Set.of())).isEqualTo("c");
    closed.add("c");
    assertThat(choose(Set.of())).isEqualTo("a");
    closed.add("a");
    assertThat(choose(Set.of())).isEqualTo("b");
  }

  @Test
  void nobodyHoldsIt() {
    assertThat(Replicas.<String>choose(List.of(), Set.of(), closed::contains, loads::get)).isNull();
  }
}
