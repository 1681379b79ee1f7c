package io.ishbase.dist.cluster;

import java.io.IOException;
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

  private LogExcerpt() {}

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
