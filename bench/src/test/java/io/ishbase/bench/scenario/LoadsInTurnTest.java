package io.ishbase.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.bench.Load;
import io.ishbase.bench.Tally;
import io.ishbase.bench.scenario.LoadsInTurn.Turn;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoadsInTurnTest {
  private final StringBuilder done = new StringBuilder();

  private Turn turn(String name, long operations) {
    return new Turn(worker -> tally -> done.append(name), operations);
  }

  @Test
  void allClientsTogetherGoOverToTheNextAndBeginAgain() throws IOException {
    LoadsInTurn load = new LoadsInTurn(List.of(turn("a", 3), turn("b", 1), turn("c", 2)));
    assertThat(load.operations()).isEqualTo(6);
    try (Load.Client one = load.open(0);
        Load.Client other = load.open(1)) {
      for (int i = 0; i < 5; i++) {
        one.operate(new Tally());
        other.operate(new Tally());
      }
    }
    assertThat(done).hasToString("aaabccaaab");
  }
}
