package io.ishbase.core.cache;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.ishbase.core.cache.memory.Pin;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MemoryTest {
  private static final int KEY_BYTES = 16;
  private static final long BUDGET = 32 << 20;

  private final SegmentCache cache = new SegmentCache(BUDGET, () -> 0);
  private final StoreCache store = cache.open("t");

  private static byte[] row(int number) {
    return ByteBuffer.allocate(KEY_BYTES).putInt(4, number).array();
  }

  /** Fills rows in random order, each with some hits, until twice the budget has gone in. */
  private void fill(int payloadBytes) {
    Random random = new Random(1);
    byte[] payload = new byte[payloadBytes];
    RowView view = new RowView();
    for (long filled = 0; filled < 2 * BUDGET; filled += payloadBytes + KEY_BYTES) {
      byte[] row = row(random.nextInt(1 << 24));
      assertThat(store.put(store.ticket(), row, null, payload, 0, payloadBytes, true)).isTrue();
      if (random.nextBoolean()) {
        try (Pin pin = store.pin()) {
          store.find(pin, row, null, view);
        }
      }
      if (random.nextInt(16) == 0) {
        assertThat(cache.stats().usedBytes()).isLessThanOrEqualTo(BUDGET);
      }
    }
  }

  private double bookKeepingShare() {
    CacheStats stats = cache.stats();
    System.out.println(stats);
    assertThat(stats.evictions()).isPositive();
    return (double) (BUDGET - stats.cachedBytes()) / stats.cachedBytes();
  }

  @Test
  void bookKeepingOfLongRows() {
    fill(1000);
    assertThat(bookKeepingShare()).isLessThan(0.1);
  }

  @Test
  void bookKeepingOfShortRows() {
    fill(64);
    assertThat(bookKeepingShare()).isLessThan(0.6);
  }

  private static long heapInUse() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 4; i++) {
      System.gc();
      Runtime runtime = Runtime.getRuntime();
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return least;
  }

  @Test
  void theHeapInUseIsWhatIsAccountedFor() {
    // A first cache, so that classes and what the test framework holds are there before.
    fill(64);
    store.close();
    cache.close();
    long before = heapInUse();
    MemoryTest second = new MemoryTest();
    second.fill(64);
    long measured = heapInUse() - before;
    CacheStats stats = second.cache.stats();
    long estimated = stats.usedBytes() - second.cache.arena().chunkMemoryBytes();
    System.out.println("measured " + measured + " estimated " + estimated + " " + stats);
    assertThat(measured).isBetween(estimated / 2, estimated + estimated / 10);
    assertThat(stats.entries()).isPositive();
  }

  @Test
  void aClosedStoreGivesEverythingBack() {
    long empty = cache.stats().usedBytes();
    store.close();
    long withoutStore = cache.stats().usedBytes();
    for (int i = 0; i < 3; i++) {
      StoreCache first = cache.open("first");
      StoreCache second = cache.open("second");
      assertThat(cache.stats().usedBytes()).isGreaterThan(empty);
      byte[] payload = new byte[500];
      for (int row = 0; row < 60_000; row++) {
        StoreCache turn = row % 2 == 0 ? first : second;
        turn.put(turn.ticket(), row(row), null, payload, 0, payload.length, true);
      }
      first.close();
      assertThat(first.stats().entries()).isZero();
      assertThat(second.stats().entries()).isPositive();
      second.close();
      assertThat(cache.stats().entries()).isZero();
      assertThat(cache.stats().cachedBytes()).isZero();
    }
    cache.close();
    // What remains is the table of rows that left, which had grown.
    assertThat(cache.stats().usedBytes()).isLessThan(withoutStore + (1 << 20));
    assertThat(cache.arena().chunkMemoryBytes()).isZero();
  }

  @Test
  void pinsThatAreHeldRefuseFillsAndNothingElse() {
    fill(1000);
    byte[] payload = new byte[1000];
    RowView view = new RowView();
    try (Pin pin = store.pin()) {
      long entries = cache.stats().entries();
      boolean landed = true;
      for (int i = 0; i < 100_000 && landed; i++) {
        landed = store.put(store.ticket(), row(-i), null, payload, 0, payload.length, true);
      }
      assertThat(landed).isFalse();
      assertThat(cache.stats().usedBytes()).isLessThanOrEqualTo(BUDGET);
      assertThat(cache.stats().entries()).isGreaterThan(entries * 3 / 4);
      assertThat(store.find(pin, row(0), null, view)).isTrue();
      pin.renew();
      assertThat(store.put(store.ticket(), row(-1), null, payload, 0, 1000, true)).isTrue();
    }
  }

  @Test
  void manyPinsAtOnce() {
    fill(64);
    Pin[] pins = new Pin[1000];
    for (int i = 0; i < pins.length; i++) {
      pins[i] = store.pin();
    }
    assertThat(cache.stats().usedBytes()).isLessThanOrEqualTo(BUDGET);
    for (Pin pin : pins) {
      pin.close();
    }
    fill(1000);
  }

  @Test
  void lookupsAllocateNothing() {
    fill(1000);
    RowView view = new RowView();
    byte[][] rows = new byte[1000][];
    Arrays.setAll(rows, MemoryTest::row);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (Pin pin = store.pin()) {
      long allocated = Long.MAX_VALUE;
      // The first rounds may load classes, or be seen to allocate while they are compiled.
      for (int round = 0; round < 5; round++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        for (byte[] row : rows) {
          store.find(pin, row, null, view);
        }
        allocated = Math.min(allocated, threads.getCurrentThreadAllocatedBytes() - before);
      }
      assertThat(allocated).isLessThan(rows.length);
    }
  }
}
