package io.ishbase.core.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;

/** Hit ratios under seeded workloads, against caches of the same size in bytes. */
class HitRatioTest {
  private static final int ROWS = 100_000;
  private static final int PAYLOAD_BYTES = 1000;
  private static final int ROWS_OF_BLOCK = 64;
  private static final long BUDGET = (long) ROWS / 10 * PAYLOAD_BYTES;

  private final byte[] payload = new byte[PAYLOAD_BYTES];
  private final RowView view = new RowView();

  private static byte[] row(int number) {
    return ByteBuffer.allocate(16).putLong(4, number).array();
  }

  /** Reads a row, from the cache or into it. Returns whether it was there. */
  private boolean get(StoreCache store, int number) {
    byte[] row = row(number);
    try (Pin pin = store.pin()) {
      if (store.find(pin, row, null, view)) {
        return true;
      }
    }
    store.put(store.ticket(), row, null, payload, 0, payload.length, true);
    return false;
  }

  private static final class Lru extends LinkedHashMap<Integer, Boolean> {
    private final int capacity;

    Lru(int capacity) {
      super(16, 0.75f, true);
      this.capacity = capacity;
    }

    boolean get(int key) {
      return put(key, true) != null;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<Integer, Boolean> eldest) {
      return size() > capacity;
    }
  }

  /** Numbers of rows whose ranks are Zipfian and spread over the store. */
  private static IntSupplier zipfian(Random random, double theta) {
    double[] sums = new double[ROWS];
    double sum = 0;
    for (int i = 0; i < ROWS; i++) {
      sum += 1 / Math.pow(i + 1, theta);
      sums[i] = sum;
    }
    int[] spread = random.ints(ROWS, 0, Integer.MAX_VALUE).toArray();
    Integer[] order = new Integer[ROWS];
    java.util.Arrays.setAll(order, i -> i);
    java.util.Arrays.sort(order, (a, b) -> Integer.compare(spread[a], spread[b]));
    double total = sum;
    return () -> {
      int found = java.util.Arrays.binarySearch(sums, random.nextDouble() * total);
      return order[Math.min(found < 0 ? -1 - found : found, ROWS - 1)];
    };
  }

  @Test
  void zipfianGets() {
    Random random = new Random(1);
    IntSupplier rows = zipfian(random, 0.99);
    try (SegmentCache cache = new SegmentCache(BUDGET, () -> 0)) {
      StoreCache store = cache.open("t");
      Lru blocks = new Lru((int) (BUDGET / PAYLOAD_BYTES / ROWS_OF_BLOCK));
      Lru perRow = new Lru((int) (BUDGET / PAYLOAD_BYTES));
      int misses = 0;
      int blockMisses = 0;
      int rowMisses = 0;
      for (int i = 0; i < 20 * ROWS; i++) {
        int row = rows.getAsInt();
        int counted = i > 10 * ROWS ? 1 : 0;
        misses += get(store, row) ? 0 : counted;
        blockMisses += blocks.get(row / ROWS_OF_BLOCK) ? 0 : counted;
        rowMisses += perRow.get(row) ? 0 : counted;
      }
      System.out.println(misses + " " + blockMisses + " " + rowMisses + " " + cache.stats());
      assertThat(misses).isLessThan((int) (0.45 * blockMisses));
      assertThat(misses).isLessThan((int) (0.9 * rowMisses));
    }
  }
}
