package io.ishbase.dist.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A server process that a cluster started: its pid together with the time it started, so that a
 * process which got the same number later is never taken for it.
 *
 * @param name its role
 * @param start the kernel's start time of the process, in its own unit
 */
record ServerProcess(String name, long pid, long start) {
  static ServerProcess of(String name, Process process) throws IOException {
    return new ServerProcess(
        name,
        process.pid(),
        startOf(process.pid()).orElseThrow(() -> new IOException(name + " ended at once")));
  }

  /** The inverse of {@link #toString}. */
  static ServerProcess parse(String name, String text) {
    String[] parts = text.split(":");
    return new ServerProcess(name, Long.parseLong(parts[0]), Long.parseLong(parts[1]));
  }

  boolean isAlive() {
    return startOf(pid).filter(now -> now == start).isPresent();
  }

  /** Processor time that the process {@code pid} has had, in seconds; 0 if nobody can tell. */
  static double processorSeconds(long pid) {
    return ProcessHandle.of(pid)
        .flatMap(handle -> handle.info().totalCpuDuration())
        .map(time -> time.toNanos() / 1e9)
        .orElse(0.0);
  }

  /** Asks it to end. */
  void terminate() {
    if (isAlive()) {
      ProcessHandle.of(pid).ifPresent(ProcessHandle::destroy);
    }
  }

  /** Ends it. */
  void kill() {
    if (isAlive()) {
      ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  /** The start time of the process {@code pid}; empty if there is none or it has ended. */
  static Optional<Long> startOf(long pid) {
    Path stat = Path.of("/proc", Long.toString(pid), "stat");
    try {
      if (Files.exists(Path.of("/proc/self/stat"))) {
        // The name in parentheses may hold blanks: count from its end. State is field 3, start 22.
        String text = Files.readString(stat);
        String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ");
        return fields[0].equals("Z") ? Optional.empty() : Optional.of(Long.valueOf(fields[19]));
      }
    } catch (IOException e) {
      return Optional.empty();
    }
    return ProcessHandle.of(pid)
        .filter(ProcessHandle::isAlive)
        .flatMap(handle -> handle.info().startInstant())
        .map(instant -> instant.toEpochMilli());
  }

  @Override
  public String toString() {
    return pid + ":" + start;
  }
}
