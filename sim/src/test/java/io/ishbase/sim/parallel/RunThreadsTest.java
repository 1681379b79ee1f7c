package io.ishbase.sim.parallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.sim.engine.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class RunThreadsTest {
  @Test
  void outcomesComeInTheOrderOfTheRuns() {
    List<Callable<Integer>> runs = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      int number = i;
      runs.add(() -> number);
    }
    List<Integer> inOrder = RunThreads.none().all(runs);
    try (RunThreads four = RunThreads.of(4)) {
      assertThat(four.all(runs)).isEqualTo(inOrder).startsWith(0, 1, 2).hasSize(50);
    }
  }

  @Test
  void asManyGoOnAtATime() {
    CountDownLatch bothGoOn = new CountDownLatch(2);
    Callable<Boolean> meets =
        () -> {
          bothGoOn.countDown();
          bothGoOn.await();
          return true;
        };
    try (RunThreads two = RunThreads.of(2)) {
      assertThat(two.all(List.of(meets, meets))).containsExactly(true, true);
    }
  }

  /** The text is the run's own: it is shown to whoever gave a wrong value. */
  @Test
  void aRunThatFailsSaysWhy() {
    Callable<Integer> fails =
        () -> {
          throw new IllegalArgumentException("cache is 1 or less");
        };
    for (RunThreads threads : List.of(RunThreads.none(), RunThreads.of(2))) {
      try (threads) {
        assertThatThrownBy(() -> threads.all(List.of(() -> 1, fails)))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage("cache is 1 or less");
      }
    }
  }

  @Test
  void aRunWithoutMemorySaysSo() {
    try (RunThreads one = RunThreads.of(1)) {
      Future<Integer> run =
          one.begin(
              () -> {
                throw new OutOfMemoryError("of this test");
              });
      assertThatThrownBy(() -> RunThreads.await(run)).isInstanceOf(OutOfMemoryError.class);
    }
  }

  /** Nobody waits for runs that nobody wants any more, however long they would last. */
  @Test
  void runsThatGoOnEndWhenItIsClosed() throws InterruptedException {
    CountDownLatch goesOn = new CountDownLatch(1);
    AtomicReference<Throwable> ended = new AtomicReference<>();
    AtomicBoolean nextBegan = new AtomicBoolean();
    RunThreads one = RunThreads.of(1);
    Future<Integer> first =
        one.begin(
            () -> {
              EventLoop loop = new EventLoop();
              EventLoop.Timer[] forEver = new EventLoop.Timer[1];
              forEver[0] = new EventLoop.Timer(() -> loop.in(1, forEver[0]));
              loop.in(1, forEver[0]);
              goesOn.countDown();
              try {
                while (loop.step()) {}
              } catch (CancellationException e) {
                ended.set(e);
              }
              return 0;
            });
    Future<Integer> second =
        one.begin(
            () -> {
              nextBegan.set(true);
              return 0;
            });
    goesOn.await();
    one.close();
    assertThat(ended.get()).isInstanceOf(CancellationException.class);
    assertThat(first).isDone();
    assertThat(second).isNotDone();
    assertThat(nextBegan).isFalse();
  }

  @Test
  void whoIsInterruptedWaitsNoLonger() {
    try (RunThreads one = RunThreads.of(1)) {
      CountDownLatch never = new CountDownLatch(1);
      Future<Integer> run =
          one.begin(
              () -> {
                never.await();
                return 0;
              });
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> RunThreads.await(run)).isInstanceOf(CancellationException.class);
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void thereIsOneThreadAtLeast() {
    assertThatThrownBy(() -> RunThreads.of(0)).hasMessage("threads are 1 to 32767, not 0");
    assertThatThrownBy(() -> RunThreads.of(40_000)).hasMessage("threads are 1 to 32767, not 40000");
  }
}
