package io.ishbase.plugin.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.benmanes.caffeine.cache.Ticker;
import io.ishbase.testing.Await;
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
      new Remembered<>(100, Ticker.systemTicker(), asking, Runnable::run);

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

  @Test
  void readersGoOnWithoutItsAnswer() {
    for (int i = 0; i < 3; i++) {
      assertThat(remembered.get("a", this::ask)).isNull();
    }
    assertThat(asked).hasValue(1);
    answers.countDown();
    Await.until("its answer", () -> remembered.known("a") != null);
    assertThat(remembered.get("a", this::ask)).isEqualTo("there");
    assertThat(asked).hasValue(1);
  }

  /** A read of many files waits for all of them together as for one. */
  @Test
  void whoHasWaitedForOneAnswerDoesNotWaitForTheNext() {
    WaitBudget budget = new WaitBudget(TimeUnit.MILLISECONDS.toNanos(1));
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
    assertThat(remembered.get("BB", this::ask)).isNull();
    remembered.forget(List.of("Aa", "BB"));
    assertThat(remembered.known("Aa")).isNull();
    assertThat(remembered.get("BB", () -> "elsewhere")).isEqualTo("elsewhere");
    remembered.forget(List.of("BB"));
    answers.countDown();
    asking.shutdown();
    assertThat(asking.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
    assertThat(remembered.known("BB")).as("the answer to a question that was forgotten").isNull();
  }
}
