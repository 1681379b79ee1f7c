package io.ishbase.plugin.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.testing.Await;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.ServerName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GreetingsTest {
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final Map<ServerName, CompletableFuture<Void>> asked = new ConcurrentHashMap<>();
  private final AtomicInteger changes = new AtomicInteger();
  private final AtomicInteger greeted = new AtomicInteger();
  private final Greetings greetings =
      new Greetings(
          daemon -> {
            greeted.incrementAndGet();
            return asked.computeIfAbsent(daemon, name -> new CompletableFuture<>());
          },
          changes::incrementAndGet,
          timer);

  @AfterEach
  void stop() {
    timer.shutdownNow();
  }

  private static ServerName daemon(int port) {
    return ServerName.valueOf("127.0.0.1", port, 1);
  }

  private static List<ServerName> daemons(int count) {
    List<ServerName> daemons = new ArrayList<>();
    for (int port = 1; port <= count; port++) {
      daemons.add(daemon(port));
    }
    return daemons;
  }

  /** Until all is done that was to be done at once. */
  private void settle() throws Exception {
    for (int i = 0; i < 3; i++) {
      timer.submit(() -> {}).get(30, TimeUnit.SECONDS);
    }
  }

  @Test
  void whoAnswersIsKnownUntilItGoes() throws Exception {
    greetings.registered(daemons(2));
    settle();
    assertThat(greetings.hasAnswered(daemon(1))).isFalse();
    asked.get(daemon(1)).complete(null);
    settle();
    assertThat(greetings.hasAnswered(daemon(1))).isTrue();
    assertThat(greetings.hasAnswered(daemon(2))).isFalse();
    assertThat(changes).hasValue(1);
    greetings.registered(daemons(2));
    settle();
    assertThat(greetings.hasAnswered(daemon(1))).isTrue();
    greetings.registered(List.of(daemon(2)));
    settle();
    assertThat(greetings.hasAnswered(daemon(1))).isFalse();
  }

  @Test
  void manyUnknownOnesAreAskedAFewAtATime() throws Exception {
    greetings.registered(daemons(100));
    settle();
    assertThat(asked).hasSize(16);
    List.copyOf(asked.values()).forEach(hello -> hello.completeExceptionally(new IOException()));
    settle();
    assertThat(asked).hasSize(32);
    assertThat(changes).hasValue(0);
  }

  @Test
  void whoGoesBeforeItIsAskedIsNotAsked() throws Exception {
    greetings.registered(daemons(100));
    settle();
    greetings.registered(daemons(20));
    List.copyOf(asked.values()).forEach(hello -> hello.complete(null));
    settle();
    assertThat(asked).hasSize(20);
  }

  /** Else each time adds to what is asked for ever. */
  @Test
  void whoComesAndGoesIsAskedOnceAtATime() throws Exception {
    asked.put(daemon(1), CompletableFuture.failedFuture(new IOException()));
    int times = 20;
    for (int i = 0; i < times; i++) {
      greetings.registered(daemons(1));
      settle();
      greetings.registered(List.of());
      settle();
    }
    greetings.registered(daemons(1));
    settle();
    int before = greeted.get();
    assertThat(before).isEqualTo(times + 1);
    // A second later, and two seconds after that; those before would come meanwhile, too.
    Await.until("two more tries", () -> greeted.get() >= before + 2);
    settle();
    assertThat(greeted).hasValue(before + 2);
  }

  @Test
  void whoDidNotAnswerIsAskedAgain() throws Exception {
    greetings.registered(daemons(1));
    settle();
    asked
        .put(daemon(1), CompletableFuture.completedFuture(null))
        .completeExceptionally(new IOException());
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!greetings.hasAnswered(daemon(1)) && System.nanoTime() < deadline) {
      settle();
    }
    assertThat(greetings.hasAnswered(daemon(1))).isTrue();
  }
}
