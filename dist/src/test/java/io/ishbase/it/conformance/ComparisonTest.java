package io.ishbase.it.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What counts as a difference, by the one that is listed for {@code filter.TestFilter}. */
class ComparisonTest {
  private static final PlannedRun FILTER = PlannedRun.of("filter.TestFilter", Pass.IN_STORAGE);
  private static final String LISTED = "failed\ttestFilterListWithPrefixFilter\tAssertionError";

  private static ClassRun run(String... lines) {
    return ClassRun.of(List.of(lines));
  }

  @Test
  void aListedMethodMayFail() {
    Comparison one =
        new Comparison(
            FILTER, run("passed\ttestPageFilter\t1", LISTED, "counted\tcells\t3", "done\t1"), null);
    assertThat(one.isAsExpected()).as(one.text()).isTrue();
    assertThat(one.knownDifferences()).containsOnlyKeys("testFilterListWithPrefixFilter");
    assertThat(one.run().isEvidence()).isTrue();
  }

  @Test
  void anotherFailureOfTheSameClassIsUnexpected() {
    ClassRun run = run("passed\ttestA\t1", LISTED, "failed\ttestB[1]\tError", "done\t1");
    assertThat(Comparison.unknownFailures(FILTER, run)).containsExactly("testB");
    Comparison one =
        new Comparison(FILTER, run, run("passed\ttestA\t1", "passed\ttestB[1]\t1", "done\t1"));
    assertThat(one.unexpected()).containsExactly("testB");
    assertThat(one.isAsExpected()).isFalse();
  }

  @Test
  void whatStockFailsTooIsNoDifference() {
    ClassRun run = run("passed\ttestA\t1", LISTED, "failed\ttestB\tError", "done\t1");
    assertThat(new Comparison(FILTER, run, run).unexpected()).isEmpty();
  }

  @Test
  void ofVariantsThatAreSkippedTheNumberCounts() {
    ClassRun stock = run("passed\ttestA[x1]\t1", "skipped\ttestA[y1]", "done\t1");
    ClassRun same = run("passed\ttestA[x2]\t1", "skipped\ttestA[y2]", "done\t1");
    assertThat(new Comparison(FILTER, same, stock).unexpected()).isEmpty();
    ClassRun more = run("passed\ttestB\t1", "skipped\ttestA[x2]", "skipped\ttestA[y2]", "done\t1");
    assertThat(new Comparison(FILTER, more, stock).unexpected()).containsExactly("testA");
  }

  @Test
  void aClassThatDoesNotRunSaysNothing() {
    ClassRun run = run("failed\t(class)\tError", "done\t1");
    assertThat(new Comparison(FILTER, run, run).unexpected()).containsExactly("(class)");
    ClassRun halted = run("passed\ttestA\t1");
    assertThat(Comparison.unknownFailures(FILTER, halted)).containsExactly("(class)");
  }

  @Test
  void aListedMethodThatPassesIsListedInVain() {
    Comparison one =
        new Comparison(FILTER, run("passed\ttestFilterListWithPrefixFilter\t1", "done\t1"), null);
    assertThat(one.listedInVain()).containsExactly("testFilterListWithPrefixFilter");
    assertThat(one.isAsExpected()).isFalse();
  }

  @Test
  void aListedMethodMayPassWhereBlocksWereRead() {
    for (String counter : List.of("fallback-LATE", "route-BLOCK")) {
      Comparison one =
          new Comparison(
              FILTER,
              run(
                  "passed\ttestFilterListWithPrefixFilter\t1",
                  "counted\tcells\t3",
                  "counted\t" + counter + "\t1",
                  "done\t1"),
              null);
      assertThat(one.isAsExpected()).as(counter).isTrue();
    }
  }

  @Test
  void badAnswersAreNeverExpected() {
    for (String counter : List.of("fallback-BAD_ANSWER", "local-BAD_ANSWER")) {
      Comparison one =
          new Comparison(
              FILTER,
              run("passed\ttestA\t1", LISTED, "counted\t" + counter + "\t1", "done\t1"),
              null);
      assertThat(one.isAsExpected()).as(counter).isFalse();
      assertThat(one.run().isEvidence()).isFalse();
    }
  }

  @Test
  void everyListedMethodIsOfAClassThatIsRun() throws IOException {
    List<PlannedRun> runs =
        Stream.concat(PlannedRun.all().stream(), PlannedRun.ofJars().stream()).toList();
    assertThat(KnownDifferences.all())
        .allMatch(known -> runs.stream().anyMatch(run -> known.isOf(run.testClass(), run.pass())));
  }

  @Test
  void noClassIsPlannedTwiceInOnePass() {
    assertThat(PlannedRun.all().stream().map(run -> run.testClass() + " " + run.pass()))
        .doesNotHaveDuplicates();
  }
}
