package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.archetypes.queue.Consumer;
import io.ishbase.archetypes.queue.Delivery;
import io.ishbase.archetypes.queue.Effects;
import io.ishbase.archetypes.queue.ExactlyOnceConsumer;
import io.ishbase.archetypes.queue.GroupOptions;
import io.ishbase.archetypes.queue.Message;
import io.ishbase.archetypes.queue.Producer;
import io.ishbase.archetypes.queue.Queue;
import io.ishbase.archetypes.queue.QueueException;
import io.ishbase.archetypes.queue.QueueException.Code;
import io.ishbase.archetypes.queue.Queues;
import io.ishbase.archetypes.queue.Step;
import io.ishbase.archetypes.queue.Steps;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Producers and consumers of both modes at once, some of which die at each of their steps, and what
 * must come of it: each message to the one group at least once and to the other once, in the order
 * of its lane.
 */
final class QueueLoad {
  private static final int PRODUCERS = 3;
  private static final int CONSUMERS = 3;
  private static final int EXACTLY_ONCE_CONSUMERS = 2;
  private static final int DEATHS_PERCENT = 3;

  /** Of the death of a client, by chance. */
  private static final class Dead extends IOException {
    private static final long serialVersionUID = 1;
    private final boolean appended;

    Dead(Step step, boolean done) {
      super("dead at " + step + ", " + done);
      appended = step == Step.APPEND_DOOR && done;
    }
  }

  private final Queues queues;
  private final Queue queue;
  private final String name;
  private final AtomicLong clock;
  private final long seed;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(PRODUCERS + CONSUMERS + EXACTLY_ONCE_CONSUMERS);
  private final List<Future<?>> producers = new ArrayList<>();
  private final List<Future<?>> consumers = new ArrayList<>();
  private final Set<Integer> appended = ConcurrentHashMap.newKeySet();
  private final Set<Integer> received = ConcurrentHashMap.newKeySet();
  private final AtomicInteger deaths = new AtomicInteger();
  private final CountDownLatch goOn = new CountDownLatch(1);
  private volatile int pauseAt = Integer.MAX_VALUE;
  private volatile boolean stopped;

  QueueLoad(Queues queues, Queue queue, String name, AtomicLong clock, long seed) {
    this.queues = queues;
    this.queue = queue;
    this.name = name;
    this.clock = clock;
    this.seed = seed;
  }

  /** Producers stand still behind so many messages, until what it returns is counted down. */
  CountDownLatch pauseAt(int messages) {
    pauseAt = messages;
    return goOn;
  }

  void start(int messagesOfEach) throws IOException {
    queue.createGroup("a", GroupOptions.atLeastOnce(Duration.ofMillis(100)));
    queue.createGroup("e", GroupOptions.exactlyOnce());
    for (int i = 0; i < PRODUCERS; i++) {
      int first = i * messagesOfEach;
      Random random = new Random(seed + i);
      producers.add(threads.submit(() -> produce(first, first + messagesOfEach, random)));
    }
    for (int i = 0; i < CONSUMERS; i++) {
      Random random = new Random(seed + 100 + i);
      consumers.add(threads.submit(() -> consume(random)));
    }
    for (int i = 0; i < EXACTLY_ONCE_CONSUMERS; i++) {
      Random random = new Random(seed + 200 + i);
      consumers.add(threads.submit(() -> sum(random)));
    }
  }

  int appended() {
    return appended.size();
  }

  int deaths() {
    return deaths.get();
  }

  boolean isAppending() {
    return producers.stream().anyMatch(future -> !future.isDone());
  }

  /** Waits until all is consumed, and checks it. */
  void finish() throws Exception {
    try {
      for (Future<?> producer : producers) {
        producer.get(3, TimeUnit.MINUTES);
      }
      MiniCluster.await(
          "all to be consumed", () -> depth() == 0 || consumers.stream().anyMatch(Future::isDone));
      stopped = true;
      for (Future<?> consumer : consumers) {
        consumer.get(1, TimeUnit.MINUTES);
      }
    } finally {
      stopped = true;
      threads.shutdownNow();
    }
    assertThat(received).isEqualTo(appended);
    checkResults();
  }

