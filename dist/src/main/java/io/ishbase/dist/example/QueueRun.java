package io.ishbase.dist.example;

import io.ishbase.archetypes.queue.Consumer;
import io.ishbase.archetypes.queue.Delivery;
import io.ishbase.archetypes.queue.Effects;
import io.ishbase.archetypes.queue.ExactlyOnceConsumer;
import io.ishbase.archetypes.queue.Message;
import io.ishbase.archetypes.queue.Producer;
import io.ishbase.archetypes.queue.Queue;
import io.ishbase.archetypes.queue.QueueException;
import io.ishbase.archetypes.queue.Queues;
import io.ishbase.archetypes.queue.Step;
import io.ishbase.archetypes.queue.Steps;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Producers and consumers of class files, all at once. */
final class QueueRun {
  static final String HASH = "hash";
  static final String BYTES = "bytes";

  private static final int PRODUCERS = 3;
  private static final int BATCH = 50;
  private static final int HASHERS = 3;
  private static final int SUMMERS = 2;
  private static final int CLAIM = 40;
  private static final int MAX_PROCESSED = 200;

  private final Queues queues;
  private final Queue queue;
  private final String name;
  private final List<ClassFile> files;
  private final long start = System.nanoTime();

  /** By file: one that is delivered twice counts once. */
  private final Map<String, Long> hashes = new ConcurrentHashMap<>();

  private final Latencies dequeues = new Latencies();
  private final DepthPicture picture = new DepthPicture();
  private final AtomicInteger redelivered = new AtomicInteger();
  private final AtomicInteger expired = new AtomicInteger();
  private final AtomicLong appendedNanos = new AtomicLong();
  private final AtomicLong hashedNanos = new AtomicLong();
  private final AtomicLong summedNanos = new AtomicLong();
  private final AtomicInteger summed = new AtomicInteger();
  private final AtomicInteger trimmed = new AtomicInteger();
  private final List<String> deaths = new ArrayList<>();
  private final AtomicInteger producing = new AtomicInteger(PRODUCERS);
  private volatile boolean done;

  QueueRun(Queues queues, String name, List<ClassFile> files) throws IOException {
    this.queues = queues;
    this.name = name;
    this.files = files;
    queue = queues.open(name);
  }

