package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** In virtual time. */
class LineMeterTest {
  private static final long EMPTY_NANOS = 100_000;

  private final LineMeter meter = new LineMeter();
  private final Random random = new Random(1);
  private boolean changed;
  private long now = TimeUnit.DAYS.toNanos(3);

  /** A probe over a line of so many Mbps; {@code noise}: nanoseconds that each answer may wait. */
  private void probe(double mbps, long noise) {
    probe(mbps, noise(noise), noise(noise));
  }

  private void probe(double mbps, long emptyWaits, long fullWaits) {
    int bytes = meter.probeBytes();
    long full = EMPTY_NANOS + (long) (bytes * 8e3 / mbps) + fullWaits;
    changed = meter.probed(bytes, EMPTY_NANOS + emptyWaits, full, now);
    now += meter.pauseNanos();
  }

  private long noise(long most) {
    return most == 0 ? 0 : random.nextLong(most);
  }

  /** What is waited for a processor that others have: often little, sometimes long. */
  private long processor(double meanMillis) {
    return (long) (-Math.log(1 - random.nextDouble()) * meanMillis * 1e6);
  }

  private void probes(double mbps, long noise) {
    probes(4, mbps, noise);
  }

  private void probes(int count, double mbps, long noise) {
    for (int i = 0; i < count; i++) {
      probe(mbps, noise);
    }
  }

  @Test
  void aLineOfWhichNothingIsKnownIsNotShort() {
    assertThat(meter.isShort()).isFalse();
    probe(8, 0);
    assertThat(meter.isShort()).isFalse();
  }

  @Test
  void fourProbesTellAShortLine() {
    for (double mbps : new double[] {1, 8, 128}) {
      probes(mbps, 0);
      assertThat(meter.isShort()).isTrue();
      assertThat(meter.bytesPerSecond()).isCloseTo(mbps * 125_000, within(mbps * 10_000));
    }
    for (int i = 0; i < 20; i++) {
      probe(10_000, 0);
    }
    assertThat(meter.isShort()).isFalse();
  }

  @Test
  void eightLargeOnesTellOneThatIsNotSlow() {
    probes(4 + 7, 512, 0);
    assertThat(meter.isShort()).isFalse();
    assertThat(meter.probeBytes()).isEqualTo(LineMeter.LARGE_BYTES);
    probe(512, 0);
    assertThat(meter.isShort()).isTrue();
    assertThat(meter.bytesPerSecond()).isCloseTo(64e6, within(5e6));
  }

  @Test
  void whatCameLongAgoSaysNothing() {
    for (int i = 0; i < 20; i++) {
      now += TimeUnit.MILLISECONDS.toNanos(100);
      meter.received(100_000_000, now);
    }
    now += TimeUnit.SECONDS.toNanos(5);
    probes(32, 0);
    assertThat(meter.isShort()).isTrue();
  }

  @Test
  void saysWhenItHasChanged() {
    probes(10_000, 0);
    assertThat(changed).isFalse();
    probes(32, 0);
    assertThat(changed).as("short now").isTrue();
    probe(32, 0);
    assertThat(changed).isFalse();
    probe(64, 0);
    assertThat(changed).as("not by much").isFalse();
    probe(128, 0);
    assertThat(changed).as("four times as much").isTrue();
    int changes = 0;
    for (int i = 0; i < 20; i++) {
      probe(10_000, 0);
      changes += changed ? 1 : 0;
    }
    assertThat(changes).as("short no more").isOne();
  }

  @Test
  void aLineThatIsWidenedIsSaidToHaveChangedBeforeItIsBelievedToStaySo() {
    probes(12, 512, 0);
    now += TimeUnit.SECONDS.toNanos(3);
    probe(10_000, 0);
    assertThat(changed).as("too soon: shapers let some bytes pass").isFalse();
    now += TimeUnit.SECONDS.toNanos(2);
    probe(10_000, 0);
    assertThat(changed).isTrue();
    assertThat(meter.isShort()).isTrue();
    probe(10_000, 0);
    assertThat(changed).isFalse();
  }

  @Test
  void aShaperThatLetsAProbePassSeldomMisleads() {
    int flips = 0;
    int changes = 0;
    boolean before = false;
    for (int i = 0; i < 4000; i++) {
      // Full while answers are large.
      probe(meter.isShort() ? 10_000 : 512, 0);
      flips += meter.isShort() == before ? 0 : 1;
      changes += changed ? 1 : 0;
      before = meter.isShort();
    }
    assertThat(flips).isLessThan(25);
    assertThat(changes).isLessThan(50);
  }

  @Test
  void whatWaitsForProcessorsIsNoShortLine() {
    for (int i = 0; i < 200; i++) {
      probe(20_000, TimeUnit.MICROSECONDS.toNanos(400));
      assertThat(meter.isShort()).isFalse();
    }
    for (int i = 0; i < 4000; i++) {
      probe(20_000, processor(1.5), processor(1.5));
      assertThat(meter.isShort()).as("probe %s", i).isFalse();
    }
  }

  @Test
  void aLineThatWasShortIsNoMoreThoughProcessorsAreBusy() {
    probes(12, 512, 0);
    assertThat(meter.isShort()).isTrue();
    int probes = 0;
    while (meter.isShort()) {
      probe(20_000, processor(1.5), processor(1.5));
      probes++;
    }
    assertThat(probes).isLessThan(100);
  }

  @Test
  void aQueueOfAnswersIsOne() {
    probes(20, 128, TimeUnit.MILLISECONDS.toNanos(60));
    for (int i = 0; i < 200; i++) {
      probe(128, TimeUnit.MILLISECONDS.toNanos(60));
      assertThat(meter.isShort()).isTrue();
    }
  }

  @Test
  void itCarriesAtLeastWhatCame() {
    probes(100, 0);
    for (int i = 0; i < 100; i++) {
      now += TimeUnit.MILLISECONDS.toNanos(10);
      meter.received(5_000_000, now);
    }
    assertThat(meter.bytesPerSecond()).isCloseTo(500e6, within(30e6));
    probe(100, 0);
    assertThat(meter.isShort()).isFalse();
    // And no more than that for long.
    now += TimeUnit.SECONDS.toNanos(3);
    meter.received(1, now);
    probe(100, 0);
    assertThat(meter.bytesPerSecond()).isLessThan(20e6);
    assertThat(meter.isShort()).isTrue();
  }

  @Test
  void probesTakeUpLittleOfTheLine() {
    for (double mbps : new double[] {8, 32, 128, 512, 10_000}) {
      probes(mbps, 0);
      double share = meter.probeBytes() * 1e9 / meter.pauseNanos() / (mbps * 125_000);
      assertThat(share).isLessThan(0.007);
      assertThat(meter.pauseNanos())
          .isBetween(TimeUnit.MILLISECONDS.toNanos(500), TimeUnit.SECONDS.toNanos(10));
    }
  }
}
