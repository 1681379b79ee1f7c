package io.ishbase.sim.trace;

import io.ishbase.core.trace.TraceEntry;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A format with an operation in a line. */
abstract class LineTrace implements TraceReader {
  final TraceInput in;
  private final String noOperation;
  private boolean hasOperation;
  private long lastMicros;

  /**
   * @param noOperation what to say of a file that has none
   */
  LineTrace(Path file, String noOperation) throws IOException {
    in = new TraceInput(file);
    this.noOperation = noOperation;
  }

  /**
   * The operation of a line; null if it has none and need not.
   *
   * @throws TraceException if it ought to have
   */
  abstract @Nullable TraceEntry parse(String line) throws IOException;

  @Override
  public @Nullable TraceEntry next() throws IOException {
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      TraceEntry entry = parse(line);
      if (entry != null) {
        hasOperation = true;
        return entry;
      }
    }
    if (!hasOperation) {
      throw in.wrong(noOperation);
    }
    return null;
  }

  /** Time for a source that writes an operation down when it ends: never before that of others. */
  long notBefore(long micros) {
    lastMicros = Math.max(lastMicros, micros);
    return lastMicros;
  }

  /** Time for a source that is in order. */
  long inOrder(long micros) throws TraceException {
    if (micros < lastMicros) {
      throw in.wrong(
          "time goes back, from "
              + lastMicros
              + " to "
              + micros
              + " us: sort the file by time, and keep the order of lines of the same time");
    }
    return notBefore(micros);
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
