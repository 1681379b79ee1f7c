package io.ishbase.core.memstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@link KeySample} against a count of everything. */
class KeySampleTest {
  @ParameterizedTest
  @CsvSource({
    "1, 300",
    "1, 20000",
    "1, 1000000",
    "3, 300",
    "3, 20000",
    "16, 20000",
    "2147483647, 20000"
  })
  void saysWhatAMergeLeavesAndOfWhatComes(int versions, int keys) {
    SplittableRandom random = new SplittableRandom(3);
    agrees(versions, i -> random.nextInt(keys));
    SplittableRandom skewed = new SplittableRandom(4);
    agrees(versions, i -> (long) Math.pow(keys, skewed.nextDouble()));
  }

  private static void agrees(int versions, LongUnaryOperator writes) {
    KeySample sample = new KeySample(versions);
    Map<Long, Integer> counts = new HashMap<>();
    int all = 50_000;
    long left = 0;
    for (int i = 0; i < all; i++) {
      long key = writes.applyAsLong(i);
      sample.add(key);
      left += counts.merge(key, 1, Integer::sum) <= versions ? 1 : 0;
    }
    int next = all / 2;
    double slope = sample.slope(next);
    long leftOfNext = 0;
    for (int i = 0; i < next; i++) {
      leftOfNext += counts.merge(writes.applyAsLong(all + i), 1, Integer::sum) <= versions ? 1 : 0;
    }
    // Some four times the error that is to be expected of the one, and of the other.
    assertThat(sample.left()).isCloseTo(left, within(0.15 * left));
    assertThat(slope).isCloseTo((double) leftOfNext / next, within(0.15));
  }

  @Test
  void countsWhatHasRoomToTheCell() {
    KeySample sample = new KeySample(2);
    for (int i = 0; i < 3_000; i++) {
      sample.add(i % 500);
    }
    assertThat(sample.left()).isEqualTo(1_000);
    assertThat(sample.slope(1_000)).isLessThan(0.01);
  }

  @Test
  void beginsAnew() {
    KeySample sample = new KeySample(1);
    for (int i = 0; i < 100_000; i++) {
      sample.add(i);
    }
    sample.clear();
    assertThat(sample.left()).isZero();
    sample.add(0);
    sample.add(1);
    sample.add(0);
    assertThat(sample.left()).isEqualTo(2);
  }

  /** A thread that begins waits for other locks than this, too. */
  private static boolean waitsFor(Object lock, Thread thread) {
    ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(thread.getId());
    return info != null
        && info.getThreadState() == Thread.State.BLOCKED
        && info.getLockInfo() != null
        && info.getLockInfo().getIdentityHashCode() == System.identityHashCode(lock);
  }

  /** All writes of a table of a few counters are of the sample. */
  @Test
  void aColumnOfWhichNoMoreWillStayTakesNoLock() throws InterruptedException {
    KeySample sample = new KeySample(2);
    for (int i = 0; i < 100; i++) {
      sample.add(i % 50);
    }
    Thread writer = new Thread(() -> sample.add(7));
    boolean waits;
    synchronized (sample) {
      writer.start();
      do {
        waits = waitsFor(sample, writer);
      } while (!waits && writer.isAlive());
    }
    writer.join();
    assertThat(waits).isFalse();
    assertThat(sample.left()).isEqualTo(100);
  }

  @Test
  void manyWritersAgreeWithOne() throws InterruptedException {
    KeySample sample = new KeySample(3);
    Thread[] writers = new Thread[4];
    for (int w = 0; w < writers.length; w++) {
      writers[w] =
          new Thread(
              () -> {
                for (int i = 0; i < 100_000; i++) {
                  sample.add(i % 40_000);
                }
              });
      writers[w].start();
    }
    for (Thread writer : writers) {
      writer.join();
    }
    assertThat(sample.left()).isCloseTo(3 * 40_000, within(0.15 * 3 * 40_000));
  }
}
