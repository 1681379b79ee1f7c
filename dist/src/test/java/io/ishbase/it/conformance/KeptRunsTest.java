package io.ishbase.it.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptRunsTest {
  @TempDir private Path directory;

  @Test
  void aResultCountsUntilTheNextBuild() throws IOException {
    KeptRuns kept = new KeptRuns(directory, FileTime.fromMillis(1000));
    assertThat(kept.of("a.TestB", Pass.AUTO)).isEmpty();
    kept.keep("a.TestB", Pass.AUTO, List.of("passed\tone\t5", "done\t3"));
    assertThat(kept.of("a.TestB", Pass.AUTO).orElseThrow().passed()).containsExactly("one");
    assertThat(kept.of("a.TestB", Pass.FLUSHED)).isEmpty();
    FileTime later =
        FileTime.fromMillis(
            Files.getLastModifiedTime(directory.resolve("auto-a.TestB.txt")).toMillis() + 1000);
    assertThat(new KeptRuns(directory, later).of("a.TestB", Pass.AUTO)).isEmpty();
  }

  /** One that did not come to its end is a result, too; by its name it can be run again. */
  @Test
  void whatDidNotEndFailed() throws IOException {
    KeptRuns kept = new KeptRuns(directory, FileTime.fromMillis(1000));
    kept.keep("a.TestB#c", Pass.STOCK, List.of());
    assertThat(kept.of("a.TestB#c", Pass.STOCK).orElseThrow().failed())
        .containsKey(ClassRun.WHOLE_CLASS);
  }

  @Test
  void theBuildIsNewerThanNothing() throws IOException {
    assertThat(KeptRuns.ofThisBuild()).isGreaterThan(FileTime.fromMillis(0));
  }
}
