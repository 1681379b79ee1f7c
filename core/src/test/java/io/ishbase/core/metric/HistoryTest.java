package io.ishbase.core.metric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class HistoryTest {
  private double counter;
  private double gauge;
  private final History history =
      new History(
          List.of(
              new History.Plot(
                  "both",
                  "a second",
                  List.of(
                      new History.Curve("grows", () -> counter, true),
                      new History.Curve("is", () -> gauge, false)))),
          3);

  private void look(int second, double counterNow, double gaugeNow) {
    counter = counterNow;
    gauge = gaugeNow;
    history.look(second * 1_000_000_000L);
  }

  @Test
  void countersAreRatesAndGaugesStay() {
    assertThat(history.values(0, 0)).isEmpty();
    look(10, 100, 7);
    look(15, 150, 8);
    assertThat(history.values(0, 0)).containsExactly(Double.NaN, 10);
    assertThat(history.values(0, 1)).containsExactly(7, 8);
  }

  @Test
  void onlyTheLastAreKept() {
    for (int i = 0; i < 5; i++) {
      look(i, i * i, i);
    }
    assertThat(history.values(0, 0)).containsExactly(3, 5, 7);
    assertThat(history.values(0, 1)).containsExactly(2, 3, 4);
  }

  @Test
  void aCounterThatBeginsAnewHasGrownFromNothing() {
    look(0, 1000, 0);
    look(2, 6, 0);
    assertThat(history.values(0, 0)).containsExactly(Double.NaN, 3);
  }
}
