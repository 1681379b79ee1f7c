package io.ishbase.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class KeysTest {
  private static final int ROWS = 1000;
  private static final int DRAWS = 200_000;

  private static int[] counts(Keys keys) {
    int[] counts = new int[ROWS];
    LongSupplier draws = keys.draws(7);
    for (int i = 0; i < DRAWS; i++) {
      counts[(int) draws.getAsLong()]++;
    }
    return counts;
  }

  @Test
  void uniformDrawsEveryRow() {
    for (int count : counts(Keys.uniform(ROWS))) {
      assertThat(count).isBetween(100, 320);
    }
  }

  @Test
  void zipfianDrawsTheFirstRowsAsOftenAsItsLawSays() {
    double zeta = LongStream.rangeClosed(1, ROWS).mapToDouble(k -> Math.pow(k, -0.99)).sum();
    int[] counts = counts(Keys.zipfian(ROWS));
    assertThat((double) counts[0] / DRAWS).isCloseTo(1 / zeta, within(0.005));
    assertThat((double) counts[1] / DRAWS).isCloseTo(Math.pow(2, -0.99) / zeta, within(0.005));
    double firstTenth = 0;
    double law = 0;
    for (int i = 0; i < ROWS / 10; i++) {
      firstTenth += (double) counts[i] / DRAWS;
      law += Math.pow(i + 1, -0.99) / zeta;
    }
    assertThat(firstTenth).isCloseTo(law, within(0.03));
  }

  @Test
  void aSeedGivesTheSameDraws() {
    for (String distribution : new String[] {"uniform", "zipfian"}) {
      LongSupplier one = Keys.of(distribution, ROWS).draws(1);
      LongSupplier same = Keys.of(distribution, ROWS).draws(1);
      LongSupplier other = Keys.of(distribution, ROWS).draws(2);
      long[] ones = LongStream.generate(one).limit(50).toArray();
      assertThat(LongStream.generate(same).limit(50).toArray()).isEqualTo(ones);
      assertThat(LongStream.generate(other).limit(50).toArray()).isNotEqualTo(ones);
    }
  }
}
