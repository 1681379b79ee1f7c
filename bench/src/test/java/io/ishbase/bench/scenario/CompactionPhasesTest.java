package io.ishbase.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.bench.scenario.CompactionPhases.Phase;
import org.junit.jupiter.api.Test;

final class CompactionPhasesTest {
  private final CompactionPhases phases = new CompactionPhases(2, 3, 1);

  private Phase window(double meanMillis, boolean compactionEnded) {
    return phases.ended(100, meanMillis, compactionEnded, false);
  }

  @Test
  void goesThroughAllPhasesAndEndsTheWarmUpWithTheFirstWindowWithinTenPerCent() {
    assertThat(window(1.0, false)).isEqualTo(Phase.BEFORE);
    assertThat(window(1.2, false)).isEqualTo(Phase.BEFORE);
    assertThat(phases.current()).isEqualTo(Phase.COMPACTION);
    assertThat(window(3.0, false)).isEqualTo(Phase.COMPACTION);
    assertThat(window(3.0, true)).isEqualTo(Phase.COMPACTION);
    assertThat(window(1.22, true)).isEqualTo(Phase.WARM_UP);
    // 1.1 before, and a tenth more.
    assertThat(window(1.21, true)).isEqualTo(Phase.WARM_UP);
    assertThat(window(5.0, true)).isEqualTo(Phase.AFTER);
    assertThat(phases.current()).isEqualTo(Phase.OVER);
    assertThat(phases.recovered()).isTrue();
  }

  @Test
  void aWarmUpThatDoesNotEndIsCutOffAndSaysSo() {
    window(1.0, false);
    window(1.0, false);
    window(2.0, true);
    for (int i = 0; i < 3; i++) {
      assertThat(window(2.0, true)).isEqualTo(Phase.WARM_UP);
    }
    assertThat(window(2.0, true)).isEqualTo(Phase.AFTER);
    assertThat(phases.current()).isEqualTo(Phase.OVER);
    assertThat(phases.recovered()).isFalse();
  }

  @Test
  void aWindowWithoutAnOperationIsNoRecovery() {
    window(1.0, false);
    window(1.0, false);
    window(2.0, true);
    assertThat(phases.ended(0, 0, true, false)).isEqualTo(Phase.WARM_UP);
    assertThat(phases.recovered()).isFalse();
  }

  @Test
  void theMeanBeforeIsWeightedByOperations() {
    phases.ended(900, 1.0, false, false);
    phases.ended(100, 11.0, false, false);
    window(5.0, true);
    // 2 before.
    window(2.21, true);
    assertThat(phases.recovered()).isFalse();
    window(2.2, true);
    assertThat(phases.recovered()).isTrue();
  }

  @Test
  void theWarmUpHasOneWindowIfLatencyIsBackAtOnce() {
    window(1.0, false);
    window(1.0, false);
    window(2.0, true);
    assertThat(window(1.0, true)).isEqualTo(Phase.WARM_UP);
    assertThat(phases.recovered()).isTrue();
    assertThat(phases.current()).isEqualTo(Phase.AFTER);
  }

  @Test
  void theWarmUpLastsAsLongAsCachesAreBeingWarmed() {
    window(1.0, false);
    window(1.0, false);
    window(2.0, true);
    assertThat(phases.ended(100, 1.0, true, true)).isEqualTo(Phase.WARM_UP);
    assertThat(phases.recovered()).isFalse();
    assertThat(window(1.0, true)).isEqualTo(Phase.WARM_UP);
    assertThat(phases.recovered()).isTrue();
  }
}
