package io.ishbase.sim.trace;

import io.ishbase.core.trace.RowText;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a trace, each a char, with the number of the line that they stand in. What ends with
 * {@code .gz} is unpacked. Holds no more than a line.
 */
final class TraceInput implements Closeable {
  /** Bytes of the longest line. */
  static final int LONGEST_LINE = 1 << 20;

  private static final int BUFFER = 1 << 16;
  private static final int SMALL_BUFFER = 1 << 13;
  private static final int ZSTD_MAGIC = 0x28B52FFD;
  private static final int GZIP_MAGIC = 0x1F8B;

  private final Path file;
  private InputStream in;
  private final StringBuilder text = new StringBuilder();
  private long line = 1;
  private int last = -1;

  /** Bytes that were read. */
  private long position;

  TraceInput(Path file) throws IOException {
    this.file = file;
    if (Files.isDirectory(file)) {
      throw new IOException(file + " is a directory: name one file");
    }
    InputStream raw = new BufferedInputStream(Files.newInputStream(file), BUFFER);
    try {
      raw.mark(Integer.BYTES);
      int magic = 0;
      for (int i = 0; i < Integer.BYTES; i++) {
        magic = magic << 8 | raw.read() & 0xFF;
      }
      raw.reset();
      boolean isGzipByName = isPacked(file);
      if (magic == ZSTD_MAGIC) {
        throw wrong("this is compressed by Zstandard: unpack it with zstd -d, or make it .gz");
      }
      if (magic >>> 16 == GZIP_MAGIC && !isGzipByName) {
        throw wrong("this is compressed by gzip: give it a name that ends with .gz");
      }
      in = isGzipByName ? new BufferedInputStream(new GZIPInputStream(raw, BUFFER)) : raw;
    } catch (ZipException | EOFException e) {
      raw.close();
      throw wrong("this is not what gzip makes, although the name ends with .gz", e);
    } catch (IOException e) {
      raw.close();
      throw e;
    }
  }

  Path file() {
    return file;
  }

  /** The next byte; -1 at the end. */
  int read() throws IOException {
    try {
      int next = in.read();
      if (last == '\n') {
        line++;
      }
      last = next;
      position += next < 0 ? 0 : 1;
      return next;
    } catch (EOFException e) {
      throw wrong("the file ends in the middle of its compressed data: copy it again, whole", e);
    } catch (ZipException e) {
      throw wrong("the compressed data are damaged: copy the file again", e);
    }
  }

  /** Whether it can be closed and opened again where it was. */
  boolean mayPause() {
    return !isPacked(file);
  }

  /** Closes the file, until {@link #resume}. */
  void pause() throws IOException {
    in.close();
  }

  /** Goes on behind what was read last. */
  void resume() throws IOException {
    InputStream raw = Files.newInputStream(file);
    try {
      raw.skipNBytes(position);
      in = new BufferedInputStream(raw, SMALL_BUFFER);
    } catch (EOFException e) {
      raw.close();
      throw wrong("the file is shorter than it was: copy it again, whole", e);
    } catch (IOException e) {
      raw.close();
      throw e;
    }
  }

  private static boolean isPacked(Path file) {
    return file.toString().endsWith(".gz");
  }

  /** The next line without its end; null if there is none. */
  @Nullable String readLine() throws IOException {
    text.setLength(0);
    int next = read();
    if (next < 0) {
      return null;
    }
    while (next >= 0 && next != '\n') {
      if (text.length() == LONGEST_LINE) {
        throw wrong("longer than " + LONGEST_LINE + " bytes: no trace has such a line");
      }
      text.append((char) next);
      next = read();
    }
    int length = text.length();
    if (length > 0 && text.charAt(length - 1) == '\r') {
      text.setLength(length - 1);
    }
    return text.toString();
  }

  /** Whether the line that was read last has an end of its own. */
  boolean hasLineEnd() {
    return last == '\n';
  }

  /** The line of what was read last. */
  long line() {
    return line;
  }

  /** What is to be thrown for what was read last. */
  TraceException wrong(String what) {
    return new TraceException(file, line, what);
  }

  private TraceException wrong(String what, IOException cause) {
    TraceException wrong = wrong(what);
    wrong.initCause(cause);
    return wrong;
  }

  /**
   * A whole number.
   *
   * @param what it is, for the message
   */
  long number(String digits, String what) throws TraceException {
    if (!digits.isEmpty()
        && digits.length() <= 18
        && digits.chars().allMatch(each -> each >= '0' && each <= '9')) {
      return Long.parseLong(digits);
    }
    throw wrong(what + " is a whole number from 0 on, not '" + shown(digits) + "'");
  }

  /** As much of it as a message bears, printable. */
  static String shown(String text) {
    String start = RowText.escaped(text.substring(0, Math.min(40, text.length())));
    return text.length() > 40 ? start + "..." : start;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
