package io.ishbase.sim.trace;

import io.ishbase.sim.trace.TraceEntry.Keys;
import java.io.BufferedOutputStream;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/**
 * Writes a trace in our own format, packed if the name ends with {@code .gz}. The file has its name
 * only when it is whole.
 */
public final class TraceWriter implements Closeable {
  private final Path file;
  private final Path part;
  private final Keys keys;
  private final Writer out;
  private boolean isWhole;

  /**
   * @param remarks what the trace says of itself
   */
  public TraceWriter(Path file, Keys keys, List<String> remarks) throws IOException {
    this.file = file;
    this.keys = keys;
    part = file.resolveSibling(file.getFileName() + ".part");
    OutputStream raw = new BufferedOutputStream(Files.newOutputStream(part));
    OutputStream packed = file.toString().endsWith(".gz") ? new GZIPOutputStream(raw) : raw;
    out = new BufferedWriter(new OutputStreamWriter(packed, StandardCharsets.ISO_8859_1));
    out.write(TraceFile.MAGIC + TraceFile.word(keys) + '\n');
    for (String remark : remarks) {
      out.write(TraceFile.NOTE + remark + '\n');
    }
    out.write("# time (us)\toperation\ttable\trow\tlength\tcells\tbytes\n");
  }

  /** Writes an operation behind the others. */
  public void write(TraceEntry entry) throws IOException {
    out.write(known(entry.micros()));
    out.write('\t');
    out.write(TraceFile.word(entry.operation()));
    out.write('\t');
    out.write(RowText.escaped(entry.table()));
    out.write('\t');
    out.write(keys == Keys.ORDINALS ? entry.row() : RowText.escaped(entry.row()));
    out.write('\t');
    out.write(known(entry.length()));
    out.write('\t');
    out.write(known(entry.cells()));
    out.write('\t');
    out.write(known(entry.bytes()));
    out.write('\n');
  }

  private static String known(long number) {
    return number == TraceEntry.UNKNOWN ? "-" : Long.toString(number);
  }

  /** Says that all was written. */
  public void finish() {
    isWhole = true;
  }

  @Override
  public void close() throws IOException {
    out.close();
    if (isWhole) {
      Files.move(part, file);
    } else {
      Files.deleteIfExists(part);
    }
  }
}
