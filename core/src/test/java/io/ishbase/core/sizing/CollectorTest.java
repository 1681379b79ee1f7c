package io.ishbase.core.sizing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CollectorTest {
  private static final long GB = 1L << 30;
  private static final JvmFeatures JAVA_17 = new JvmFeatures(17, Set.of("UseG1GC", "UseZGC"));
  private static final JvmFeatures JAVA_21 =
      new JvmFeatures(21, Set.of("UseG1GC", "UseZGC", "ZGenerational"));
  private static final JvmFeatures JAVA_25 = new JvmFeatures(25, Set.of("UseG1GC", "UseZGC"));

  private static List<String> flags(JvmFeatures jvm, long heap, int processors) {
    Collector chosen = Collector.of(jvm, heap, processors);
    assertThat(chosen.note()).isEmpty();
    return chosen.flags().stream().map(flag -> flag.name() + flag.value()).toList();
  }

  @Test
  void zgcOfOneGenerationIsNotTaken() {
    assertThat(flags(JAVA_17, 8 * GB, 16)).contains("-XX:+UseG1GC");
  }

  @Test
  void generationalZgcWhereItIs() {
    assertThat(flags(JAVA_21, 8 * GB, 16)).containsExactly("-XX:+UseZGC", "-XX:+ZGenerational");
    // The flag is on its way out, then gone, and the JVM would complain.
    JvmFeatures java23 = new JvmFeatures(23, JAVA_21.flags());
    assertThat(flags(java23, 8 * GB, 16)).containsExactly("-XX:+UseZGC");
    assertThat(flags(JAVA_25, 8 * GB, 16)).containsExactly("-XX:+UseZGC");
  }

  @Test
  void notWhereItWouldTakeTheProcessorsOrTheMemory() {
    assertThat(flags(JAVA_21, 8 * GB, 2)).contains("-XX:+UseG1GC");
    assertThat(flags(JAVA_21, GB, 16)).contains("-XX:+UseG1GC");
  }

  @Test
  void regionsOfG1AreAsLargeAsTheHeapAllows() {
    assertThat(flags(JAVA_17, GB / 4, 2))
        .containsExactly("-XX:+UseG1GC", "-XX:MaxGCPauseMillis=100");
    assertThat(flags(JAVA_17, GB, 2)).contains("-XX:G1HeapRegionSize=4m");
    assertThat(flags(JAVA_17, 31 * GB, 2)).contains("-XX:G1HeapRegionSize=8m");
  }

  @Test
  void aJvmWithoutEitherKeepsItsOwn() {
    Collector chosen = Collector.of(new JvmFeatures(0, Set.of()), 8 * GB, 16);
    assertThat(chosen.flags()).isEmpty();
    assertThat(chosen.note()).startsWith("This JVM has neither").doesNotContain("\n");
  }
}
