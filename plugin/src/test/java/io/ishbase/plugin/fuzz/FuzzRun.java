package io.ishbase.plugin.fuzz;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Tries inputs until so many were tried or the time is over. Each is drawn from the seed and its
 * number alone. The first that does harm ends the run and is written to a file.
 */
final class FuzzRun {
  /** Tried between two checks that others are still served. */
  private static final int BATCH = 5_000;

  /**
   * What one input may take: the time of an answer, that of a filter on one cell, and a pause of a
   * machine that others use, too.
   */
  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Where other tests keep the machine busy, and classes are loaded, that times as much. */
  static final int BESIDE_TESTS = 12;

  /** What it may take of memory in all, most of which is garbage at once. */
  private static final long MAX_ALLOCATED_BYTES = 512L << 20;

  private static final long PROGRESS_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final String kind;
  private final Fuzzer fuzzer;
  private final long seed;
  private final Path directory;
  private final PrintStream out;
  private final com.sun.management.ThreadMXBean threads =
      (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
  private long tried;
  private long slowestNanos;
  private long mostAllocated;

  /**
   * @param directory into which a file is written if an input does harm
   * @param out is told how far it is
   */
  FuzzRun(String kind, Fuzzer fuzzer, long seed, Path directory, PrintStream out) {
    this.kind = kind;
    this.fuzzer = fuzzer;
    this.seed = seed;
    this.directory = directory;
    this.out = out;
  }

  /**
   * Runs.
   *
   * @param count of inputs at most
   * @param nanos of time at most
   * @throws Finding if an input did harm
   */
  void run(long count, long nanos) throws Exception {
    fuzzer.check();
    // What is loaded and cached once is no leak: a part of the run comes before the first look.
    ResourceUse before = null;
    long start = System.nanoTime();
    long said = start;
    try (Watchdog watchdog = new Watchdog(this::saveHanging)) {
      while (tried < count && System.nanoTime() - start < nanos) {
        long number = tried;
        bounded(watchdog, () -> fuzzer.tryOne(random(seed, number)));
        if (tried % BATCH == 0) {
          checked();
        }
        if (before == null && (tried >= count / 10 || System.nanoTime() - start >= nanos / 10)) {
          fuzzer.settle();
          before = ResourceUse.now();
        }
        if (System.nanoTime() - said > PROGRESS_NANOS) {
          said = System.nanoTime();
          out.println(progress(said - start));
        }
      }
      watchdog.rest();
      checked();
      fuzzer.settle();
      if (before != null) {
        ResourceUse.awaitNoMoreThan(before);
      }
    }
    out.println(progress(System.nanoTime() - start));
    out.printf(
        Locale.ROOT,
        "%s: the slowest took %,d ms, the largest %,d KB of memory%n",
        kind,
        TimeUnit.NANOSECONDS.toMillis(slowestNanos),
        mostAllocated >> 10);
    fuzzer.counts().forEach((name, times) -> out.printf("  %,12d %s%n", times, name));
  }

  /**
   * Sends one input again.
   *
   * @throws Finding if it does harm
   */
  void again(byte[] input) throws Exception {
    fuzzer.check();
    try (Watchdog watchdog = new Watchdog(this::saveHanging)) {
      bounded(watchdog, () -> fuzzer.retry(input));
      watchdog.rest();
    }
    checked();
  }

  /** What may throw whatever it likes. */
  private interface Try {
    void run() throws Exception;
  }

  private void bounded(Watchdog watchdog, Try one) throws Finding {
    long start = System.nanoTime();
    long allocated = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    watchdog.begins();
    try {
      one.run();
    } catch (Throwable e) {
      throw found("It failed", e);
    }
    long took = System.nanoTime() - start;
    long bytes = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - allocated;
    if (took > (Fuzz.ownsProcess() ? DEADLINE_NANOS : BESIDE_TESTS * DEADLINE_NANOS)) {
      throw found("It took " + TimeUnit.NANOSECONDS.toMillis(took) + " ms", null);
    }
    if (bytes > MAX_ALLOCATED_BYTES) {
      throw found("It took " + bytes + " bytes", null);
    }
    slowestNanos = Math.max(slowestNanos, took);
    mostAllocated = Math.max(mostAllocated, bytes);
    tried++;
  }

  private void checked() throws Finding {
    try {
      fuzzer.check();
    } catch (Throwable e) {
      throw found("Behind it others are not served", e);
    }
  }

  /** What is drawn for the input of that number. */
  static Random random(long seed, long number) {
    // Neighbouring seeds of Random begin alike.
    return new Random((seed + number) * 0x9E3779B97F4A7C15L ^ number);
  }

  private Finding found(String what, Throwable cause) {
    FailingInput input = new FailingInput(kind, seed, tried, what, fuzzer.input(), cause);
    try {
      return new Finding(what + ", see " + input.writeTo(directory), cause);
    } catch (IOException e) {
      return new Finding(what + ", and cannot be written: " + e, cause);
    }
  }

  private void saveHanging(Throwable where) {
    out.println(found("It does not end", where).getMessage());
  }

  long tried() {
    return tried;
  }

  private String progress(long nanos) {
    return String.format(
        Locale.ROOT,
        "%s: %,d tried, %,.0f a second, seed %d",
        kind,
        tried,
        tried * 1e9 / Math.max(1, nanos),
        seed);
  }
}
