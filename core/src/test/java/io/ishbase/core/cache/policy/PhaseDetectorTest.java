package io.ishbase.core.cache.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class PhaseDetectorTest {
  private final PhaseDetector phases = new PhaseDetector();
  private final Random random = new Random(1);
  private long hits;
  private long misses;

  /** Gets of which such a share misses. Returns after how many a change was seen; -1: never. */
  private int gets(int count, double share) {
    for (int i = 0; i < count; i++) {
      if (random.nextDouble() < share) {
        misses++;
      } else {
        hits++;
      }
      phases.observe(hits, misses, 5000);
      if (phases.isChanging()) {
        return i;
      }
    }
    return -1;
  }

  @Test
  void whatIsUsualIsNoChange() {
    for (double share : new double[] {1, 0.5, 0.2, 0.05, 0.01, 0}) {
      assertThat(gets(200_000, share)).isEqualTo(-1);
    }
  }

  @Test
  void manyMoreMissesAreOneUntilTheyAreFewerOrUsual() {
    gets(200_000, 0.1);
    assertThat(gets(1000, 0.9)).isPositive();
    for (int i = 0; i < 1000; i++) {
      hits++;
    }
    phases.observe(hits, misses, 5000);
    assertThat(phases.isChanging()).isFalse();
    assertThat(gets(1000, 0.9)).isPositive();
    for (int i = 0; i < 200_000; i++) {
      misses++;
      phases.observe(hits, misses, 5000);
    }
    assertThat(phases.isChanging()).isFalse();
  }

  @Test
  void countersThatWereResetAreNoChange() {
    gets(200_000, 0.1);
    hits = 0;
    misses = 0;
    assertThat(gets(100_000, 0.1)).isEqualTo(-1);
  }
}
