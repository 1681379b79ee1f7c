package io.ishbase.core.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PatienceTest {
  private long nanos = 5;
  private final Patience patience = new Patience(() -> nanos);

  @Test
  void endsWhenItsTimeIsOver() {
    nanos += TimeUnit.MILLISECONDS.toNanos(999);
    assertThat(patience.isLeft(1000, 0.5, false)).isTrue();
    nanos += TimeUnit.MILLISECONDS.toNanos(1);
    assertThat(patience.isLeft(1000, 0.5, false)).isFalse();
  }

  @Test
  void noneForWhoeverBlocksWrites() {
    assertThat(patience.isLeft(1000, 0.5, true)).isFalse();
    assertThat(patience.isLeft(1000, 1, false)).isFalse();
    assertThat(patience.isLeft(0, 0, false)).isFalse();
  }
}
