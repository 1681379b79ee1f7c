package io.ishbase.sim.trace;

import io.ishbase.core.trace.RowText;
import io.ishbase.core.trace.TraceEntry;
import io.ishbase.core.trace.TraceEntry.Keys;
import io.ishbase.core.trace.TraceEntry.Operation;
import io.ishbase.core.trace.TraceText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads our own format, which {@link TraceWriter} and region servers write. docs/traces.md has it.
 */
final class TraceFile implements TraceReader {
  private static final int FIELDS = 7;
  private static final int MOST_REMARKS = 100;
  private static final int LONGEST_REMARK = 1000;

  private final TraceInput in;
  private final boolean mayBeCut;
  private final Keys keys;
  private final List<String> remarks = new ArrayList<>();
  private @Nullable String ahead;
  private String lastField = "";
  private String lastName = "";
  private long lastMicros = TraceEntry.UNKNOWN;

  /** A file that is whole. */
  TraceFile(Path file) throws IOException {
    this(file, false);
  }

  /**
   * @param mayBeCut whether its end may be missing: what follows the last whole line is none, and
   *     neither is a file without a first line
   */
  TraceFile(Path file, boolean mayBeCut) throws IOException {
    in = new TraceInput(file);
    this.mayBeCut = mayBeCut;
    try {
      keys = header(in.readLine());
      ahead = in.readLine();
      while (ahead != null && ahead.startsWith("#")) {
        if (ahead.startsWith(TraceText.NOTE) && remarks.size() < MOST_REMARKS) {
          remarks.add(remark(ahead.substring(TraceText.NOTE.length())));
        }
        ahead = in.readLine();
      }
    } catch (IOException e) {
      in.close();
      throw e;
    }
  }

  /** What a terminal may be shown of a file that anybody wrote. */
  private static String remark(String text) {
    return RowText.escaped(text.substring(0, Math.min(LONGEST_REMARK, text.length())));
  }

  private Keys header(@Nullable String line) throws TraceException {
    if (mayBeCut && !in.hasLineEnd()) {
      return Keys.ROWS;
    }
    if (line != null && line.startsWith(TraceText.MAGIC)) {
      String word = line.substring(TraceText.MAGIC.length()).strip();
      for (Keys each : Keys.values()) {
        if (word.equals(TraceText.word(each))) {
          return each;
        }
      }
    }
    throw in.wrong(
        "a trace begins with '"
            + TraceText.MAGIC
            + "rows', or ordinals, or hashed: if this is another format, name it with --format");
  }

  @Override
  public @Nullable TraceEntry next() throws IOException {
    String line = ahead == null ? in.readLine() : ahead;
    ahead = null;
    while (line != null && line.startsWith("#")) {
      line = in.readLine();
    }
    if (line == null) {
      return null;
    }
    String[] fields = line.split("\t", -1);
    if (!in.hasLineEnd()) {
      if (mayBeCut) {
        return null;
      }
      throw in.wrong("the file ends in the middle of this line: copy it again, or cut the line");
    }
    if (fields.length != FIELDS) {
      throw in.wrong(
          "a line has 7 fields with tabs between them (time, operation, table, row, length, cells,"
              + " bytes), this has "
              + fields.length);
    }
    TraceEntry entry =
        new TraceEntry(
            known(fields[0], "time"),
            operation(fields[1]),
            name(fields[2]),
            row(fields[3]),
            known(fields[4], "length"),
            known(fields[5], "cells"),
            known(fields[6], "bytes"));
    if (entry.micros() != TraceEntry.UNKNOWN) {
      if (entry.micros() < lastMicros) {
        throw in.wrong(
            "time goes back, from "
                + lastMicros
                + " to "
                + entry.micros()
                + ": sort the operations by their first field");
      }
      lastMicros = entry.micros();
    }
    return entry;
  }

  private String name(String field) {
    if (!field.equals(lastField)) {
      lastField = field;
      lastName = RowText.name(field);
    }
    return lastName;
  }

  private long known(String field, String what) throws TraceException {
    return field.equals("-") ? TraceEntry.UNKNOWN : in.number(field, what);
  }

  private Operation operation(String word) throws TraceException {
    for (Operation each : Operation.values()) {
      if (word.equals(TraceText.word(each))) {
        return each;
      }
    }
    throw in.wrong(
        "an operation is get, scan, put or delete, not '" + TraceInput.shown(word) + "'");
  }

  private String row(String field) throws TraceException {
    if (keys == Keys.ORDINALS) {
      return Long.toString(in.number(field, "an ordinal"));
    }
    return RowText.bytes(field);
  }

  @Override
  public Keys keys() {
    return keys;
  }

  @Override
  public List<String> remarks() {
    return remarks;
  }

  /** Whether it can be closed and opened again where it was. */
  boolean mayPause() {
    return in.mayPause();
  }

  /** Closes the file, until {@link #resume}. */
  void pause() throws IOException {
    in.pause();
  }

  void resume() throws IOException {
    in.resume();
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
