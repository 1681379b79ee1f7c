package io.ishbase.sim.trace;

import io.ishbase.core.trace.RowText;
import io.ishbase.core.trace.TraceEntry;
import io.ishbase.core.trace.TraceEntry.Keys;
import io.ishbase.core.trace.TraceEntry.Operation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads what RocksDB's {@code trace_analyzer -convert_to_human_readable_trace} writes: {@code key
 * type family value-size microseconds}, the key in hexadecimal. Column families are taken for
 * tables.
 */
final class RocksDbTrace extends LineTrace {
  private static final int FIELDS = 5;

  /** Of the types: get, put, delete, single delete, range delete, merge, seek, back, multi-get. */
  private static final List<Operation> OPERATIONS =
      List.of(
          Operation.GET,
          Operation.PUT,
          Operation.DELETE,
          Operation.DELETE,
          Operation.DELETE,
          Operation.PUT,
          Operation.SCAN,
          Operation.SCAN,
          Operation.GET);

  RocksDbTrace(Path file) throws IOException {
    super(file, "the file is empty: run trace_analyzer with -convert_to_human_readable_trace");
  }

  @Override
  @Nullable TraceEntry parse(String line) throws TraceException {
    if (line.isEmpty()) {
      return null;
    }
    String[] fields = line.split(" ", -1);
    if (fields.length == FIELDS - 1) {
      throw in.wrong("there is no key: run trace_analyzer without -no_key");
    }
    if (fields.length != FIELDS) {
      throw in.wrong(
          "a line of trace_analyzer has 5 fields (key, type, column family, size of the value,"
              + " time), this has "
              + fields.length);
    }
    long type = in.number(fields[1], "the type of an operation");
    if (type >= OPERATIONS.size()) {
      throw in.wrong("types of operations are 0 to 8, not " + type);
    }
    Operation operation = OPERATIONS.get((int) type);
    String row = key(fields[0]);
    long size = in.number(fields[3], "the size of a value");
    boolean isPut = operation == Operation.PUT;
    return new TraceEntry(
        notBefore(in.number(fields[4], "a time")),
        operation,
        Long.toString(in.number(fields[2], "a column family")),
        row,
        operation == Operation.SCAN ? TraceEntry.UNKNOWN : 1,
        operation == Operation.SCAN ? TraceEntry.UNKNOWN : 1,
        isPut ? row.length() + size : TraceEntry.UNKNOWN);
  }

  private String key(String field) throws TraceException {
    int begin = field.startsWith("0x") ? 2 : 0;
    StringBuilder bytes = new StringBuilder();
    for (int at = begin; at < field.length(); at += 2) {
      int value = RowText.hex(field, at);
      if (value < 0) {
        throw in.wrong(
            "a key is 0x and pairs of hexadecimal digits, not '" + TraceInput.shown(field) + "'");
      }
      bytes.append((char) value);
    }
    return bytes.toString();
  }

  @Override
  public Keys keys() {
    return Keys.ROWS;
  }

  @Override
  public List<String> remarks() {
    return List.of(
        "RocksDB's trace has no lengths of scans and no sizes of what is read",
        "the end of a range that was deleted is not in it: only its first row is");
  }
}
