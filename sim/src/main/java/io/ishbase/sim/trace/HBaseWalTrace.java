package io.ishbase.sim.trace;

import io.ishbase.core.trace.RowText;
import io.ishbase.core.trace.TraceEntry;
import io.ishbase.core.trace.TraceEntry.Keys;
import io.ishbase.core.trace.TraceEntry.Operation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Reads what HBase 2.6's {@code hbase wal -j} prints ({@code WALPrettyPrinter}): an object for each
 * edit, with its table and its cells. Between the objects it prints other things (classes of the
 * file, sizes, positions), so the whole is no JSON. Cells side by side in an edit with the same row
 * are one operation.
 */
final class HBaseWalTrace implements TraceReader {
  /** Bytes of the longest edit. */
  private static final int LONGEST_EDIT = 16 << 20;

  private static final int MOST_DIGITS_OF_TIME = 15;

  /** The family of what HBase notes for itself. */
  private static final String NOTES = "METAFAMILY";

  private final TraceInput in;
  private final Json json;
  private final Queue<TraceEntry> ready = new ArrayDeque<>();
  private boolean hasEdit;
  private long lastMicros;

  // The operation whose cells are being counted.
  private @Nullable String row;
  private Operation operation = Operation.PUT;
  private long cells;
  private long bytes;
  private long micros;

  HBaseWalTrace(Path file) throws IOException {
    in = new TraceInput(file);
    json = new Json(in::read, LONGEST_EDIT, in::wrong);
  }

  @Override
  public @Nullable TraceEntry next() throws IOException {
    while (ready.isEmpty()) {
      int next = in.read();
      while (next >= 0 && next != '{') {
        next = in.read();
      }
      if (next < 0) {
        if (!hasEdit) {
          throw in.wrong("there is no edit: run hbase wal with -j on a file of the log");
        }
        return null;
      }
      hasEdit = true;
      take(json.object());
    }
    return ready.remove();
  }

  private void take(Map<String, Object> edit) throws TraceException {
    String table = table(edit.get("table"));
    if (!(edit.get("actions") instanceof List<?> actions)) {
      throw in.wrong("an edit has no list of actions: is this the output of hbase wal -j?");
    }
    for (Object action : actions) {
      if (!(action instanceof Map<?, ?> cell) || !(cell.get("row") instanceof String text)) {
        throw in.wrong("an action has no row: is this the output of hbase wal -j?");
      }
      if (!NOTES.equals(cell.get("family"))) {
        take(table, RowText.bytes(text), cell);
      }
    }
    finish(table);
  }

  /** A name, or the fields of HBase's class of names. */
  private String table(@Nullable Object value) throws TraceException {
    Object name = value instanceof Map<?, ?> fields ? fields.get("nameAsString") : value;
    if (!(name instanceof String text)) {
      throw in.wrong("an edit has no table: is this the output of hbase wal -j?");
    }
    return text;
  }

  private void take(String table, String of, Map<?, ?> cell) throws TraceException {
    Object type = Objects.requireNonNullElse(cell.get("type"), "Put");
    Operation wanted = type.equals("Put") ? Operation.PUT : Operation.DELETE;
    if (!of.equals(row) || wanted != operation) {
      finish(table);
      row = of;
      operation = wanted;
    }
    cells++;
    bytes +=
        of.length()
            + length(cell.get("family"))
            + length(cell.get("qualifier"))
            + number(cell, "vlen");
    micros = Math.max(micros, timestamp(cell));
  }

  private static long length(@Nullable Object text) {
    return text instanceof String escaped ? RowText.bytes(escaped).length() : 0;
  }

  private long number(Map<?, ?> cell, String name) throws TraceException {
    Object value = cell.get(name);
    return value == null ? 0 : in.number(value.toString(), name);
  }

  /** In microseconds. A client may give a cell any time; one behind all ages is passed over. */
  private long timestamp(Map<?, ?> cell) throws TraceException {
    Object millis = cell.get("timestamp");
    return millis == null || millis.toString().length() > MOST_DIGITS_OF_TIME
        ? 0
        : 1000 * number(cell, "timestamp");
  }

  private void finish(String table) {
    String of = row;
    if (of == null) {
      return;
    }
    lastMicros = Math.max(lastMicros, micros);
    boolean isKnown = bytes > of.length() * cells;
    ready.add(
        new TraceEntry(
            lastMicros, operation, table, of, 1, cells, isKnown ? bytes : TraceEntry.UNKNOWN));
    row = null;
    cells = 0;
    bytes = 0;
    micros = 0;
  }

  @Override
  public Keys keys() {
    return Keys.ROWS;
  }

  @Override
  public List<String> remarks() {
    return List.of("HBase's log has all writes and no read", "times are those of the cells");
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
