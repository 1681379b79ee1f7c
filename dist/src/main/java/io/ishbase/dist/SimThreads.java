package io.ishbase.dist;

import io.ishbase.sim.parallel.RunThreads;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How many runs go on at a time. */
final class SimThreads {
  @Option(
      names = "--threads",
      paramLabel = "N",
      description = {
        "Runs at a time; otherwise as many as there are processors, if there is memory for them.",
        "What comes out is the same. ISHBASE_OPTS=-Xmx4g gives more memory."
      })
  private @Nullable Integer threads;

  /** Something that runs on these threads. */
  @FunctionalInterface
  interface Task<T, E extends Exception> {
    T on(RunThreads threads) throws E;
  }

  /**
   * Does it. Threads are gone when it is done, or has failed.
   *
   * @param bytesOfRun heap that one needs at most
   */
  <T, E extends Exception> T run(long bytesOfRun, Task<T, E> task) throws E {
    int count = threads == null ? fitting(bytesOfRun) : threads;
    if (count < 1 || count > RunThreads.MOST) {
      throw new CliException("--threads is 1 to " + RunThreads.MOST + ", not " + count);
    }
    try (RunThreads several = RunThreads.of(count)) {
      return task.on(several);
    } catch (OutOfMemoryError e) {
      throw new CliException(
          "There is not enough memory for "
              + count
              + " runs at a time: take --threads 1, or ISHBASE_OPTS=-Xmx4g",
          e);
    }
  }

  private static int fitting(long bytesOfRun) {
    Runtime machine = Runtime.getRuntime();
    long runs = machine.maxMemory() / Math.max(1, bytesOfRun);
    return (int) Math.max(1, Math.min(machine.availableProcessors(), runs));
  }
}
