package io.ishbase.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class SharingTest {
  private static final int FEW = 2;
  private static final int MOST = 4;

  private static final class Read implements Sharing.Read {
    private final AtomicBoolean isTaken = new AtomicBoolean();
    private final AtomicInteger sent = new AtomicInteger();
    private final CountDownLatch answered = new CountDownLatch(1);

    @Override
    public boolean begin() {
      return isTaken.compareAndSet(false, true);
    }

    /** Its reader does not wait any longer. */
    boolean leave() {
      return begin();
    }
  }

  private final Deque<List<Read>> requests = new ArrayDeque<>();
  private final Sharing<Read> sharing = new Sharing<>(FEW, MOST, requests::add);

  private List<Read> send(int reads) {
    List<Read> sent = new ArrayList<>();
    for (int i = 0; i < reads; i++) {
      Read read = new Read();
      sent.add(read);
      sharing.send(read);
    }
    return sent;
  }

  private List<Integer> sizes() {
    return requests.stream().map(List::size).toList();
  }

  @Test
  void aLoneReadGoesAtOnceAndAlone() {
    for (int i = 0; i < 100; i++) {
      send(1);
      assertThat(sizes()).containsExactly(1);
      requests.clear();
      sharing.ended();
    }
    assertThat(sharing.underWay()).isZero();
  }

  @Test
  void theNextRequestFormsWhileOthersAreUnderWay() {
    send(FEW + 3);
    assertThat(sizes()).containsExactly(1, 1);
    sharing.ended();
    assertThat(sizes()).containsExactly(1, 1, 3);
    assertThat(sharing.waiting()).isZero();
  }

  @Test
  void aFullRequestWaitsForNothing() {
    send(FEW + MOST + 1);
    assertThat(sizes()).containsExactly(1, 1, MOST);
    assertThat(sharing.waiting()).isEqualTo(1);
  }

  @Test
  void whenFewerAreUnderWayAgainNoMoreAreSentThanFew() {
    send(FEW + 2 * MOST + 1);
    assertThat(sizes()).containsExactly(1, 1, MOST, MOST);
    sharing.ended();
    sharing.ended();
    assertThat(sharing.waiting()).isEqualTo(1);
    sharing.ended();
    assertThat(sizes()).containsExactly(1, 1, MOST, MOST, 1);
  }

  @Test
  void whoHasLeftIsNotSent() {
    List<Read> reads = send(FEW + 3);
    assertThat(reads.get(FEW + 1).leave()).isTrue();
    sharing.ended();
    assertThat(sizes()).containsExactly(1, 1, 2);
    assertThat(requests.getLast()).doesNotContain(reads.get(FEW + 1));
  }

  @Test
  void whereAllHaveLeftNothingIsSent() {
    List<Read> reads = send(FEW + 2);
    reads.forEach(Read::leave);
    sharing.ended();
    sharing.ended();
    assertThat(sizes()).containsExactly(1, 1);
    assertThat(sharing.underWay()).isZero();
    assertThat(sharing.waiting()).isZero();
  }

  @Test
  void requestsShrinkToWhatTheDaemonBegins() {
    sharing.began(1, MOST);
    send(FEW + 3);
    assertThat(sizes()).as("rows are slow: all go at once").containsOnly(1);
  }

  @Test
  void requestsGrowAgainSlowly() {
    sharing.began(1, MOST);
    for (int i = 0; i < 1_000; i++) {
      sharing.began(1, 1);
    }
    send(FEW + MOST - 1);
    assertThat(sizes()).containsExactly(1, 1);
    sharing.ended();
    assertThat(sizes()).containsExactly(1, 1, MOST - 1);
  }

  @Test
  void largeAnswersComeInSmallRequests() {
    sharing.limit(2);
    send(FEW + 4);
    assertThat(sizes()).containsExactly(1, 1, 2, 2);
  }

  /** A step: of three kinds, one of which is that a read comes. */
  @Property(tries = 2_000)
  void eachReadIsSentOnceWhateverTheOrder(
      @ForAll @Size(max = 200) List<@IntRange(max = 9) Integer> steps) {
    List<Read> all = new ArrayList<>();
    Deque<List<Read>> underWay = new ArrayDeque<>();
    Consumer<List<Read>> sender =
        reads -> {
          assertThat(reads).hasSizeBetween(1, MOST);
          reads.forEach(read -> read.sent.incrementAndGet());
          underWay.add(reads);
        };
    Sharing<Read> tested = new Sharing<>(FEW, MOST, sender);
    int left = 0;
    for (int step : steps) {
      if (step < 5) {
        boolean isQuiet = underWay.size() < FEW;
        Read read = new Read();
        all.add(read);
        tested.send(read);
        assertThat(read.sent.get() == 1 || !isQuiet).as("goes at once").isTrue();
      } else if (step < 8 && !underWay.isEmpty()) {
        List<Read> answered = step == 5 ? underWay.removeLast() : underWay.removeFirst();
        tested.began(step == 6 ? 1 : answered.size(), answered.size());
        tested.ended();
      } else if (!all.isEmpty() && all.get(all.size() - 1).leave()) {
        left++;
      }
      assertThat(tested.underWay()).isEqualTo(underWay.size());
      assertThat(tested.waiting() == 0 || !underWay.isEmpty()).as("nobody waits in vain").isTrue();
    }
    while (!underWay.isEmpty()) {
      underWay.removeFirst();
      tested.ended();
    }
    assertThat(tested.waiting()).isZero();
    assertThat(all.stream().mapToInt(read -> read.sent.get()).sum()).isEqualTo(all.size() - left);
    assertThat(all).allMatch(read -> read.sent.get() <= 1);
  }

  /** A transport that fails at once ends a request within the call that sends it. */
  @Test
  void requestsThatFailAtOnceLeaveNothingBehind() {
    AtomicInteger sent = new AtomicInteger();
    List<Sharing<Read>> holder = new ArrayList<>();
    holder.add(
        new Sharing<>(
            FEW,
            MOST,
            reads -> {
              sent.addAndGet(reads.size());
              holder.get(0).ended();
            }));
    for (int i = 0; i < 1_000; i++) {
      holder.get(0).send(new Read());
    }
    assertThat(sent).hasValue(1_000);
    assertThat(holder.get(0).underWay()).isZero();
  }

  /** Readers wait for their answers; other threads answer, as soon or as late as it happens. */
  @Test
  void noReadOfManyThreadsIsForgotten() throws Exception {
    int readers = 12;
    int each = 20_000;
    Queue<List<Read>> sent = new ConcurrentLinkedQueue<>();
    AtomicInteger count = new AtomicInteger();
    Sharing<Read> tested =
        new Sharing<>(
            FEW,
            MOST,
            reads -> {
              count.incrementAndGet();
              sent.add(reads);
            });
    AtomicBoolean isOver = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(readers + 2);
    try {
      List<Future<?>> answering = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        answering.add(
            threads.submit(
                () -> {
                  while (!isOver.get()) {
                    List<Read> reads = sent.poll();
                    if (reads == null) {
                      Thread.onSpinWait();
                      continue;
                    }
                    tested.ended();
                    reads.forEach(
                        read -> {
                          read.sent.incrementAndGet();
                          read.answered.countDown();
                        });
                  }
                }));
      }
      List<Future<?>> reading = new ArrayList<>();
      for (int i = 0; i < readers; i++) {
        boolean isImpatient = i % 4 == 0;
        reading.add(
            threads.submit(
                () -> {
                  for (int n = 0; n < each; n++) {
                    Read read = new Read();
                    tested.send(read);
                    if (isImpatient && read.leave()) {
                      continue;
                    }
                    assertThat(read.answered.await(60, TimeUnit.SECONDS)).isTrue();
                    assertThat(read.sent).hasValue(1);
                  }
                  return null;
                }));
      }
      for (Future<?> reader : reading) {
        reader.get(120, TimeUnit.SECONDS);
      }
      while (tested.underWay() > 0) {
        Thread.onSpinWait();
      }
      isOver.set(true);
      for (Future<?> thread : answering) {
        thread.get(60, TimeUnit.SECONDS);
      }
    } finally {
      isOver.set(true);
      threads.shutdownNow();
    }
    assertThat(sent).isEmpty();
    assertThat(count.get()).isLessThan(readers * each);
  }
}
