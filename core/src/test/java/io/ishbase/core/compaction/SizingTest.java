package io.ishbase.core.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class SizingTest {
  private static final double MB = 1 << 20;
  private static final double GB = 1 << 30;

  /** The example of the paper's section 6.3. */
  @Test
  void workedExampleNeedsTwoServers() {
    Sizing sizing = new Sizing(20 * MB, 8 * MB, 6 * GB, 4 * GB, 3600, 1, 10);
    assertThat(sizing.compactionSeconds()).isCloseTo(716.8, within(0.01));
    assertThat(sizing.compactionsAtOnce()).isEqualTo(1);
    assertThat(sizing.compactionsPerServer()).isCloseTo(3600 / 716.8, within(1e-9));
    assertThat(sizing.regionsPerServer()).isEqualTo(5);
    assertThat(sizing.servers()).isEqualTo(2);
  }

  @Test
  void onlyRegionsAreWhole() {
    Sizing sizing = new Sizing(20 * MB, 8 * MB, 17 * GB, 4 * GB, 2000, 1, 10);
    assertThat(sizing.compactionsAtOnce()).isEqualTo(4);
    assertThat(sizing.compactionsPerServer()).isCloseTo(4 * 2000 / 716.8, within(1e-9));
    assertThat(sizing.regionsPerServer()).isEqualTo(11);
    assertThat(sizing.servers()).isEqualTo(1);
  }

  @Test
  void withoutTransferFewerAreNeeded() {
    assertThat(new Sizing(20 * MB, 0, 6 * GB, 4 * GB, 3600, 1, 10).servers()).isEqualTo(1);
  }

  @Test
  void saysWhyNoNumberIsEnough() {
    assertThatThrownBy(() -> new Sizing(20 * MB, 8 * MB, GB, 4 * GB, 3600, 1, 10).servers())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("memory");
    assertThatThrownBy(() -> new Sizing(20 * MB, 8 * MB, 6 * GB, 4 * GB, 600, 1, 10).servers())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("717 s");
    assertThatThrownBy(() -> new Sizing(0, 8 * MB, 6 * GB, 4 * GB, 600, 1, 10))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("compaction speed");
  }

  @Test
  void oneServerIsEnoughForRegionsThatHardlyCompact() {
    assertThat(new Sizing(20 * MB, 8 * MB, 6 * GB, 4 * GB, 3600, 1e-300, 10).servers())
        .isEqualTo(1);
  }
}
