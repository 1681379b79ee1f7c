package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class AllowanceTest {
  private static int taken(Allowance allowance) {
    int taken = 0;
    while (allowance.take()) {
      taken++;
    }
    return taken;
  }

  @Test
  void someAreFreeAtTheBeginning() {
    assertThat(taken(new Allowance(5))).isEqualTo(Allowance.MOST);
  }

  @Test
  void twentyAnswersEarnOne() {
    Allowance allowance = new Allowance(5);
    taken(allowance);
    allowance.earn(19);
    assertThat(taken(allowance)).isZero();
    allowance.earn(1);
    assertThat(taken(allowance)).isEqualTo(1);
  }

  @Test
  void noMoreAreSavedUp() {
    Allowance allowance = new Allowance(50);
    allowance.earn(Integer.MAX_VALUE);
    assertThat(taken(allowance)).isEqualTo(Allowance.MOST);
  }

  @Test
  void nothingIsAllowedOfNothing() {
    Allowance allowance = new Allowance(0);
    allowance.earn(Integer.MAX_VALUE);
    assertThat(allowance.take()).isFalse();
  }

  /** Whatever the order of answers and wishes. */
  @Property
  void thereAreNeverMoreThanTheirPartAndThoseOfTheBeginning(
      @ForAll @IntRange(min = 1, max = 50) int percent,
      @ForAll @Size(max = 400) List<@IntRange(min = -3, max = 20) Integer> steps) {
    Allowance allowance = new Allowance(percent);
    long answered = 0;
    long taken = 0;
    for (int step : steps) {
      if (step > 0) {
        allowance.earn(step);
        answered += step;
      } else if (allowance.take()) {
        taken++;
      }
      assertThat(taken).isLessThanOrEqualTo(Allowance.MOST + answered * percent / 100);
    }
  }
}
