package io.ishbase.dist.cluster;

import io.ishbase.cluster.ClusterServer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Sends signals to one process through a shell that waits for words, so that each takes no longer
 * than a line to a pipe. The shell lets the process go on when there are no more words: also when
 * this JVM is killed.
 */
final class Signals implements ClusterServer.Standstill {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  /** What a terminal sends to end us must not end it before it let the process go on. */
  private static final String SCRIPT =
      """
      trap '' INT TERM HUP
      while read -r signal; do kill -s "$signal" "$0" || break; done
      kill -s CONT "$0"
      """;

  private final ServerProcess server;
  private final Process shell;
  private final OutputStream words;

  /** To {@code server}, which lives. */
  Signals(ServerProcess server) throws IOException {
    if (!server.isAlive()) {
      throw new IOException(server.name() + " does not run");
    }
    this.server = server;
    shell =
        new ProcessBuilder("sh", "-c", SCRIPT, Long.toString(server.pid()))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    words = shell.getOutputStream();
  }

  @Override
  public void stop() throws IOException {
    send("STOP");
  }

  @Override
  public void go() throws IOException {
    send("CONT");
  }

  private void send(String signal) throws IOException {
    words.write((signal + '\n').getBytes(StandardCharsets.US_ASCII));
    words.flush();
  }

  @Override
  public void close() throws IOException {
    try {
      words.close();
    } catch (IOException e) {
      // The shell has ended, because the process has.
    }
    try {
      if (!shell.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        throw new IOException(server.name() + " may stand still: its signals do not end");
      }
    } catch (InterruptedException e) {
      // The shell does its work without anybody who waits for it.
      Thread.currentThread().interrupt();
    }
  }
}
