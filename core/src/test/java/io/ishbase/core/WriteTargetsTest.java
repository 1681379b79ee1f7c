package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WriteTargetsTest {
  private static final long NOW = 1_700_000_000_000L;

  private final WriteTargets targets = new WriteTargets();

  @Test
  void whatWasSaidLastHolds() {
    assertThat(targets.takesBlocks("a", NOW)).isTrue();
    targets.learn("a", false, NOW);
    assertThat(targets.takesBlocks("a", NOW)).isFalse();
    assertThat(targets.takesBlocks("b", NOW)).isTrue();
    targets.learn("a", true, NOW);
    assertThat(targets.takesBlocks("a", NOW)).isTrue();
  }

  @Test
  void oneOfWhichNothingIsHeardMayBeATargetAgain() {
    targets.learn("a", false, NOW);
    targets.learn("a", false, NOW + 1);
    assertThat(targets.takesBlocks("a", NOW + WriteTargets.FORGOTTEN_MILLIS)).isFalse();
    assertThat(targets.takesBlocks("a", NOW + WriteTargets.FORGOTTEN_MILLIS + 1)).isTrue();
    assertThat(targets.takesBlocks("a", NOW)).isTrue();
  }
}
