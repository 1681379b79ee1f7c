package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuarantineTest {
  private final Quarantine quarantine = new Quarantine(1_000, 8_000);

  @Test
  void admitsWhatNeverFailed() {
    assertThat(quarantine.admits("a", 0)).isTrue();
  }

  @Test
  void closesAfterAFailureAndLetsOneTryWhenTheTimeIsOver() {
    quarantine.failed("a", 0);
    assertThat(quarantine.admits("a", 999)).isFalse();
    assertThat(quarantine.admits("b", 999)).isTrue();
    assertThat(quarantine.admits("a", 1_000)).isTrue();
    assertThat(quarantine.admits("a", 1_000)).isFalse();
  }

  @Test
  void sayingThatItIsClosedTakesNobodysTry() {
    assertThat(quarantine.isClosed("a", 0)).isFalse();
    quarantine.failed("a", 0);
    assertThat(quarantine.isClosed("a", 999)).isTrue();
    assertThat(quarantine.isClosed("a", 1_000)).isFalse();
    assertThat(quarantine.isClosed("a", 1_000)).isFalse();
    assertThat(quarantine.admits("a", 1_000)).isTrue();
    assertThat(quarantine.isClosed("a", 1_000)).isTrue();
  }

  /** Nothing is left alone for longer than the longest time, whatever the clock does. */
  @Test
  void aClockThatIsSetBackKeepsNothingClosed() {
    long hour = 3_600_000;
    quarantine.failed("a", 2 * hour);
    assertThat(quarantine.isClosed("a", hour)).isFalse();
    assertThat(quarantine.closed(hour)).isEmpty();
    assertThat(quarantine.admits("a", hour)).as("the try").isTrue();
    assertThat(quarantine.admits("a", hour)).as("the others").isFalse();
    quarantine.failed("a", hour);
    assertThat(quarantine.admits("a", hour + 8_000)).isTrue();
  }

  @Test
  void whatIsBusyIsClosedForAsLongAsItSays() {
    quarantine.close("a", 0, 50);
    assertThat(quarantine.admits("a", 49)).isFalse();
    assertThat(quarantine.admits("a", 50)).as("the try").isTrue();
    assertThat(quarantine.admits("a", 50)).isFalse();
    quarantine.close("a", 60, 2_000);
    assertThat(quarantine.admits("a", 2_059)).isFalse();
    assertThat(quarantine.admits("a", 2_060)).isTrue();
    quarantine.close("a", 3_000, 1_000_000);
    assertThat(quarantine.admits("a", 11_000)).as("never longer than the longest time").isTrue();
  }

  @Test
  void whatHasFailedStaysClosedThoughItSaysThatItIsBusy() {
    quarantine.failed("a", 0);
    quarantine.close("a", 10, 50);
    assertThat(quarantine.admits("a", 999)).isFalse();
    assertThat(quarantine.admits("a", 1_000)).isTrue();
  }

  /** Of many requests under way one is answered: others still find no room. */
  @Test
  void whatSaysThatItIsBusyStaysClosedThoughItAnswers() {
    quarantine.close("a", 0, 50);
    quarantine.succeeded("a", 10, 10);
    assertThat(quarantine.admits("a", 49)).isFalse();
    quarantine.succeeded("a", 50, 50);
    assertThat(quarantine.size()).isZero();
  }

  @Test
  void aTryThatIsTurnedAwayWaitsForAsLongAsItIsTold() {
    quarantine.failed("a", 0);
    assertThat(quarantine.admits("a", 1_000)).isTrue();
    quarantine.close("a", 1_001, 10);
    assertThat(quarantine.admits("a", 1_010)).isFalse();
    assertThat(quarantine.admits("a", 1_011)).isTrue();
  }

  @Test
  void aTryThatNobodyKnowsTheEndOfIsGivenBack() {
    quarantine.failed("a", 0);
    assertThat(quarantine.admits("a", 1_000)).isTrue();
    assertThat(quarantine.admits("a", 1_001)).isFalse();
    quarantine.untried("a", 1_002);
    assertThat(quarantine.admits("a", 1_002)).isTrue();
  }

  @Test
  void opensAfterASuccess() {
    quarantine.failed("a", 0);
    quarantine.succeeded("a", 0, 0);
    assertThat(quarantine.admits("a", 1)).isTrue();
    assertThat(quarantine.size()).isZero();
  }

  /** Its reader may have taken its time. */
  @Test
  void aSuccessOfWhichOneHearsLateSaysNothingOfAFailureSince() {
    quarantine.failed("a", 1_000);
    quarantine.succeeded("a", 999, 1_500);
    assertThat(quarantine.admits("a", 1_999)).isFalse();
    assertThat(quarantine.admits("a", 2_000)).as("the try").isTrue();
    quarantine.succeeded("a", 999, 2_100);
    assertThat(quarantine.admits("a", 2_100)).isFalse();
    quarantine.succeeded("a", 1_000, 2_100);
    assertThat(quarantine.admits("a", 2_100)).isTrue();
  }

  @Test
  void aClockThatIsSetBackLetsASuccessOpen() {
    quarantine.failed("a", 5_000);
    quarantine.succeeded("a", 100, 100);
    assertThat(quarantine.size()).isZero();
  }

  /** A connection that is refused fails at once, a daemon that is silent at its deadline. */
  @ParameterizedTest
  @ValueSource(longs = {0, 1, 999, 1_000, 5_000})
  void doublesWithEachFailedTryUpToTheLongest(long tryMillis) {
    long now = 0;
    long expected = 1_000;
    quarantine.failed("a", now);
    for (int failures = 1; failures < 8; failures++) {
      assertThat(quarantine.admits("a", now + expected - 1)).isFalse();
      now += expected;
      assertThat(quarantine.admits("a", now)).isTrue();
      now += tryMillis;
      quarantine.failed("a", now);
      // It sent more than one request.
      quarantine.failed("a", now);
      expected = Math.min(8_000, expected * 2);
    }
    assertThat(expected).isEqualTo(8_000);
  }

  @Test
  void countsRequestsThatFailTogetherAsOneFailure() {
    for (int request = 0; request < 100; request++) {
      quarantine.failed("a", request);
    }
    assertThat(quarantine.admits("a", 99 + 999)).isFalse();
    assertThat(quarantine.admits("a", 99 + 1_000)).isTrue();
  }

  @Test
  void ofRequestsThatFailTogetherTheFirstIsAnotherFailure() {
    quarantine.close("a", 0, 1_000);
    assertThat(quarantine.failed("a", 10)).as("busy before").isTrue();
    assertThat(quarantine.failed("a", 20)).isFalse();
    assertThat(quarantine.failed("b", 20)).isTrue();
    assertThat(quarantine.admits("a", 2_020)).isTrue();
    assertThat(quarantine.failed("a", 2_030)).as("the try").isTrue();
    assertThat(quarantine.failed("a", 2_040)).isFalse();
  }

  @Test
  void forgetsWhatNobodyTriesAnyMore() {
    quarantine.failed("gone", 0);
    quarantine.forget(1_000 + 80_000);
    assertThat(quarantine.size()).isOne();
    quarantine.forget(1_000 + 80_001);
    assertThat(quarantine.size()).isZero();
  }
}
