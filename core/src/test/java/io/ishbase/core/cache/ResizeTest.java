package io.ishbase.core.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.cache.memory.Pin;
import io.ishbase.testing.Await;
import io.ishbase.testing.Seed;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ResizeTest {
  private static final long FIRST = 4 << 20;
  private static final long MOST = 16 << 20;
  private static final int ROWS = 60_000;
  private static final int PAYLOAD_BYTES = 500;

  private final SegmentCache cache = new SegmentCache(FIRST, MOST, () -> 0);
  private final StoreCache store = cache.open("t");

  private static byte[] row(int number) {
    return ByteBuffer.allocate(8).putInt(4, number).array();
  }

  /** What a row holds: its number, again and again. */
  private static byte[] payload(int number) {
    ByteBuffer payload = ByteBuffer.allocate(PAYLOAD_BYTES);
    while (payload.remaining() >= Integer.BYTES) {
      payload.putInt(number);
    }
    return payload.array();
  }

  private void put(int number) {
    store.put(store.ticket(), row(number), null, payload(number), 0, PAYLOAD_BYTES, true);
  }

  private void fill() {
    for (int i = 0; i < ROWS; i++) {
      put(i);
    }
  }

  private int cached() {
    int cached = 0;
    RowView view = new RowView();
    try (Pin pin = store.pin()) {
      for (int i = 0; i < ROWS; i++) {
        if (store.peek(pin, row(i), null, view)) {
          cached++;
          assertThat(view.length()).isEqualTo(PAYLOAD_BYTES);
          assertThat(view.buffer().getInt(view.offset())).isEqualTo(i);
        }
      }
    }
    return cached;
  }

  @Test
  void holdsMoreRowsWhenItIsLarger() {
    fill();
    int before = cached();
    assertThat(cache.resize(MOST)).isEqualTo(MOST);
    assertThat(cached()).isEqualTo(before);
    fill();
    assertThat(cached()).isGreaterThan(3 * before);
    assertThat(cache.stats().usedBytes()).isLessThanOrEqualTo(MOST);
    assertThat(cache.stats().budgetBytes()).isEqualTo(MOST);
  }

  @Test
  void givesMemoryBackWhenItIsSmaller() {
    cache.resize(MOST);
    fill();
    for (long size = MOST; size >= FIRST / 8; size /= 2) {
      assertThat(cache.resize(size)).isEqualTo(size);
      assertThat(cache.stats().usedBytes()).isLessThanOrEqualTo(size);
      assertThat(cache.arena().chunkMemoryBytes()).isLessThanOrEqualTo(size);
      assertThat(cached()).isPositive();
      fill();
      assertThat(cache.stats().usedBytes()).isLessThanOrEqualTo(size);
    }
  }

  @Test
  void keepsHotRowsWhenItIsSmaller() {
    fill();
    RowView view = new RowView();
    int hot = 100;
    for (int round = 0; round < 20; round++) {
      for (int i = 0; i < hot; i++) {
        try (Pin pin = store.pin()) {
          if (!store.find(pin, row(i), null, view)) {
            put(i);
          }
        }
      }
      for (int i = 0; i < 1000; i++) {
        put(1000 + 1000 * round + i);
      }
    }
    cache.resize(FIRST / 4);
    int kept = 0;
    for (int i = 0; i < hot; i++) {
      kept += store.covers(row(i), null) ? 1 : 0;
    }
    assertThat(kept).isGreaterThan(hot * 9 / 10);
  }

  @Test
  void staysWithinItsBounds() {
    assertThat(cache.resize(Long.MAX_VALUE)).isEqualTo(MOST);
    assertThat(cache.resize(0)).isEqualTo(FIRST / 8);
    assertThatThrownBy(() -> new SegmentCache(FIRST, FIRST - 1, () -> 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** What the JVM has beside the heap; the collector gives it back when it likes. */
  private static long directBytes() {
    return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
        .filter(pool -> pool.getName().equals("direct"))
        .mapToLong(BufferPoolMXBean::getMemoryUsed)
        .sum();
  }

  @Test
  void growsIntoWhatItGaveUp() {
    cache.resize(MOST);
    fill();
    long before = directBytes();
    for (int i = 0; i < 20; i++) {
      cache.resize(FIRST);
      cache.resize(MOST);
      fill();
    }
    Await.until("what the collector gives back", () -> directBytes() < before + MOST / 4);
  }

  @Test
  void isNotFilledByWhatALargerOneWouldNeed() {
    // The heap of a cache that may grow to a hundred times its size is none of what it has now.
    SegmentCache small = new SegmentCache(FIRST, 100 * FIRST, () -> 0);
    assertThat(small.stats().usedBytes()).isLessThan(FIRST / 16);
  }

  @Test
  void pinsHoldMemoryBackUntilTheyAreClosed() {
    fill();
    Pin pin = store.pin();
    long reached = cache.resize(FIRST / 4);
    assertThat(reached).isGreaterThan(FIRST / 4).isLessThanOrEqualTo(FIRST);
    assertThat(cache.stats().usedBytes()).isLessThanOrEqualTo(reached);
    pin.close();
    assertThat(cache.resize(FIRST / 4)).isEqualTo(FIRST / 4);
  }

  @Test
  void readersSeeRightRowsWhileItIsResized() throws InterruptedException {
    long seed = Seed.get();
    AtomicBoolean stop = new AtomicBoolean();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread[] readers = new Thread[3];
    for (int t = 0; t < readers.length; t++) {
      Random random = new Random(seed + t);
      readers[t] =
          new Thread(
              () -> {
                RowView view = new RowView();
                while (!stop.get()) {
                  int number = random.nextInt(ROWS);
                  try (Pin pin = store.pin()) {
                    if (!store.find(pin, row(number), null, view)) {
                      put(number);
                    } else {
                      assertThat(view.buffer().getInt(view.offset() + 4)).isEqualTo(number);
                    }
                  } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                    return;
                  }
                }
              });
      readers[t].start();
    }
    Random random = new Random(seed);
    for (int i = 0; i < 300; i++) {
      cache.resize(FIRST / 8 + (long) (random.nextDouble() * (MOST - FIRST / 8)));
    }
    stop.set(true);
    for (Thread reader : readers) {
      reader.join();
    }
    assertThat(failure.get()).isNull();
    cached();
  }
}
