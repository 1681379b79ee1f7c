package io.ishbase.core.trace;

import io.ishbase.core.trace.TraceEntry.Keys;
import java.util.List;
import java.util.Locale;

/** The text of our format of traces, a line for each operation. docs/traces.md has it. */
public final class TraceText {
  /** What a trace begins with; what its rows are follows. */
  public static final String MAGIC = "# ishbase-trace 1 ";

  /** What a comment begins with that is for whoever reads the trace. */
  public static final String NOTE = "# note: ";

  /** What a comment begins with. */
  public static final String COMMENT = "# ";

  private TraceText() {}

  /**
   * The lines before the first operation.
   *
   * @param remarks what the trace says of itself
   */
  public static String header(Keys keys, List<String> remarks) {
    StringBuilder text = new StringBuilder(MAGIC).append(word(keys)).append('\n');
    remarks.forEach(remark -> text.append(NOTE).append(remark).append('\n'));
    return text.append("# time (us)\toperation\ttable\trow\tlength\tcells\tbytes\n").toString();
  }

  /** Appends the line of an operation, with its end. */
  public static void append(StringBuilder text, TraceEntry entry, Keys keys) {
    append(text, entry.micros());
    text.append('\t').append(word(entry.operation()));
    text.append('\t').append(RowText.escapedName(entry.table()));
    text.append('\t').append(keys == Keys.ORDINALS ? entry.row() : RowText.escaped(entry.row()));
    append(text.append('\t'), entry.length());
    append(text.append('\t'), entry.cells());
    append(text.append('\t'), entry.bytes());
    text.append('\n');
  }

  private static void append(StringBuilder text, long number) {
    if (number == TraceEntry.UNKNOWN) {
      text.append('-');
    } else {
      text.append(number);
    }
  }

  /** How a constant stands in a trace. */
  public static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
