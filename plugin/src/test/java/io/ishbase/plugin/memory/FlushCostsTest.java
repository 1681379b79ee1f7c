package io.ishbase.plugin.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class FlushCostsTest {
  private static final long MB = 1 << 20;
  private static final long SECOND = 1_000_000_000;

  private final FlushCosts costs = new FlushCosts();

  @Test
  void aByteCostsWhatItTookToWriteIt() {
    assertThat(costs.nanosOfByte()).isZero();
    costs.flushed(100 * MB, 2 * SECOND);
    costs.flushed(50 * MB, SECOND);
    assertThat(costs.nanosOfByte()).isCloseTo(3.0 * SECOND / (150 * MB), within(1e-6));
    assertThat(costs.takeFlushedBytes()).isEqualTo(150 * MB);
    assertThat(costs.takeFlushedBytes()).isZero();
  }

  @Test
  void whatFlushesOfLongAgoTookIsForgotten() {
    for (int i = 0; i < 10_000; i++) {
      costs.flushed(100 * MB, SECOND);
    }
    for (int i = 0; i < 1_000; i++) {
      costs.flushed(100 * MB, 10 * SECOND);
    }
    double now = 10.0 * SECOND / (100 * MB);
    assertThat(costs.nanosOfByte()).isBetween(0.9 * now, now);
  }

  /** HDFS may stand still for minutes, which is not what bytes take. */
  @Test
  void aFlushThatHungIsNotBelieved() {
    costs.flushed(128 * MB, 600 * SECOND);
    assertThat(costs.nanosOfByte()).isLessThan(500);
    FlushCosts usual = new FlushCosts();
    for (int i = 0; i < 64; i++) {
      usual.flushed(128 * MB, 20 * 128 * MB);
    }
    usual.flushed(128 * MB, 600 * SECOND);
    assertThat(usual.nanosOfByte()).isBetween(20.0, 30.0);
  }

  @Test
  void whatMakingASmallFileTakesIsNotThePriceOfItsBytes() {
    for (int i = 0; i < 1000; i++) {
      costs.flushed(100, SECOND / 2);
    }
    assertThat(costs.nanosOfByte()).isZero();
    costs.flushed(100 * MB, 2 * SECOND);
    assertThat(costs.nanosOfByte()).isCloseTo(2.0 * SECOND / (100 * MB), within(1e-6));
    // They were written all the same.
    assertThat(costs.takeFlushedBytes()).isEqualTo(100 * MB + 1000 * 100);
  }
}
