package io.ishbase.plugin.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.throttle.NoLimitThroughputController;
import org.apache.hadoop.hbase.regionserver.throttle.PressureAwareCompactionThroughputController;
import org.junit.jupiter.api.Test;

class ThrottleShareTest {
  private static final long LIMIT = 1 << 20;

  private final PressureAwareCompactionThroughputController controller =
      new PressureAwareCompactionThroughputController();

  ThrottleShareTest() {
    Configuration conf = new Configuration(false);
    conf.setLong("hbase.hstore.compaction.throughput.lower.bound", LIMIT);
    conf.setLong("hbase.hstore.compaction.throughput.higher.bound", LIMIT);
    controller.setConf(conf);
  }

  @Test
  void attemptsShareTheLimitAsTheyComeAndGo() {
    try (ThrottleShare first = new ThrottleShare(controller, "first")) {
      assertThat(first.bytesPerSecond()).isEqualTo(LIMIT);
      try (ThrottleShare second = new ThrottleShare(controller, "second")) {
        assertThat(first.bytesPerSecond() + second.bytesPerSecond()).isEqualTo(LIMIT);
      }
      assertThat(first.bytesPerSecond()).isEqualTo(LIMIT);
    }
  }

  @Test
  void theyShareItWithCompactionsHere() {
    try (ThrottleShare share = new ThrottleShare(controller, "there")) {
      controller.start("here");
      assertThat(share.bytesPerSecond()).isEqualTo(LIMIT / 2);
      assertThat(controller.toString()).contains("activeCompactions=2");
      controller.finish("here");
      assertThat(share.bytesPerSecond()).isEqualTo(LIMIT);
    }
    assertThat(controller.toString()).contains("activeCompactions=0");
  }

  @Test
  void aLimitThatHBaseLiftsIsLifted() {
    try (ThrottleShare share = new ThrottleShare(controller, "first")) {
      controller.setMaxThroughput(Double.MAX_VALUE);
      assertThat(share.bytesPerSecond()).isZero();
    }
    try (ThrottleShare share = new ThrottleShare(NoLimitThroughputController.INSTANCE, "first")) {
      assertThat(share.bytesPerSecond()).isZero();
    }
  }
}
