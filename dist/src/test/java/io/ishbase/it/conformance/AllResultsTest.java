package io.ishbase.it.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AllResultsTest {
  @TempDir private Path directory;
  private Path file;

  @BeforeEach
  void name() {
    file = directory.resolve("all.txt");
  }

  private AllResults read(String commit, String build) throws IOException {
    return new AllResults(file, commit, build);
  }

  private static PlannedRun planned(String testClass) {
    return PlannedRun.of(testClass, Pass.EVERYTHING);
  }

  private static Comparison passed(String testClass) {
    return new Comparison(
        planned(testClass), ClassRun.of(List.of("passed\ta\t5", "done\t3")), null);
  }

  @Test
  void whatIsReadIsWhatWasPut() throws IOException {
    ClassRun run =
        ClassRun.of(
            List.of(
                "passed\ta[1]\t5",
                "skipped\tb",
                "failed\tc\tError: why",
                "counted\tcells\t7",
                "done\t3"));
    ClassRun stock = ClassRun.of(List.of("passed\tb\t2", "failed\tc\tError"));
    read("c0", "b0").put(new Comparison(planned("x.TestC"), run, stock));
    read("c1", "b1").put(passed("x.TestB"));
    AllResults read = read("c2", "b2");
    assertThat(read.all())
        .extracting(AllResults.Result::testClass)
        .containsExactly("x.TestB", "x.TestC");
    AllResults.Result last = List.copyOf(read.all()).get(1);
    assertThat(last.comparison().run()).isEqualTo(run);
    assertThat(last.comparison().stock()).isEqualTo(stock);
    assertThat(last.commit()).isEqualTo("c0");
    assertThat(last.build()).isEqualTo("b0");
    assertThat(last.date()).isEqualTo(LocalDate.now(ZoneOffset.UTC).toString());
    // b is skipped here only; (class) has come to its end here only.
    assertThat(last.comparison().differing()).containsExactly("b");
  }

  @Test
  void firstThoseThatNoBuildHasRunThenTheOldest() throws IOException {
    Files.write(
        file,
        List.of(
            "class\tTestA\t2026-11-03\tc0\tb0",
            "class\tTestB\t2026-11-02\tc0\tb0",
            "class\tTestC\t2026-11-01\tc1\tb1"));
    List<PlannedRun> planned =
        List.of(planned("TestA"), planned("TestB"), planned("TestC"), planned("TestD"));
    assertThat(read("c1", "b1").left(planned))
        .extracting(PlannedRun::testClass)
        .containsExactly("TestD", "TestB", "TestA");
  }

  @Test
  void aClassThatIsRunAgainReplacesItsResult() throws IOException {
    read("c0", "b0").put(passed("TestA"));
    read("c1", "b1").put(passed("TestA"));
    assertThat(read("c2", "b2").all()).extracting(AllResults.Result::commit).containsExactly("c1");
  }

  @Test
  void aLineOfNoClassIsRefused() throws IOException {
    Files.write(file, List.of("passed\ta"));
    assertThatThrownBy(() -> read("c", "b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("passed");
  }

  @Test
  void thePageSaysHowManyOfHowManyAndWhen() throws IOException {
    read("c0", "b0").put(passed("TestA"));
    read("c1", "b1").put(passed("TestB"));
    assertThat(AllPage.of(read("c1", "b1").all(), 9))
        .contains("2 of 9 classes", "at c0 (1)", "at c1 (1)");
  }
}
