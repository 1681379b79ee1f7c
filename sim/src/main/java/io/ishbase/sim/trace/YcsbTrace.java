package io.ishbase.sim.trace;

import io.ishbase.core.trace.TraceEntry;
import io.ishbase.core.trace.TraceEntry.Keys;
import io.ishbase.core.trace.TraceEntry.Operation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads what YCSB prints with the binding {@code basic}: {@code READ table key [ fields ]}, {@code
 * SCAN table key rows [ fields ]}, {@code UPDATE} and {@code INSERT table key [ field=value ... ]},
 * {@code DELETE table key}. It has no times. All else that YCSB prints is passed over.
 */
final class YcsbTrace extends LineTrace {
  YcsbTrace(Path file) throws IOException {
    super(
        file,
        "no line is an operation (READ, SCAN, UPDATE, INSERT, DELETE): run ycsb with the binding"
            + " basic and without -p basicdb.verbose=false");
  }

  @Override
  @Nullable TraceEntry parse(String line) throws TraceException {
    if (line.startsWith("READ ")) {
      return entry(line, Operation.GET);
    } else if (line.startsWith("SCAN ")) {
      return entry(line, Operation.SCAN);
    } else if (line.startsWith("UPDATE ") || line.startsWith("INSERT ")) {
      return entry(line, Operation.PUT);
    } else if (line.startsWith("DELETE ")) {
      return entry(line, Operation.DELETE);
    }
    return null;
  }

  private TraceEntry entry(String line, Operation operation) throws TraceException {
    boolean isScan = operation == Operation.SCAN;
    // Values can have any printable character, so only what is before them is split.
    String[] words = line.split(" ", isScan ? 5 : 4);
    boolean hasFields = operation != Operation.DELETE;
    boolean isWhole =
        hasFields
            ? words.length == (isScan ? 5 : 4)
                && words[words.length - 1].startsWith("[ ")
                && line.endsWith("]")
            : words.length == 3;
    if (!isWhole || words[2].isEmpty()) {
      throw in.wrong(
          "not a whole "
              + words[0]
              + " of YCSB's binding basic: if the output was cut off, cut this line as well");
    }
    long length = isScan ? in.number(words[3], "the length of a SCAN") : 1;
    long bytes =
        operation == Operation.PUT
            ? words[2].length() + Math.max(0, words[3].length() - "[ ]".length())
            : TraceEntry.UNKNOWN;
    return new TraceEntry(
        TraceEntry.UNKNOWN, operation, words[1], words[2], length, TraceEntry.UNKNOWN, bytes);
  }

  @Override
  public Keys keys() {
    return Keys.ROWS;
  }

  @Override
  public List<String> remarks() {
    return List.of("YCSB's binding basic prints no times and no sizes of what is read");
  }
}