  private long depth() {
    try {
      return queue.depth("a") + queue.depth("e");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Of the group whose effects are applied once. */
  void checkResults() throws IOException {
    long sum = appended.stream().mapToLong(Integer::longValue).sum();
    assertThat(queue.sums("e")).isEqualTo(Map.of("count", (long) appended.size(), "sum", sum));
    long numbers = 0;
    for (var lane : queue.values("e").values()) {
      numbers += Bytes.toLong(lane.get("last")) + 1;
    }
    assertThat(numbers).isEqualTo(appended.size());
  }

  private Queue mortal(Random random, Step... steps) throws IOException {
    Set<Step> deadly = Set.of(steps);
    Steps dying =
        (step, done) -> {
          if (deadly.contains(step) && random.nextInt(100) < DEATHS_PERCENT) {
            deaths.incrementAndGet();
            throw new Dead(step, done);
          }
        };
    return queues.with(dying).open(name);
  }

  private Void produce(int from, int to, Random random) throws IOException, InterruptedException {
    Queue mortal = mortal(random, Step.APPEND_REST, Step.APPEND_DOOR);
    Producer producer = mortal.producer();
    int next = from;
    while (next < to) {
      if (appended.size() >= pauseAt) {
        goOn.await();
      }
      int end = Math.min(to, next + 1 + random.nextInt(20));
      List<byte[]> bodies = new ArrayList<>();
      for (int i = next; i < end; i++) {
        bodies.add(Bytes.toBytes(i));
      }
      boolean there = true;
      try {
        producer.append(bodies);
      } catch (Dead e) {
        if (random.nextBoolean()) {
          there = e.appended;
          producer = mortal.producer();
        } else {
          resume(producer);
        }
      }
      if (there) {
        for (int i = next; i < end; i++) {
          appended.add(i);
        }
        next = end;
      }
    }
    producer.close();
    return null;
  }

  private static void resume(Producer producer) throws IOException {
    while (true) {
      try {
        producer.resume();
        return;
      } catch (Dead e) {
        // It was slow once more.
      }
    }
  }

  private Void consume(Random random) throws IOException {
    Queue mortal = mortal(random, Step.CLAIM, Step.SETTLE);
    Consumer consumer = mortal.consumer("a");
    Map<Long, Long> last = new HashMap<>();
    while (!stopped) {
      clock.addAndGet(1 + random.nextInt(3));
      try {
        List<Delivery> claimed = consumer.receive(1 + random.nextInt(30));
        for (Delivery delivery : claimed) {
          Message message = delivery.message();
          received.add(Bytes.toInt(message.body()));
          if (delivery.attempt() == 1) {
            Long before = last.put(message.lane(), message.sequence());
            assertThat(before == null ? -1 : before).isLessThan(message.sequence());
          }
        }
        if (claimed.isEmpty()) {
          LockSupport.parkNanos(1_000_000);
        } else {
          settle(consumer, claimed, random);
        }
      } catch (Dead e) {
        consumer = mortal.consumer("a");
      }
    }
    return null;
  }

  private static void settle(Consumer consumer, List<Delivery> claimed, Random random)
      throws IOException {
    try {
      switch (random.nextInt(6)) {
        case 0 -> consumer.release(claimed);
        case 1 -> consumer.acknowledge(claimed.subList(0, random.nextInt(claimed.size())));
        default -> consumer.acknowledge(claimed);
      }
    } catch (QueueException e) {
      // The clock runs fast.
      assertThat(e.code()).isEqualTo(Code.CLAIM_EXPIRED);
    }
  }

  private Void sum(Random random) throws IOException {
    Queue mortal = mortal(random, Step.COMMIT);
    ExactlyOnceConsumer consumer = mortal.exactlyOnceConsumer("e");
    while (!stopped) {
      try {
        if (consumer.process(1 + random.nextInt(30), QueueLoad::add) == 0) {
          LockSupport.parkNanos(1_000_000);
        }
      } catch (Dead e) {
        consumer = mortal.exactlyOnceConsumer("e");
      }
    }
    return null;
  }

  private static void add(List<Message> messages, Effects effects) throws IOException {
    for (Message message : messages) {
      byte[] last = effects.value("last");
      assertThat(message.sequence()).isEqualTo(last == null ? 0 : Bytes.toLong(last) + 1);
      effects.set("last", Bytes.toBytes(message.sequence()));
      effects.add("count", 1);
      effects.add("sum", Bytes.toInt(message.body()));
    }
  }
}
