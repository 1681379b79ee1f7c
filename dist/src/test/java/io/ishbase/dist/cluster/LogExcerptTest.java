package io.ishbase.dist.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogExcerptTest {
  @TempDir private Path directory;
  private Path log;

  @BeforeEach
  void begin() throws IOException {
    log = directory.resolve("log");
    Files.writeString(log, "java.io.IOException: of one before\n");
    LogExcerpt.begin(log);
  }

  private void append(String text) throws IOException {
    Files.writeString(log, Files.readString(log) + text);
  }

  @Test
  void theDeepestCauseIsSaid() throws IOException {
    append("1 ERROR issn cannot start: x\njava.io.IOException: x\nCaused by: a.BException: y\n");
    assertThat(LogExcerpt.lastFailure(log)).isEqualTo("Caused by: a.BException: y");
  }

  /** Connections fail behind an error that ends the process. */
  @Test
  void itsOwnLastWordsComeFirst() throws IOException {
    String words = "1 ERROR issn a,1,1 ends; start it again. java.lang.OutOfMemoryError: heap";
    append(words + "\njava.lang.OutOfMemoryError: heap\n\tat x\n2 WARN\na.ClosedException: null\n");
    assertThat(LogExcerpt.lastFailure(log)).isEqualTo(words);
  }

  @Test
  void ofOneThatSaidNothingTheLogIsNamed() throws IOException {
    append("1 INFO begins\n");
    assertThat(LogExcerpt.lastFailure(log)).isEqualTo("see " + log);
    assertThat(LogExcerpt.lastFailure(directory.resolve("none"))).isEqualTo("no log");
  }
}
