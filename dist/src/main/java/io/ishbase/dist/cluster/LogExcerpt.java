package io.ishbase.dist.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds in a server's log why it ended. */
final class LogExcerpt {
  /** What a daemon says of the error that ends it; a failure of others may follow. */
  private static final Pattern LAST_WORDS = Pattern.compile(".*; start it again\\b.*");

  private static final Pattern EXCEPTION =
      Pattern.compile("^(Caused by: )?[\\w.$]+(Exception|Error)\\b.*");
  private static final Pattern COMPLAINT =
      Pattern.compile(".* (ERROR|FATAL) .*|.*cannot start: .*");

  private static final int END_BYTES = 1 << 18;

  /** Stands before what a process writes, since a log is that of all that were started. */
  private static final String BEGIN = "--- a process begins ---\n";

  private LogExcerpt() {}

  /** Says in a log that what follows is another process's. */
  static void begin(Path log) throws IOException {
    Files.writeString(log, BEGIN, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private static String ofLast(String text) {
    int begin = text.lastIndexOf(BEGIN);
    return begin < 0 ? text : text.substring(begin + BEGIN.length());
  }

  /** The lines of a log, of all processes, that have these words. */
  static List<String> with(Path log, String words) throws IOException {
    try (Stream<String> lines = Files.lines(log, StandardCharsets.ISO_8859_1)) {
      return lines.filter(line -> line.contains(words)).toList();
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Whether the last lines of a process's log, some thousand, have these words. */
  static boolean endsWith(Path log, String words) {
    try {
      return end(log).contains(words);
    } catch (IOException e) {
      return false;
    }
  }

  private static String end(Path log) throws IOException {
    try (SeekableByteChannel channel = Files.newByteChannel(log)) {
      ByteBuffer end = ByteBuffer.allocate(END_BYTES);
      channel.position(Math.max(0, channel.size() - END_BYTES));
      while (end.hasRemaining() && channel.read(end) >= 0) {}
      return ofLast(new String(end.array(), 0, end.position(), StandardCharsets.UTF_8));
    }
  }

  /** The process's own last words, or the deepest cause that the log names last, in one line. */
  static String lastFailure(Path log) {
    List<String> lines;
    try {
      lines = List.of(end(log).split("\n"));
    } catch (IOException e) {
      return "no log";
    }
    for (Pattern pattern : List.of(LAST_WORDS, EXCEPTION, COMPLAINT)) {
      for (int i = lines.size() - 1; i >= 0; i--) {
        if (pattern.matcher(lines.get(i)).matches()) {
          return lines.get(i).strip();
        }
      }
    }
    return "see " + log;
  }
}
