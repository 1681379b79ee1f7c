package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Gate.Route;
import io.ishbase.testing.Seed;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Random;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;

/** A gate before a cache by recency, in virtual time. */
class CacheWarmingTest {
  private static final int CAPACITY = 5_000;
  private static final double HIT_MICROS = 100;
  private static final double BLOCK_MICROS = 350;

  private final Random random = new Random(Seed.get());
  private final CacheWarming warming = new CacheWarming(() -> CAPACITY);
  private final Gate gate = new Gate(warming);
  private final LinkedHashSet<Integer> cached = new LinkedHashSet<>();
  private double inStorageMicros = 1.07 * BLOCK_MICROS;
  private double micros;
  private int hits;
  private int filled;

  private void read(int times, IntSupplier rows) {
    micros = 0;
    hits = 0;
    filled = 0;
    for (int i = 0; i < times; i++) {
      int row = rows.getAsInt();
      if (cached.remove(row)) {
        cached.add(row);
        warming.hit();
        micros += HIT_MICROS;
        hits++;
      } else {
        micros += miss(row);
      }
    }
  }

  private double miss(int row) {
    Gate.Choice choice = gate.choose();
    warming.missed(choice.route());
    boolean isInStorage = choice.route() == Route.IN_STORAGE;
    double took =
        (isInStorage ? inStorageMicros : BLOCK_MICROS) * (0.9 + 0.2 * random.nextDouble());
    gate.observe(choice, took * 1000);
    if (isInStorage) {
      filled++;
      cached.add(row);
      if (cached.size() > CAPACITY) {
        Iterator<Integer> oldest = cached.iterator();
        oldest.next();
        oldest.remove();
      }
    }
    return took;
  }

  private IntSupplier of(int rows) {
    return () -> random.nextInt(rows);
  }

  @Test
  void fillsTheCacheWhereFetchingItsRowsCostsALittleMore() {
    read(60_000, of(15_000));
    read(20_000, of(15_000));
    assertThat(hits).isGreaterThan(6_000);
    assertThat(gate.route()).as("full: the times decide").isEqualTo(Route.BLOCK);
    assertThat(filled).isLessThan(1_500);
  }

  @Test
  void leavesTheCacheEmptyWhereThatCostsMuchMore() {
    inStorageMicros = 2 * BLOCK_MICROS;
    read(200_000, of(15_000));
    assertThat(micros / 200_000).isLessThan(1.03 * BLOCK_MICROS);
  }

  @Test
  void fillsAnewWhenOtherRowsAreAskedFor() {
    read(100_000, of(10_000));
    assertThat(gate.route()).isEqualTo(Route.BLOCK);
    IntSupplier others = () -> 10_000 + random.nextInt(10_000);
    read(60_000, others);
    read(20_000, others);
    assertThat(hits).isGreaterThan(9_000);
  }

  @Test
  void costsNextToNothingWhereNoRowIsAskedForTwice() {
    read(20_000, of(1 << 30));
    read(3_000_000, of(1 << 30));
    assertThat(micros / 3_000_000).isLessThan(1.02 * BLOCK_MICROS);
  }

  @Test
  void noticesThatRowsHaveBecomeWorthCaching() {
    read(50_000, of(1 << 30));
    read(300_000, of(5_000));
    read(20_000, of(5_000));
    assertThat(hits).isGreaterThan(18_000);
  }

  @Test
  void withoutACacheItIsNeverOn() {
    CacheWarming none = new CacheWarming(() -> 0);
    for (int i = 0; i < 100_000; i++) {
      none.missed(Route.BLOCK);
      assertThat(none.isOn()).isFalse();
    }
  }
}
