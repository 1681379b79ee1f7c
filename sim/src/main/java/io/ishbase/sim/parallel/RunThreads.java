package io.ishbase.sim.parallel;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Carries out runs, so many at a time, in the order in which they are begun. A run shares nothing
 * that changes with another, and whoever began it waits for it where its outcome is needed: what
 * comes out does not depend on the number of threads.
 *
 * <p>Threads are daemons: a process that ends, ends them. A parallel stream inside a run uses the
 * same threads, for it stays in the pool that it is begun in.
 */
public final class RunThreads implements AutoCloseable {
  /** At a time, at most; the JDK bears no more in a pool. */
  public static final int MOST = 32_767;

  private static final int MOST_SECONDS_TO_END = 10;

  /** Null: the thread that begins a run carries it out. */
  private final @Nullable ForkJoinPool pool;

  private RunThreads(@Nullable ForkJoinPool pool) {
    this.pool = pool;
  }

  /**
   * So many at a time.
   *
   * @throws IllegalArgumentException if that is less than 1, or more than {@link #MOST}
   */
  public static RunThreads of(int threads) {
    if (threads < 1 || threads > MOST) {
      throw new IllegalArgumentException("threads are 1 to " + MOST + ", not " + threads);
    }
    return new RunThreads(
        new ForkJoinPool(
            threads, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, /* asyncMode= */ true));
  }

  /** None: who begins a run carries it out. */
  public static RunThreads none() {
    return new RunThreads(null);
  }

  /** Begins a run as soon as a thread is free. What it throws, {@link #await} throws. */
  public <T> Future<T> begin(Callable<T> run) {
    FutureTask<T> task = new FutureTask<>(run);
    if (pool == null) {
      task.run();
    } else {
      pool.execute(task);
    }
    return task;
  }

  /** Carries out all, and returns their outcomes in the same order. */
  public <T> List<T> all(List<Callable<T>> runs) {
    List<Future<T>> begun = runs.stream().map(this::begin).toList();
    return begun.stream().map(RunThreads::await).toList();
  }

  /**
   * The outcome of a run, once it has ended.
   *
   * @throws CancellationException if this thread is interrupted
   */
  public static <T> T await(Future<T> run) {
    try {
      return run.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CancellationException("Interrupted while waiting for a run");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException unchecked) {
        throw unchecked;
      }
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Ends runs that go on, begins no more of those that wait, and returns when none is left. */
  @Override
  public void close() {
    if (pool == null) {
      return;
    }
    pool.shutdownNow();
    try {
      if (!pool.awaitTermination(MOST_SECONDS_TO_END, TimeUnit.SECONDS)) {
        throw new IllegalStateException("A run does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
