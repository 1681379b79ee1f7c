package io.ishbase.sim.trace;

import java.io.IOException;
import java.nio.file.Path;

/** A trace that cannot be read. The message says in which line of which file, and what to do. */
public final class TraceException extends IOException {
  private static final long serialVersionUID = 1;

  TraceException(Path file, long line, String message) {
    super(file + ", line " + line + ": " + message);
  }
}
