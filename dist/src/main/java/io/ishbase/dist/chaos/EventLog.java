package io.ishbase.dist.chaos;

import java.io.Closeable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;

/** What went wrong, and when: a line each, with the time of day. Thread safe. */
final class EventLog implements Closeable {
  private final PrintWriter out;

  /** Begins in place of what the file holds. */
  EventLog(Path file) throws IOException {
    out = new PrintWriter(Files.newBufferedWriter(file), true);
  }

  void say(String line) {
    out.println(LocalTime.now().truncatedTo(ChronoUnit.MILLIS) + " " + line);
  }

  @Override
  public void close() {
    out.close();
  }
}
