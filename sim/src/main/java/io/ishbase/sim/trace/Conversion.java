package io.ishbase.sim.trace;

import io.ishbase.core.trace.TraceEntry;
import io.ishbase.core.trace.TraceEntry.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Writes a trace of any format anew, in our own. */
public final class Conversion {
  private static final int MOST_ROWS = 1_000_000;
  private static final long MOST_ROW_BYTES = 64L << 20;

  private final TraceFormat format;
  private final Path from;
  private final String columns;
  private final long limit;

  /**
   * @param columns see {@link TraceFormat#open}
   * @param limit operations; what is behind them is left out
   */
  public Conversion(TraceFormat format, Path from, String columns, long limit) {
    this.format = format;
    this.from = from;
    this.columns = columns;
    this.limit = limit;
  }

  /**
   * Writes the trace. Holds one operation at a time; with ordinals, all rows.
   *
   * @param ordinals whether rows become their numbers in the order of their keys
   * @return operations
   * @throws IllegalArgumentException if there are too many rows for ordinals, or rows have no order
   * @throws IOException if a file cannot be read or written, or {@code to} is there already
   */
  public long write(Path to, boolean ordinals) throws IOException {
    if (Files.exists(to)) {
      throw new IOException(to + " is there already: remove it, or name another file");
    }
    Path directory = to.toAbsolutePath().getParent();
    if (directory == null || !Files.isDirectory(directory)) {
      throw new IOException("There is no directory " + directory + " for " + to);
    }
    Map<String, Integer> numbers = ordinals ? numbers() : Map.of();
    try (TraceReader reader = format.open(from, columns);
        TraceWriter writer =
            new TraceWriter(to, ordinals ? Keys.ORDINALS : reader.keys(), reader.remarks())) {
      long count = 0;
      for (TraceEntry entry = reader.next();
          entry != null && count < limit;
          entry = reader.next()) {
        writer.write(ordinals ? numbered(entry, numbers) : entry);
        count++;
      }
      writer.finish();
      return count;
    }
  }

  private static TraceEntry numbered(TraceEntry entry, Map<String, Integer> numbers) {
    return new TraceEntry(
        entry.micros(),
        entry.operation(),
        entry.table(),
        String.valueOf(numbers.get(name(entry))),
        entry.length(),
        entry.cells(),
        entry.bytes());
  }

  private static String name(TraceEntry entry) {
    return entry.table() + '\0' + entry.row();
  }

  /** The place of each row among all, those of a table behind those of the one before. */
  private Map<String, Integer> numbers() throws IOException {
    Map<String, Integer> numbers = new HashMap<>();
    try (TraceReader reader = format.open(from, columns)) {
      if (reader.keys() != Keys.ROWS) {
        throw new IllegalArgumentException(
            "--ordinals needs rows in the order of their keys, and this trace has none");
      }
      long bytes = 0;
      long count = 0;
      for (TraceEntry entry = reader.next();
          entry != null && count < limit;
          entry = reader.next()) {
        count++;
        if (numbers.putIfAbsent(name(entry), 0) == null) {
          bytes += name(entry).length();
        }
        if (numbers.size() > MOST_ROWS || bytes > MOST_ROW_BYTES) {
          throw new IllegalArgumentException(
              "The trace has more than 1,000,000 rows, or 64 MB of keys, in its first "
                  + count
                  + " operations: take fewer with --limit");
        }
      }
    }
    List<String> names = new ArrayList<>(numbers.keySet());
    names.sort(null);
    for (int place = 0; place < names.size(); place++) {
      numbers.put(names.get(place), place);
    }
    return numbers;
  }
}
