package io.ishbase.core.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Misses under seeded workloads, against caches of the same size in bytes that go by recency. */
class HitRatioTest {
  private static final long BUDGET = (long) Workload.ROWS / 10 * Workload.PAYLOAD_BYTES;
  private static final int WARM_UP = 10 * Workload.ROWS;
  private static final int GETS = 10 * Workload.ROWS;

  /** Misses of the segment cache, of LRU by blocks of 64 rows, and of LRU by rows. */
  private record Misses(int segments, int blocks, int rows) {}

  private static Misses compare(String what, Supplier<IntSupplier> workload, boolean upgrades) {
    Lru blocks = new Lru(BUDGET, Workload.PAYLOAD_BYTES, 64);
    Lru rows = new Lru(BUDGET, Workload.PAYLOAD_BYTES, 1);
    try (Workload segments = new Workload(BUDGET, upgrades)) {
      IntSupplier numbers = workload.get();
      segments.misses(numbers, WARM_UP);
      final int misses = segments.misses(numbers, GETS);
      numbers = workload.get();
      blocks.misses(numbers, WARM_UP);
      final int blockMisses = blocks.misses(numbers, GETS);
      numbers = workload.get();
      rows.misses(numbers, WARM_UP);
      Misses all = new Misses(misses, blockMisses, rows.misses(numbers, GETS));
      System.out.println(what + (upgrades ? " with upgrades " : " ") + all);
      System.out.println(segments.rowsFetched + " " + segments.cache.stats());
      return all;
    }
  }

  @Test
  void zipfianGets() {
    Misses misses = compare("zipfian", () -> Workload.zipfian(new Random(1), 0.99), false);
    assertThat(misses.segments()).isLessThan((int) (0.37 * misses.blocks()));
    assertThat(misses.segments()).isLessThan((int) (0.8 * misses.rows()));
    // Within 0.02 of what a cache of the most popular rows, without any bookkeeping, would miss.
    double best = Workload.leastMissShare(0.99, (int) (BUDGET / Workload.PAYLOAD_BYTES));
    System.out.println("best " + best);
    assertThat((double) misses.segments() / GETS).isLessThan(best + 0.02);
  }

  @Test
  void zipfianGetsGainNothingByUpgradesNorLose() {
    Misses with = compare("zipfian", () -> Workload.zipfian(new Random(1), 0.99), true);
    Misses without = compare("zipfian", () -> Workload.zipfian(new Random(1), 0.99), false);
    assertThat(with.segments()).isLessThan((int) (1.03 * without.segments()));
  }

  @Test
  void aMovingHotRange() {
    Supplier<IntSupplier> moving =
        () -> Workload.movingRange(new Random(2), Workload.ROWS / 20, Workload.ROWS);
    Misses without = compare("moving", moving, false);
    Misses with = compare("moving", moving, true);
    assertThat(without.segments()).isLessThan((int) (1.2 * without.rows()));
    assertThat(with.segments()).isLessThan((int) (1.02 * without.segments()));
  }

  @Test
  void popularityThatShifts() {
    Supplier<IntSupplier> shifting =
        () -> {
          IntSupplier zipfian = Workload.zipfian(new Random(5), 0.99);
          int[] gets = new int[1];
          return () -> (zipfian.getAsInt() + gets[0]++ / Workload.ROWS * 7919) % Workload.ROWS;
        };
    Misses misses = compare("shifting", shifting, false);
    assertThat(misses.segments()).isLessThan((int) (1.1 * misses.rows()));
  }

  @Test
  void aFlushOfATenthOfTheRowsCostsHardlyAHit() {
    int round = Workload.ROWS / 2;
    try (Workload with = new Workload(BUDGET, false);
        Workload without = new Workload(BUDGET, false)) {
      IntSupplier zipfian = Workload.zipfian(new Random(6), 0.99);
      IntSupplier same = Workload.zipfian(new Random(6), 0.99);
      with.misses(zipfian, WARM_UP);
      without.misses(same, WARM_UP);
      int missesWith = 0;
      int missesWithout = 0;
      for (int i = 0; i < 10; i++) {
        with.rewriteEach(10);
        missesWith += with.misses(zipfian, round);
        missesWithout += without.misses(same, round);
      }
      double lost = (double) (missesWith - missesWithout) / (10 * round - missesWithout);
      System.out.println("share of hits lost by a flush " + lost);
      assertThat(lost).isLessThan(0.005);
    }
  }

  @Test
  void uniformGets() {
    Misses with =
        compare("uniform", () -> new Random(3).ints(0, Workload.ROWS).iterator()::next, true);
    assertThat(with.segments()).isLessThan((int) (1.03 * with.rows()));
  }

  @Test
  void aScanPassesThrough() {
    try (Workload workload = new Workload(BUDGET, true)) {
      IntSupplier zipfian = Workload.zipfian(new Random(4), 0.99);
      workload.misses(zipfian, WARM_UP);
      int before = workload.misses(zipfian, Workload.ROWS);
      int during = 0;
      for (int row = 0; row < Workload.ROWS; row += 100) {
        workload.scan(row, row + 100);
        during += workload.misses(zipfian, 100);
      }
      System.out.println("before the scan " + before + " during " + during);
      assertThat(during).isLessThan((int) (1.12 * before));
    }
  }
}
