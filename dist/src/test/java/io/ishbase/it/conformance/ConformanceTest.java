package io.ishbase.it.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What passes with stock HBase in HBase's own tests passes with everything of IS-HBase on. */
class ConformanceTest {
  private static final int AT_ONCE = 1;

  @Test
  void hbasesOwnTestsPass() throws Exception {
    long turn = Conformance.turn();
    System.out.println("Of those in turn, -Dishbase.conformance.turn=" + turn);
    List<Comparison> comparisons =
        new Conformance(new ClassRunner(Path.of("target", "conformance"), false))
            .compareAll(PlannedRun.inCi(turn), AT_ONCE);
    assertThat(comparisons)
        .allSatisfy(
            comparison -> {
              assertThat(comparison.isAsExpected()).as(comparison.text()).isTrue();
              assertThat(comparison.run().isEvidence()).as(comparison.text()).isTrue();
            });
  }
}
