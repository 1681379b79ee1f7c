package io.ishbase.core.cache;

import io.ishbase.core.cache.memory.Pin;
import io.ishbase.core.cache.policy.Policy;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A store of rows of one size behind a segment cache, read in virtual time. */
final class Workload implements AutoCloseable {
  static final int ROWS = 100_000;
  static final int PAYLOAD_BYTES = 1000;

  private static final long NANOS_OF_READ = 100_000;

  final SegmentCache cache;
  final StoreCache store;

  private final boolean upgrades;
  private final byte[] payload = new byte[PAYLOAD_BYTES];
  private final RowView view = new RowView();
  private long nanos;

  /** Rows that came from storage. */
  long rowsFetched;

  Workload(long budgetBytes, boolean upgrades) {
    this(budgetBytes, upgrades, Policy.DEFAULT);
  }

  Workload(long budgetBytes, boolean upgrades, Policy policy) {
    this.upgrades = upgrades;
    cache = new SegmentCache(budgetBytes, () -> nanos, policy);
    store = cache.open("t");
  }

  static byte[] row(int number) {
    return ByteBuffer.allocate(16).putLong(4, number).array();
  }

  private static int number(byte[] row) {
    return row == null ? ROWS : (int) ByteBuffer.wrap(row).getLong(4);
  }

  /** Reads a row, from the cache or into it. Returns whether it was there. */
  boolean get(int number) {
    nanos += NANOS_OF_READ;
    byte[] row = row(number);
    try (Pin pin = store.pin()) {
      if (store.find(pin, row, null, view)) {
        return true;
      }
    }
    Stretch stretch = upgrades ? store.missed(row) : null;
    if (stretch == null) {
      fetched(1);
      store.put(store.ticket(), row, null, payload, 0, payload.length, true);
      return false;
    }
    int end = Math.min(ROWS, number(stretch.to()));
    end = (int) Math.min(end, number + stretch.maxBytes() / PAYLOAD_BYTES);
    fill(store.fill(store.ticket(), stretch), number, Math.max(end, number + 1));
    return false;
  }

  /** Reads some rows from storage, as a scan that finds none of them in the cache. */
  void scan(int from, int to) {
    fill(store.fill(store.ticket(), row(from), true), from, to);
  }

  /** A flush of every nth row, each as long as before. */
  void rewriteEach(int nth) {
    try (Change change = store.change()) {
      for (int i = 0; i < ROWS; i += nth) {
        change.merge(
            row(i), (columns, present, offset, length) -> new Merge.Merged(payload, true, true));
      }
    }
  }

  private void fill(Fill fill, int from, int to) {
    fetched(to - from);
    for (int i = from; i < to; i++) {
      fill.row(row(i), payload, 0, payload.length, true);
    }
    fill.reachedBefore(row(to));
  }

  private void fetched(int rows) {
    rowsFetched += rows;
    cache.traffic((long) rows * PAYLOAD_BYTES);
  }

  /** Misses of so many Gets. */
  int misses(IntSupplier rows, int gets) {
    int misses = 0;
    for (int i = 0; i < gets; i++) {
      misses += get(rows.getAsInt()) ? 0 : 1;
    }
    return misses;
  }

  @Override
  public void close() {
    cache.close();
  }

  /** Numbers of rows whose ranks are Zipfian, scattered over the store. */
  static IntSupplier zipfian(Random random, double theta) {
    double[] sums = new double[ROWS];
    double sum = 0;
    for (int i = 0; i < ROWS; i++) {
      sum += 1 / Math.pow(i + 1, theta);
      sums[i] = sum;
    }
    List<Integer> order = IntStream.range(0, ROWS).boxed().collect(Collectors.toList());
    Collections.shuffle(order, random);
    double total = sum;
    return () -> {
      int found = Arrays.binarySearch(sums, random.nextDouble() * total);
      return order.get(Math.min(found < 0 ? -1 - found : found, ROWS - 1));
    };
  }

  /** Share of misses of a cache that always holds so many of the most popular rows. */
  static double leastMissShare(double theta, int cachedRows) {
    double all = 0;
    double missed = 0;
    for (int rank = 1; rank <= ROWS; rank++) {
      double weight = 1 / Math.pow(rank, theta);
      all += weight;
      missed += rank > cachedRows ? weight : 0;
    }
    return missed / all;
  }

  /** Nine in ten in a range of rows that moves on after so many. */
  static IntSupplier movingRange(Random random, int rangeRows, int getsPerMove) {
    int[] state = new int[2];
    return () -> {
      if (state[0]++ % getsPerMove == 0) {
        state[1] = random.nextInt(ROWS - rangeRows);
      }
      return random.nextInt(10) == 0 ? random.nextInt(ROWS) : state[1] + random.nextInt(rangeRows);
    };
  }
}
