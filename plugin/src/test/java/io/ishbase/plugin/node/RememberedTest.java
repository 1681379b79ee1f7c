package io.ishbase.plugin.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Ticker;
import io.ishbase.testing.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** With a NameNode that does not answer. */
class RememberedTest {
  private final CountDownLatch answers = new CountDownLatch(1);
  private final AtomicInteger asked = new AtomicInteger();
  private final ExecutorService asking = Executors.newFixedThreadPool(2);
  private final Remembered<String> remembered =
      new Remembered<>(100, value -> false, Ticker.systemTicker(), asking, Runnable::run);

  @AfterEach
  void stop() {
    answers.countDown();
    asking.shutdown();
  }

  private String ask() {
    asked.incrementAndGet();
    try {
      answers.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return "there";
  }

  private static WaitBudget moment() {
    return new WaitBudget(TimeUnit.MILLISECONDS.toNanos(1));
  }

  @Test
  void readersGoOnWithoutItsAnswer() {
    for (int i = 0; i < 3; i++) {
      assertThat(remembered.get("a", this::ask, moment())).isNull();
    }
    Await.until("the question", () -> asked.get() == 1);
    answers.countDown();
    Await.until("its answer", () -> remembered.known("a") != null);
    assertThat(remembered.get("a", this::ask)).isEqualTo("there");
    assertThat(asked).hasValue(1);
  }

  /** A read of many files waits for all of them together as for one. */
  @Test
  void whoHasWaitedForOneAnswerDoesNotWaitForTheNext() {
    WaitBudget budget = moment();
    assertThat(remembered.get("a", this::ask, budget)).isNull();
    assertThat(budget.leftNanos()).isZero();
    for (String key : List.of("b", "c", "d")) {
      assertThat(remembered.get(key, this::ask, budget)).isNull();
    }
    answers.countDown();
    for (String key : List.of("a", "b", "c", "d")) {
      Await.until("an answer: it was asked", () -> remembered.known(key) != null);
      assertThat(remembered.get(key, this::ask, budget)).isEqualTo("there");
    }
    assertThat(asked).hasValue(4);
  }

  @Test
  void whatIsKnownHoldsUntilItWasAskedAgain() {
    assertThat(remembered.get("a", () -> "here")).isEqualTo("here");
    remembered.refresh();
    assertThat(remembered.get("a", () -> "there")).isEqualTo("here");
    assertThat(remembered.get("a", () -> "nowhere")).isEqualTo("there");
    assertThat(remembered.get("a", () -> "nowhere")).as("asked once").isEqualTo("there");
  }

  /** A NameNode must not be asked as often as daemons come and go. */
  @Test
  void whatIsToBeAskedAgainIsAskedOnce() {
    List<Runnable> later = new ArrayList<>();
    Remembered<String> slow =
        new Remembered<>(100, value -> false, Ticker.systemTicker(), Runnable::run, later::add);
    assertThat(slow.get("a", () -> "here")).isEqualTo("here");
    for (int i = 0; i < 3; i++) {
      slow.refresh();
      slow.refresh(List.of("a"));
      assertThat(slow.get("a", () -> "there")).isEqualTo("here");
    }
    assertThat(later).hasSize(1);
    later.forEach(Runnable::run);
    assertThat(slow.get("a", () -> "nowhere")).isEqualTo("there");
  }

  @Test
  void someKeysAreAskedAgain() {
    for (String key : List.of("a", "b")) {
      assertThat(remembered.get(key, () -> "here")).isEqualTo("here");
    }
    remembered.refresh(List.of("a", "c"));
    assertThat(remembered.get("a", () -> "there")).isEqualTo("here");
    assertThat(remembered.get("a", () -> "nowhere")).isEqualTo("there");
    assertThat(remembered.get("b", () -> "nowhere")).isEqualTo("here");
    assertThat(remembered.get("b", () -> "nowhere")).isEqualTo("here");
  }

  /** Two keys of one hash code. */
  @Test
  void forgettingWaitsForNobody() throws InterruptedException {
    assertThat(remembered.get("Aa", () -> "here")).isEqualTo("here");
    assertThat(remembered.get("BB", this::ask, moment())).isNull();
    remembered.forget(List.of("Aa", "BB"));
    assertThat(remembered.known("Aa")).isNull();
    assertThat(remembered.get("BB", () -> "elsewhere")).isEqualTo("elsewhere");
    remembered.forget(List.of("BB"));
    answers.countDown();
    asking.shutdown();
    assertThat(asking.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    assertThat(remembered.known("BB")).as("the answer to a question that was forgotten").isNull();
  }

  /** Of many of which something else may be said soon the NameNode is asked no more often. */
  @Test
  void manyThatArePreliminaryAreAskedForAsSeldomAsMany() {
    long[] nanos = {0};
    int[] questions = {0};
    Remembered<String> many =
        new Remembered<>(20_000, value -> true, () -> nanos[0], Runnable::run, Runnable::run);
    int keys = 10_000;
    for (int second = 0; second < 400; second++) {
      for (int key = 0; key < keys; key += 10) {
        many.get(
            "" + (key + second % 10),
            () -> {
              questions[0]++;
              return "here";
            });
      }
      nanos[0] += TimeUnit.SECONDS.toNanos(1);
    }
    // Each once, and then fifty in a second.
    assertThat(questions[0] - keys).isBetween(1, 50 * 400);
  }
}
