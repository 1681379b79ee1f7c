package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AggregatePaceTest {
  private static final long SLICE = AggregatePace.SLICE_NANOS;
  private static final long NEVER = Long.MAX_VALUE / 2;

  private long nanos = 1_000;
  private int waiting;
  private final List<Long> rests = new ArrayList<>();
  private final AggregatePace pace = new AggregatePace(() -> waiting, () -> nanos, this::rest);

  private void rest(long restNanos) {
    rests.add(restNanos);
    nanos += restNanos;
  }

  private void work(AggregatePace.Turn turn, long workNanos) {
    nanos += workNanos;
    assertThat(turn.giveWay(NEVER)).isEqualTo(nanos);
  }

  @Test
  void hasHalfOfTheProcessors() {
    assertThat(List.of(1, 2, 3, 4, 64).stream().map(AggregatePace::handlers))
        .containsExactly(1, 1, 1, 2, 32);
  }

  @Test
  void alonePaysNothing() {
    AggregatePace.Turn turn = pace.turn();
    for (int slice = 0; slice < 100; slice++) {
      work(turn, SLICE);
    }
    assertThat(rests).isEmpty();
  }

  @Test
  void restsAsLongAsItWorkedWhileAReadIsUnderWay() {
    pace.readBegun();
    AggregatePace.Turn turn = pace.turn();
    work(turn, SLICE - 1);
    assertThat(rests).as("not yet").isEmpty();
    work(turn, 1);
    work(turn, 2 * SLICE);
    pace.readEnded();
    work(turn, SLICE);
    assertThat(rests).containsExactly(SLICE, 2 * SLICE);
  }

  @Test
  void noticesReadsThatCameAndWent() {
    AggregatePace.Turn turn = pace.turn();
    for (int slice = 0; slice < 10; slice++) {
      pace.readBegun();
      pace.readEnded();
      work(turn, SLICE);
      work(turn, SLICE);
    }
    assertThat(rests).hasSize(10).containsOnly(SLICE);
  }

  @Test
  void hasHalfOfItsTimeHoweverManyReadsCome() {
    pace.readBegun();
    AggregatePace.Turn turn = pace.turn();
    long start = nanos;
    for (int slice = 0; slice < 1000; slice++) {
      work(turn, SLICE);
    }
    assertThat(nanos - start).isEqualTo(2 * 1000 * SLICE);
  }

  @Test
  void aSlowDiskIsNoWork() {
    pace.readBegun();
    work(pace.turn(), 1000 * SLICE);
    assertThat(rests).containsExactly(AggregatePace.LONGEST_REST_NANOS);
  }

  @Test
  void doesNotRestBeyondItsEnd() {
    pace.readBegun();
    AggregatePace.Turn turn = pace.turn();
    long end = nanos + 2 * SLICE + 10;
    nanos += 2 * SLICE;
    assertThat(turn.giveWay(end)).isEqualTo(end);
    nanos += SLICE;
    assertThat(turn.giveWay(end)).isEqualTo(nanos);
    assertThat(rests).containsExactly(10L);
  }

  @Test
  void answersAreShortWhileOthersWait() {
    assertThat(pace.answerNanos(1600)).isEqualTo(1600);
    waiting = 1;
    assertThat(pace.answerNanos(1600)).isEqualTo(100);
    int handlers = 3;
    assertThat(AggregatePace.queue(handlers) / handlers * pace.answerNanos(1600))
        .as("the wait of the last")
        .isEqualTo(2 * 1600);
  }
}
