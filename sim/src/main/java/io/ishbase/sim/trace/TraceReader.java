package io.ishbase.sim.trace;

import io.ishbase.core.trace.TraceEntry;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a trace from its beginning to its end, an operation at a time. */
public interface TraceReader extends Closeable {
  /**
   * The next operation; null at the end.
   *
   * @throws TraceException if what comes next is none
   * @throws IOException if the file cannot be read
   */
  @Nullable TraceEntry next() throws IOException;

  /** What the rows are. */
  TraceEntry.Keys keys();

  /** What is to be known of the trace before anything is concluded from it, a sentence each. */
  List<String> remarks();
}
