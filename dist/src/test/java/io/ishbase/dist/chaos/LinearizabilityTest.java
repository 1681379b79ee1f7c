package io.ishbase.dist.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.dist.chaos.Operation.Kind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Times are small numbers. */
class LinearizabilityTest {
  private final List<Operation> history = new ArrayList<>();

  private void did(Kind kind, String argument, Object result, long begin, long end) {
    history.add(new Operation(0, kind, argument, null, result, begin, end));
  }

  private void read(String value, long begin, long end) {
    did(Kind.GET, null, new RowState(value, 0, ""), begin, end);
  }

  private boolean holds() {
    return Linearizability.holds(history);
  }

  @Test
  void whatWasWrittenIsRead() {
    did(Kind.PUT, "a", null, 1, 2);
    read("a", 3, 4);
    assertThat(holds()).isTrue();
    read(null, 5, 6);
    assertThat(holds()).as("lost").isFalse();
  }

  @Test
  void whatIsUnderWayMayBeReadOrNot() {
    did(Kind.PUT, "a", null, 1, 10);
    read(null, 2, 3);
    read("a", 4, 5);
    assertThat(holds()).isTrue();
    read(null, 6, 7);
    assertThat(holds()).as("read, and then no more").isFalse();
  }

  @Test
  void aReadNeverGoesBack() {
    did(Kind.PUT, "a", null, 1, 2);
    did(Kind.PUT, "b", null, 3, 4);
    read("b", 5, 6);
    read("a", 7, 8);
    assertThat(holds()).isFalse();
  }

  @Test
  void aChangeOfWhichNobodyKnowsMayComeLateOrNever() {
    did(Kind.PUT, "a", null, 1, Operation.NEVER);
    read(null, 5, 6);
    assertThat(holds()).isTrue();
    did(Kind.PUT, "b", null, 7, 8);
    read("a", 9, 10);
    assertThat(holds()).isTrue();
    read("b", 11, 12);
    assertThat(holds()).as("it comes once").isFalse();
  }

  @Test
  void anIncrementCountsOnce() {
    did(Kind.INCREMENT, null, 1L, 1, 4);
    did(Kind.INCREMENT, null, 2L, 2, 5);
    assertThat(holds()).isTrue();
    did(Kind.INCREMENT, null, 2L, 6, 7);
    assertThat(holds()).isFalse();
  }

  @Test
  void anAppendGoesBehindWhatThereIs() {
    did(Kind.APPEND, "x", "x", 1, 2);
    did(Kind.APPEND, "y", "xy", 3, 4);
    assertThat(holds()).isTrue();
    did(Kind.APPEND, "z", "xz", 5, 6);
    assertThat(holds()).isFalse();
  }

  @Test
  void aConditionIsThatOfTheValueThen() {
    did(Kind.PUT, "a", null, 1, 2);
    history.add(new Operation(0, Kind.CHECK_AND_PUT, "b", "a", true, 3, 4));
    history.add(new Operation(0, Kind.CHECK_AND_PUT, "c", "a", false, 5, 6));
    read("b", 7, 8);
    assertThat(holds()).isTrue();
    history.add(new Operation(0, Kind.CHECK_AND_PUT, "d", null, true, 9, 10));
    assertThat(holds()).isFalse();
  }

  @Test
  void aDeleteTakesAll() {
    did(Kind.PUT, "a", null, 1, 2);
    did(Kind.INCREMENT, null, 1L, 3, 4);
    did(Kind.DELETE, null, null, 5, 6);
    read(null, 7, 8);
    did(Kind.INCREMENT, null, 1L, 9, 10);
    assertThat(holds()).isTrue();
    did(Kind.INCREMENT, null, 3L, 11, 12);
    assertThat(holds()).isFalse();
  }

  @Test
  void aHistoryIsBounded() {
    for (int i = 0; i <= Linearizability.MOST; i++) {
      did(Kind.PUT, "a", null, i, i);
    }
    assertThatThrownBy(this::holds).isInstanceOf(IllegalArgumentException.class);
  }

  /** Whatever clients do at once, in a store that does one after the other. */
  @Property(tries = 200)
  void whatAStoreAnswersHoldsAndAnotherAnswerDoesNot(@ForAll long seed) {
    Random random = new Random(seed);
    RowState state = RowState.EMPTY;
    List<Operation> all = new ArrayList<>();
    for (int point = 1; point <= 40; point++) {
      long at = point * 1000L;
      long begin = at - random.nextInt(4000);
      long end = at + random.nextInt(4000);
      Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
      boolean isKnown = kind == Kind.GET || random.nextInt(8) > 0;
      Operation asked =
          new Operation(
              0,
              kind,
              "v" + point,
              random.nextBoolean() ? null : state.value(),
              null,
              0,
              Operation.NEVER);
      RowState after = kind == Kind.GET ? state : asked.after(state);
      Object result =
          switch (kind) {
            case GET -> state;
            case CHECK_AND_PUT -> java.util.Objects.equals(state.value(), asked.expected());
            case INCREMENT -> after.count();
            case APPEND -> after.text();
            case PUT, DELETE -> null;
          };
      all.add(
          new Operation(
              0,
              kind,
              asked.argument(),
              asked.expected(),
              isKnown ? result : null,
              begin,
              isKnown ? end : Operation.NEVER));
      // Some of those that nobody knows of were not carried out.
      state = !isKnown && random.nextBoolean() ? state : after;
    }
    Collections.shuffle(all, random);
    assertThat(Linearizability.holds(all)).isTrue();
    RowState never = new RowState("never written", 0, "");
    all.add(new Operation(0, Kind.GET, null, null, never, 0, 100_000));
    assertThat(Linearizability.holds(all)).isFalse();
  }
}
