package io.ishbase.it.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What passes with stock HBase in HBase's own tests passes with in-storage reads. */
class ConformanceTest {
  private static final int AT_ONCE = 2;

  @Test
  void hbasesOwnTestsPass() throws Exception {
    List<Conformance.Comparison> comparisons =
        new Conformance(new ClassRunner(Path.of("target", "conformance")), false)
            .compareAll(Conformance.CLASSES_IN_CI, AT_ONCE);
    assertThat(comparisons)
        .allSatisfy(
            comparison -> {
              assertThat(comparison.unexpected()).as(comparison.text()).isEmpty();
              assertThat(comparison.inStorage().passed()).as(comparison.text()).isNotEmpty();
              assertThat(comparison.inStorage().cells()).as(comparison.text()).isPositive();
            });
  }
}
