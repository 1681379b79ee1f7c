package io.ishbase.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BusyTest {
  @Test
  void whatIsSaidIsUnderstoodAmidOtherWords() {
    assertThat(Busy.millis("CallQueueTooBigException: " + Busy.text(125) + "\n\tat nowhere"))
        .isEqualTo(125);
  }

  @Test
  void whatSaysNoTimeIsNotUnderstood() {
    assertThat(Busy.millis(null)).isZero();
    assertThat(Busy.millis("Call queue is full on x, too many items queued ?")).isZero();
    assertThat(Busy.millis("busy for 9999999999999999999999 ms")).isZero();
  }
}
