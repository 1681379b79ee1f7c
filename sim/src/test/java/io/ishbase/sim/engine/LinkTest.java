package io.ishbase.sim.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LinkTest {
  private final EventLoop loop = new EventLoop();

  static List<Bandwidth> bandwidths() {
    return List.of(
        Bandwidth.constant(8),
        Bandwidth.sine(512, 1_000_000_000),
        Bandwidth.sine(3, 7),
        Bandwidth.trace(1_000_000, 100, 0, 3, 0.5));
  }

  @ParameterizedTest
  @MethodSource("bandwidths")
  void aTransferEndsWhenTheIntegralIsItsSize(Bandwidth bandwidth) {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 1000; i++) {
      long from = random.nextLong(10_000_000_000L);
      double bits = random.nextInt(1, 10_000_000);
      long end = bandwidth.when(from, bits);
      assertThat(bandwidth.bits(from, end)).isGreaterThanOrEqualTo(bits - 0.001);
      assertThat(bandwidth.bits(from, end - 1)).isLessThan(bits + 0.001);
    }
  }

  @Test
  void theIntegralIsThatOfTheBandwidth() {
    Bandwidth sine = Bandwidth.sine(512, 1_000_000_000);
    double sum = 0;
    for (long at = 0; at < 1_700_000_000; at += 10_000) {
      sum += sine.mbps(at + 5_000) / 1e3 * 10_000;
    }
    assertThat(sine.bits(0, 1_700_000_000)).isCloseTo(sum, within(sum * 1e-6));
    // A whole period has its mean.
    assertThat(sine.bits(123_456, 1_000_123_456)).isCloseTo(256e6, within(1.0));
    Bandwidth trace = Bandwidth.trace(1000, 1, 3);
    assertThat(trace.bits(500, 2500)).isCloseTo(0.5 + 3 + 0.5, within(1e-9));
  }

  @Test
  void transfersShareTheLineAlike() {
    Link link = new Link(loop, Bandwidth.constant(8)); // a byte each microsecond
    List<String> ends = new ArrayList<>();
    send(link, 1000, "a", ends);
    send(link, 3000, "b", ends);
    loop.in(1_000_000, new EventLoop.Timer(() -> send(link, 500, "c", ends)));
    while (loop.step()) {}
    // Until 1 ms each has got 500 bytes; then a third of the line each, so a and c end at 2.5 ms.
    assertThat(ends).containsExactly("a 2500000", "c 2500000", "b 4500000");
    assertThat(link.bytes()).isEqualTo(4500);
    assertThat(link.busyNanos()).isEqualTo(4_500_000);
  }

  @Test
  void aTransferUnderWayGoesOnWhenTheLineChanges() {
    Link link = new Link(loop, Bandwidth.constant(8));
    List<String> ends = new ArrayList<>();
    send(link, 1000, "a", ends);
    loop.in(400_000, new EventLoop.Timer(() -> link.become(Bandwidth.constant(16))));
    while (loop.step()) {}
    assertThat(ends).containsExactly("a 700000");
  }

  @ParameterizedTest
  @MethodSource("bandwidths")
  void bytesAreConserved(Bandwidth bandwidth) {
    Link link = new Link(loop, bandwidth);
    SplittableRandom random = new SplittableRandom(2);
    List<String> ends = new ArrayList<>();
    long[] sent = {0};
    for (int i = 0; i < 2000; i++) {
      long size = random.nextInt(1, 3000);
      long at = random.nextLong(2_000_000_000L);
      sent[0] += size;
      loop.at(at, new EventLoop.Timer(() -> send(link, size, "t", ends)));
    }
    while (loop.step()) {}
    assertThat(ends).hasSize(2000);
    assertThat(link.bytes()).isEqualTo(sent[0]);
    assertThat(link.underWay()).isZero();
    assertThat(bandwidth.bits(0, loop.now())).isGreaterThanOrEqualTo(8.0 * sent[0] - 2000);
  }

  private void send(Link link, long size, String name, List<String> ends) {
    link.send(new Link.Transfer(() -> ends.add(name + " " + loop.now())), size);
  }
}
