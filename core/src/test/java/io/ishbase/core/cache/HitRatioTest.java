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
    assertThat(misses.segments()).isLessThan((int) (0.4 * misses.blocks()));
    assertThat(misses.segments()).isLessThan((int) (0.87 * misses.rows()));
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
    // A row that is new has to be asked for twice; LRU keeps it at once, here rightly.
    assertThat(without.segments()).isLessThan((int) (1.3 * without.rows()));
    assertThat(with.segments()).isLessThan((int) (0.98 * without.segments()));
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
