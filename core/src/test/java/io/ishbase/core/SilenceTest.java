package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SilenceTest {
  @Test
  void theFirstIsSaidAndThenOneInATime() {
    Silence silence = new Silence(100, Long.MAX_VALUE - 10);
    assertThat(silence.isOver(Long.MAX_VALUE - 10)).isTrue();
    assertThat(silence.next(Long.MAX_VALUE - 10)).isZero();
    assertThat(silence.next(Long.MAX_VALUE)).isEqualTo(-1);
    // The clock overflows.
    assertThat(silence.next(Long.MIN_VALUE + 80)).isEqualTo(-1);
    assertThat(silence.isOver(Long.MIN_VALUE + 80)).isFalse();
    assertThat(silence.next(Long.MIN_VALUE + 89)).isEqualTo(2);
    assertThat(silence.next(Long.MIN_VALUE + 189)).isZero();
  }
}