  /** Returns when all is consumed. */
  void run() throws IOException {
    ExecutorService threads = Executors.newCachedThreadPool();
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < PRODUCERS; i++) {
      int producer = i;
      running.add(threads.submit(orEndAll(() -> produce(producer))));
    }
    for (int i = 0; i < HASHERS; i++) {
      int consumer = i;
      running.add(threads.submit(orEndAll(() -> hash(consumer == 0))));
    }
    for (int i = 0; i < SUMMERS; i++) {
      int consumer = i;
      running.add(threads.submit(orEndAll(() -> sum(consumer == 0))));
    }
    running.add(threads.submit(orEndAll(this::watch)));
    try {
      for (Future<?> one : running) {
        one.get();
      }
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } finally {
      done = true;
      threads.shutdownNow();
    }
  }

  /** Nobody waits for one that has failed. */
  private Callable<Void> orEndAll(Callable<Void> task) {
    return () -> {
      try {
        return task.call();
      } catch (Exception | Error e) {
        done = true;
        throw e;
      }
    };
  }

  private Void produce(int producer) throws IOException {
    try (Producer out = queue.producer()) {
      List<byte[]> batch = new ArrayList<>();
      for (int i = producer; i < files.size(); i += PRODUCERS) {
        batch.add(files.get(i).encode());
        if (batch.size() == BATCH) {
          out.append(batch);
          batch = new ArrayList<>();
        }
      }
      if (!batch.isEmpty()) {
        out.append(batch);
      }
    }
    appendedNanos.accumulateAndGet(System.nanoTime() - start, Math::max);
    producing.decrementAndGet();
    return null;
  }

  /** The one that dies has claimed messages and says nothing more. */
  private Void hash(boolean dies) throws IOException {
    Consumer consumer = queue.consumer(HASH);
    while (!done) {
      long before = System.nanoTime();
      List<Delivery> claimed = consumer.receive(CLAIM);
      if (claimed.isEmpty()) {
        LockSupport.parkNanos(5_000_000);
        continue;
      }
      dequeues.add(System.nanoTime() - before);
      if (dies && hashes.size() > files.size() / 3) {
        died("a consumer of '" + HASH + "' with " + claimed.size() + " messages claimed");
        return null;
      }
      for (Delivery delivery : claimed) {
        if (delivery.attempt() > 1) {
          redelivered.incrementAndGet();
        }
        ClassFile file = ClassFile.decode(delivery.message().body());
        hashes.put(file.path(), file.checksum());
      }
      acknowledge(consumer, claimed);
      hashedNanos.accumulateAndGet(System.nanoTime() - start, Math::max);
    }
    return null;
  }

  private void acknowledge(Consumer consumer, List<Delivery> claimed) throws IOException {
    try {
      consumer.acknowledge(claimed);
    } catch (QueueException e) {
      if (e.code() != QueueException.Code.CLAIM_EXPIRED) {
        throw e;
      }
      // Another will hash them again, to the same end.
      expired.incrementAndGet();
    }
  }

  /** The one that dies never hears that its effects were applied; another takes its place. */
  private Void sum(boolean dies) throws IOException {
    Steps dying =
        (step, after) -> {
          if (step == Step.COMMIT && after && summed.get() > files.size() / 2) {
            throw new IOException("dead");
          }
        };
    ExactlyOnceConsumer consumer =
        (dies ? queues.with(dying).open(name) : queue).exactlyOnceConsumer(BYTES);
    while (!done) {
      try {
        int processed = consumer.process(MAX_PROCESSED, QueueRun::sum);
        summed.addAndGet(processed);
        if (processed == 0) {
          LockSupport.parkNanos(5_000_000);
        } else {
          summedNanos.accumulateAndGet(System.nanoTime() - start, Math::max);
        }
      } catch (IOException e) {
        if (!"dead".equals(e.getMessage())) {
          throw e;
        }
        died("a consumer of '" + BYTES + "' before it heard that its effects were applied");
        consumer = queue.exactlyOnceConsumer(BYTES);
      }
    }
    return null;
  }

  private static void sum(List<Message> messages, Effects effects) {
    for (Message message : messages) {
      ClassFile file = ClassFile.decode(message.body());
      effects.add(file.packageName(), file.bytes());
    }
  }

  private void died(String who) {
    synchronized (deaths) {
      deaths.add(String.format("%.1f s: %s", (System.nanoTime() - start) / 1e9, who));
    }
  }

  /** Looks how deep the queue is, and trims it, until nothing is left. */
  private Void watch() throws IOException {
    while (!done) {
      long hash = queue.depth(HASH);
      long bytes = queue.depth(BYTES);
      picture.add((System.nanoTime() - start) / 1_000_000, Math.max(hash, bytes));
      trimmed.addAndGet((int) queue.trim());
      if (producing.get() == 0 && queue.lanes().isEmpty()) {
        done = true;
      }
      LockSupport.parkNanos(100_000_000);
    }
    return null;
  }

  /** Of all files together, each once. */
  long hash() {
    return hashes.values().stream().mapToLong(Long::longValue).sum();
  }

  void print(PrintStream out) {
    deaths.forEach(out::println);
    out.printf("%n%-34s %10s %12s%n", "", "seconds", "messages/s");
    rate(out, "in: " + PRODUCERS + " producers", appendedNanos.get());
    rate(out, "out, at least once: " + HASHERS + " consumers", hashedNanos.get());
    rate(out, "out, exactly once: " + SUMMERS + " consumers", summedNanos.get());
    out.printf(
        "%nredelivered %,d messages, %d acknowledgements came too late%n",
        redelivered.get(), expired.get());
    out.printf("trimmed %,d messages while others were consumed%n", trimmed.get());
    out.printf("%n%-34s %6s %8s%n", "dequeue of up to " + CLAIM + " messages, ms", "p50", "p99");
    out.printf("%-34s %s%n", "first tenth of " + dequeues.count() + " calls", dequeues.first());
    out.printf("%-34s %s%n%n", "last tenth", dequeues.last());
    picture.print(out, "messages that the slower group has yet to consume");
    out.println();
  }

  private void rate(PrintStream out, String what, long nanos) {
    out.printf("%-34s %10.1f %,12.0f%n", what, nanos / 1e9, files.size() / (nanos / 1e9));
  }
}
