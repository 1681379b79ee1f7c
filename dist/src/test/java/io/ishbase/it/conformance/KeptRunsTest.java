package io.ishbase.it.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptRunsTest {
  @TempDir private Path directory;

  @Test
  void aResultCountsForItsBuild() throws IOException {
    KeptRuns kept = new KeptRuns(directory, "one");
    assertThat(kept.of("a.TestB", Pass.AUTO)).isEmpty();
    kept.keep("a.TestB", Pass.AUTO, List.of("passed\tone\t5", "done\t3"));
    kept = new KeptRuns(directory, "one");
    assertThat(kept.of("a.TestB", Pass.AUTO).orElseThrow().passed()).containsExactly("one");
    assertThat(kept.of("a.TestB", Pass.FLUSHED)).isEmpty();
    assertThat(new KeptRuns(directory, "two").of("a.TestB", Pass.AUTO)).isEmpty();
    assertThat(new KeptRuns(directory, "one").of("a.TestB", Pass.AUTO)).isEmpty();
  }

  /** One that did not come to its end is a result, too; by its name it can be run again. */
  @Test
  void whatDidNotEndFailed() throws IOException {
    KeptRuns kept = new KeptRuns(directory, "one");
    kept.keep("a.TestB#c", Pass.STOCK, List.of());
    assertThat(kept.of("a.TestB#c", Pass.STOCK).orElseThrow().failed())
        .containsKey(ClassRun.WHOLE_CLASS);
  }

  @Test
  void aBuildIsWhatItsClassesSay() throws IOException {
    assertThat(KeptRuns.ofThisBuild()).matches("[0-9a-f]{16}").isEqualTo(KeptRuns.ofThisBuild());
  }
}
