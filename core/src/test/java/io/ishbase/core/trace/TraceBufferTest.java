package io.ishbase.core.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.trace.TraceEntry.Operation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TraceBufferTest {
  private static TraceEntry entry(int thread, int number) {
    return new TraceEntry(number, Operation.GET, "t", "row-of-" + thread, 1, 1, 1);
  }

  @Test
  void isEmptyAtFirst() {
    TraceBuffer buffer = new TraceBuffer(1000);
    assertThat(buffer.take()).isNull();
    assertThat(buffer.takeDropped()).isZero();
  }

  @Test
  void whatHasNoRoomIsDroppedAndCountedOnce() {
    TraceBuffer buffer = new TraceBuffer(1000);
    for (int i = 0; i < 20; i++) {
      buffer.add(entry(0, i));
    }
    // 136 bytes each.
    assertThat(buffer.takeDropped()).isEqualTo(13);
    assertThat(buffer.takeDropped()).isZero();
    for (int i = 0; i < 7; i++) {
      assertThat(buffer.take()).isEqualTo(entry(0, i));
    }
    assertThat(buffer.take()).isNull();
    buffer.add(entry(0, 21));
    assertThat(buffer.take()).isEqualTo(entry(0, 21));
    assertThat(buffer.takeDropped()).isZero();
  }

  /** Each operation is taken once or counted once, and those of a thread in its order. */
  @Test
  void manyThreadsAdd() throws InterruptedException {
    int threads = 8;
    int each = 20_000;
    TraceBuffer buffer = new TraceBuffer(50_000);
    AtomicInteger running = new AtomicInteger(threads);
    List<Thread> all = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      int id = thread;
      all.add(
          new Thread(
              () -> {
                for (int i = 0; i < each; i++) {
                  buffer.add(entry(id, i));
                }
                running.decrementAndGet();
              }));
    }
    all.forEach(Thread::start);
    Map<String, Long> last = new HashMap<>();
    long taken = 0;
    boolean isOver = false;
    while (!isOver) {
      isOver = running.get() == 0;
      for (TraceEntry entry = buffer.take(); entry != null; entry = buffer.take()) {
        taken++;
        Long before = last.put(entry.row(), entry.micros());
        assertThat(before == null || before < entry.micros()).isTrue();
      }
    }
    for (Thread thread : all) {
      thread.join();
    }
    assertThat(taken + buffer.takeDropped()).isEqualTo((long) threads * each);
    assertThat(taken).isPositive();
  }
}
