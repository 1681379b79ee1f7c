package io.ishbase.dist.cluster;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** Finds in a server's log why it ended. */
final class LogExcerpt {
  private static final Pattern EXCEPTION =
      Pattern.compile("^(Caused by: )?[\\w.$]+(Exception|Error)\\b.*");
  private static final Pattern COMPLAINT =
      Pattern.compile(".* (ERROR|FATAL) .*|.*cannot start: .*");

  private static final int END_BYTES = 1 << 18;

  private LogExcerpt() {}

  /** Whether the last lines of a log, some thousand, have these words. */
  static boolean endsWith(Path log, String words) {
    try (SeekableByteChannel channel = Files.newByteChannel(log)) {
      ByteBuffer end = ByteBuffer.allocate(END_BYTES);
      channel.position(Math.max(0, channel.size() - END_BYTES));
      while (end.hasRemaining() && channel.read(end) >= 0) {}
      return new String(end.array(), 0, end.position(), StandardCharsets.UTF_8).contains(words);
    } catch (IOException e) {
      return false;
    }
  }

  /** The deepest cause that the log names last, or its last line, in one line. */
  static String lastFailure(Path log) {
    List<String> lines;
    try {
      lines = List.of(new String(Files.readAllBytes(log), StandardCharsets.UTF_8).split("\n"));
    } catch (IOException e) {
      return "no log";
    }
    for (Pattern pattern : List.of(EXCEPTION, COMPLAINT)) {
      for (int i = lines.size() - 1; i >= 0; i--) {
        if (pattern.matcher(lines.get(i)).matches()) {
          return lines.get(i).strip();
        }
      }
    }
    return lines.get(lines.size() - 1).strip();
  }
}
