package io.ishbase.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Runs the same work on several threads at once. */
public final class Workers {
  /** The work of one thread. */
  public interface Work {
    void run(int worker) throws Exception;
  }

  private Workers() {}

  /**
   * Runs {@code work} on {@code count} threads and waits for all.
   *
   * @throws IOException the first failure; the other threads are interrupted then
   */
  public static void run(int count, Work work) throws IOException {
    ExecutorService threads =
        Executors.newFixedThreadPool(
            count,
            task -> {
              Thread thread = new Thread(task, "bench-worker");
              thread.setDaemon(true);
              return thread;
            });
    try {
      ExecutorCompletionService<Void> done = new ExecutorCompletionService<>(threads);
      for (int i = 0; i < count; i++) {
        int worker = i;
        done.submit(
            () -> {
              work.run(worker);
              return null;
            });
      }
      for (int i = 0; i < count; i++) {
        done.take().get();
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      threads.shutdownNow();
    }
  }

  /** The {@code part}-th of {@code parts} nearly equal pieces of a list. */
  static <T> List<T> slice(List<T> list, int part, int parts) {
    int from = (int) ((long) list.size() * part / parts);
    int to = (int) ((long) list.size() * (part + 1) / parts);
    return new ArrayList<>(list.subList(from, to));
  }
}
