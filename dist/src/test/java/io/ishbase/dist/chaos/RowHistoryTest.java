package io.ishbase.dist.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RowHistoryTest {
  /** Ten increments in a millisecond have the times of ten. */
  @Test
  void aDeleteWaitsForTheTimesOfIncrements() {
    RowHistory row = new RowHistory("row");
    assertThat(row.deletableMillis()).isZero();
    for (int i = 0; i < 10; i++) {
      row.added(1_000);
    }
    assertThat(row.deletableMillis()).isGreaterThan(1_009);
    row.added(5_000);
    assertThat(row.deletableMillis()).isBetween(5_001L, 5_100L);
  }
}
