package io.ishbase.daemon.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MeasuredSpeedTest {
  private long nanos;
  private final MeasuredSpeed speed = new MeasuredSpeed(() -> nanos);

  @Test
  void isUnknownAtFirst() {
    assertThat(speed.bytesPerSecond()).isZero();
    assertThat(speed.bytes()).isZero();
  }

  @Test
  void largeCompactionsCountMore() {
    speed.add(10, 1000);
    speed.add(2990, 2000);
    assertThat(speed.bytesPerSecond()).isEqualTo(1000);
    assertThat(speed.bytes()).isEqualTo(3000);
  }

  @Test
  void oldOnesCountLess() {
    speed.add(8000, 8000);
    nanos += TimeUnit.MINUTES.toNanos(10);
    assertThat(speed.bytes()).isEqualTo(4000);
    assertThat(speed.bytesPerSecond()).isEqualTo(1000);
    speed.add(12_000, 4000);
    assertThat(speed.bytesPerSecond()).isEqualTo(2000);
    nanos += TimeUnit.DAYS.toNanos(1);
    assertThat(speed.bytes()).isZero();
  }
}
