package io.ishbase.core.cache.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.cache.policy.Upgrades.Misses;
import io.ishbase.core.cache.policy.Upgrades.StoreMisses;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The upgrade policy in virtual time. */
class UpgradesTest {
  private static final int NEIGHBOURHOODS = 100;

  private final Upgrades upgrades = new Upgrades();
  private final StoreMisses store = new StoreMisses();
  private final Misses[] misses = new Misses[NEIGHBOURHOODS];
  private final Random random = new Random(1);
  private long nanos;

  UpgradesTest() {
    for (int i = 0; i < NEIGHBOURHOODS; i++) {
      misses[i] = new Misses();
    }
  }

  private boolean miss(int neighbourhood) {
    nanos += 1_000_000;
    return upgrades.missed(misses[neighbourhood], store, NEIGHBOURHOODS, nanos);
  }

  /** Misses, every other one in one neighbourhood, until it is upgraded. */
  private int missesToUpgrade() {
    for (int i = 1; i < 10_000; i++) {
      miss(1 + random.nextInt(NEIGHBOURHOODS - 1));
      if (miss(0)) {
        return i;
      }
    }
    return Integer.MAX_VALUE;
  }

  @Test
  void oneThatMissesMoreThanOthersIsUpgraded() {
    assertThat(missesToUpgrade()).isEqualTo(Upgrades.MIN_MISSES);
    assertThat(missesToUpgrade()).isEqualTo(Upgrades.MIN_MISSES);
  }

  @Test
  void whereAllMissAlikeNoneIsUpgraded() {
    int upgraded = 0;
    for (int i = 0; i < 200_000; i++) {
      upgraded += miss(random.nextInt(NEIGHBOURHOODS)) ? 1 : 0;
    }
    assertThat(upgraded).isLessThan(200);
  }

  @Test
  void theWholeStoreIsNoHotNeighbourhood() {
    for (int i = 0; i < 1000; i++) {
      assertThat(upgrades.missed(misses[0], store, 1, nanos)).isFalse();
    }
  }

  @Test
  void missesOfLongAgoDoNotCount() {
    for (int i = 1; i < Upgrades.MIN_MISSES; i++) {
      assertThat(miss(0)).isFalse();
    }
    nanos += 2 * Upgrades.PERIOD_NANOS;
    assertThat(missesToUpgrade()).isEqualTo(Upgrades.MIN_MISSES);
  }

  @Test
  void moreTrafficMeansFewerUpgrades() {
    for (int second = 0; second < 10; second++) {
      upgrades.traffic(1_000, second * 1_000_000_000L);
      upgrades.traffic(1_000_000, second * 1_000_000_000L + 1);
    }
    assertThat(upgrades.factor()).isGreaterThan(0.99 * Upgrades.LOADED);
    for (int second = 10; second < 20; second++) {
      upgrades.traffic(1_000, second * 1_000_000_000L);
    }
    assertThat(upgrades.factor()).isLessThan(1.01);
  }

  @Test
  void rowsThatNobodyWantedMeanFewerUpgradesForSomeTime() {
    int before = missesToUpgrade();
    for (int i = 0; i < 2000; i++) {
      upgrades.settled(random.nextInt(10) == 0);
    }
    int after = missesToUpgrade();
    assertThat(after).isGreaterThan(3 * before);
    nanos += 1000 * Upgrades.PERIOD_NANOS;
    for (int i = 0; i < 100; i++) {
      nanos += Upgrades.PERIOD_NANOS;
      miss(0);
    }
    assertThat(missesToUpgrade()).isLessThan(2 * before);
  }

  @Test
  void rowsThatWereWantedMeanMoreUpgrades() {
    for (int i = 0; i < 2000; i++) {
      upgrades.settled(true);
    }
    assertThat(upgrades.factor()).isLessThan(0.6);
  }
}
