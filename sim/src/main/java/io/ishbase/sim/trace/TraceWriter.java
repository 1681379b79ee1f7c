package io.ishbase.sim.trace;

import io.ishbase.core.trace.TraceEntry;
import io.ishbase.core.trace.TraceEntry.Keys;
import io.ishbase.core.trace.TraceText;
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
  private final StringBuilder line = new StringBuilder();
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
    out.write(TraceText.header(keys, remarks));
  }

  /** Writes an operation behind the others. */
  public void write(TraceEntry entry) throws IOException {
    line.setLength(0);
    TraceText.append(line, entry, keys);
    out.append(line);
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
