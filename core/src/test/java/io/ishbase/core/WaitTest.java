package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Times are milliseconds. */
class WaitTest {
  private static final long STEP = 10;

  private long answers;

  private static Wait wait(long late, long silent, long ago) {
    return new Wait(nanos(late), nanos(silent), nanos(ago), 0);
  }

  private static long nanos(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** The milliseconds until it is late, without a step that takes longer than it should. */
  private long untilLate(Wait wait) {
    long waited = 0;
    do {
      waited += wait.stepNanos();
      wait.stepped(wait.stepNanos(), answers++);
    } while (!wait.isLate());
    return TimeUnit.NANOSECONDS.toMillis(waited);
  }

  @Test
  void anAnswerIsLateOnceAndWhenItIsSaid() {
    Wait wait = wait(50, 1_000, 0);
    assertThat(untilLate(wait)).isEqualTo(50);
    for (int i = 0; i < 100; i++) {
      wait.stepped(nanos(STEP), answers++);
      assertThat(wait.isLate()).isFalse();
    }
  }

  @Test
  void whatWasSentLongAgoIsLateAfterAStep() {
    assertThat(untilLate(wait(50, 1_000, 10))).isEqualTo(40);
    assertThat(untilLate(wait(50, 1_000, 5_000))).isEqualTo(STEP);
  }

  @Test
  void whatIsAskedAgainIsLateAgain() {
    Wait wait = wait(50, 1_000, 0);
    assertThat(untilLate(wait)).isEqualTo(50);
    wait.again(nanos(70));
    assertThat(untilLate(wait)).isEqualTo(70);
  }

  @Test
  void aDaemonThatSaysNothingIsInDoubtThenAskedThenSilent() {
    Wait wait = wait(20, 80, 0);
    long waited = 0;
    while (!wait.isSilent()) {
      wait.stepped(nanos(STEP), 0);
      waited += STEP;
      assertThat(wait.asksForSign())
          .as("after %d ms, again for one that failed at once", waited)
          .isEqualTo(waited > 80 / 3 && !wait.isSilent());
      assertThat(wait.isUnanswered()).as("after %d ms", waited).isEqualTo(waited >= 20);
    }
    assertThat(waited).isEqualTo(80);
  }

  /** It may still be about to answer. */
  @Test
  void aDaemonThatHasJustAnsweredAnotherIsNotInDoubt() {
    Wait wait = wait(20, 80, 0);
    wait.stepped(nanos(STEP), 0);
    wait.stepped(nanos(STEP), 1);
    assertThat(wait.isLate()).isTrue();
    assertThat(wait.isUnanswered()).isFalse();
    wait.stepped(nanos(STEP), 1);
    assertThat(wait.isUnanswered()).isTrue();
  }

  /** However late the answer to one reader is. */
  @Test
  void aDaemonThatAnswersOthersIsNotSilent() {
    Wait wait = wait(20, 80, 0);
    for (int step = 0; step < 1_000; step++) {
      wait.stepped(nanos(STEP), 1 + step / 4);
      assertThat(wait.isSilent()).isFalse();
      // An answer in each fourth step: it is asked before the next only.
      assertThat(wait.asksForSign()).isEqualTo(step % 4 == 3);
    }
  }

  @Test
  void whoWaitsForTheDeadlineFindsNothingLateOrSilent() {
    Wait wait = new Wait(Long.MAX_VALUE, Long.MAX_VALUE, nanos(9_000), 0);
    for (int step = 0; step < 1_000; step++) {
      assertThat(wait.stepNanos()).isEqualTo(nanos(STEP));
      wait.stepped(nanos(STEP), 0);
      assertThat(wait.isLate() || wait.isSilent() || wait.asksForSign()).isFalse();
    }
  }

  /** A collection of the reader's own process, say, or a debugger. */
  @Property
  void thatTheReaderStoodStillIsNotTheDaemonsFault(
      @ForAll @IntRange(min = 0, max = 4) int before,
      @ForAll @IntRange(min = 31, max = 100_000) int pauseMillis) {
    Wait paused = wait(90, 80, 0);
    Wait other = wait(90, 80, 0);
    for (int step = 0; step < before; step++) {
      paused.stepped(paused.stepNanos(), 0);
      other.stepped(other.stepNanos(), 0);
    }
    paused.stepped(nanos(pauseMillis), 0);
    assertThat(paused.isLate() || paused.isSilent()).isFalse();
    while (!other.isSilent()) {
      assertThat(paused.isSilent()).isFalse();
      paused.stepped(paused.stepNanos(), 0);
      other.stepped(other.stepNanos(), 0);
      assertThat(paused.isLate()).isEqualTo(other.isLate());
    }
    assertThat(paused.isSilent()).isTrue();
  }
}
