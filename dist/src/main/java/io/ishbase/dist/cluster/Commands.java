package io.ishbase.dist.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Short commands of the operating system: run to their end, output collected. */
final class Commands {
  private static final long LIMIT_SECONDS = 20;

  private Commands() {}

  /**
   * Runs a command and returns what it printed.
   *
   * @throws IOException if it cannot run, fails or takes more than 20 s; the message holds the
   *     command and what it printed
   */
  static String run(String... command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IOException(String.join(" ", command) + ": no end within 20 s");
      }
      if (process.exitValue() != 0) {
        throw new IOException(String.join(" ", command) + ": " + output.strip());
      }
      return output;
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException(String.join(" ", command) + ": interrupted", e);
    }
  }

  /** Runs a line of words that are separated by blanks. */
  static String runLine(String line) throws IOException {
    return run(line.split(" "));
  }

  /** Runs a command whose failure does not matter. */
  static void attempt(String line) {
    try {
      runLine(line);
    } catch (IOException e) {
      // It does not matter.
    }
  }

  /** Runs each line and stops at the first that fails. */
  static void runLines(List<String> lines) throws IOException {
    for (String line : lines) {
      runLine(line);
    }
  }
}
