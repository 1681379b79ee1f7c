package io.ishbase.sim.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.ishbase.sim.workload.Parameters;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Figures 31 to 33: the model against the seed's numbers, and against a formula. */
class OneCompactionTest {
  private static final Parameters SEED = Parameters.seed();

  private static double seconds(Way way, int nodes, int files, double line, double fabric) {
    return OneCompaction.nanos(SEED, way, nodes, files, line, fabric) / 1e9;
  }

  private static double share(int nodes, int files, double line) {
    return seconds(Way.IN_STORAGE, nodes, files, line, 1)
        / seconds(Way.LEGACY, nodes, files, line, 1);
  }

  @Test
  void figure31() {
    assertThat(share(4, 4, 1)).isCloseTo(0.4463, within(0.04463));
    assertThat(seconds(Way.IN_STORAGE, 4, 4, 1, 1)).isLessThan(seconds(Way.LEGACY, 4, 2, 1, 1));
  }

  @Test
  void figure32() {
    assertThat(share(3, 3, 1)).isCloseTo(0.4184, within(0.04184));
    assertThat(share(3, 3, 0.1)).isCloseTo(0.0631, within(0.00631));
    double free = seconds(Way.IN_STORAGE, 3, 3, 1, 1);
    assertThat(seconds(Way.IN_STORAGE, 3, 3, 0.1, 1)).isCloseTo(free, within(0.02 * free));
  }

  @Test
  void figure33() {
    double legacy = seconds(Way.LEGACY, 3, 3, 1, 1);
    assertThat(seconds(Way.LEGACY, 3, 3, 1, 0.1)).isEqualTo(legacy);
    assertThat(seconds(Way.IN_STORAGE, 3, 3, 1, 0.3)).isLessThan(legacy);
    assertThat(seconds(Way.IN_STORAGE, 3, 3, 1, 0.27)).isLessThan(legacy);
    assertThat(seconds(Way.IN_STORAGE, 3, 3, 1, 0.26)).isGreaterThan(legacy);
  }

  /** Two thirds of the bytes come to one node: with spread files that is what limits. */
  @Test
  void oursOfSpreadFilesLosesOnAVerySlowStorageNetwork() {
    double legacy = seconds(Way.LEGACY, 3, 3, 1, 1);
    assertThat(seconds(Way.OURS, 3, 3, 1, 0.22)).isLessThan(legacy);
    double slow = seconds(Way.OURS, 3, 3, 1, 0.2);
    double fetching = 6.0 * (1 << 30) * 8 / (0.2 * 512e6);
    assertThat(slow).isGreaterThan(legacy).isCloseTo(fetching, within(0.01 * fetching));
  }

  /** A region's files lie at its home: the network among storage nodes does not matter. */
  @ParameterizedTest
  @ValueSource(doubles = {1, 0.5, 0.3, 0.1, 0.01})
  void oursAtHomeNeverLoses(double fabric) {
    double legacy = seconds(Way.LEGACY, 3, 3, 1, fabric);
    assertThat(seconds(Way.OURS_AT_HOME, 3, 3, 1, fabric)).isLessThan(legacy);
  }

  /** One round under way: read, line, merge and line again, one after the other. */
  @Test
  void legacyIsASum() {
    Parameters other =
        SEED.with("compaction.read.ns", 3)
            .with("compaction.merge.ns", 2)
            .with("compaction.line.mbps", 1000)
            .with("compaction.file.bytes", 100e6);
    double nanos = OneCompaction.nanos(other, Way.LEGACY, 2, 3, 1, 1);
    assertThat(nanos).isCloseTo(600e6 * (3 + 8 + 2 + 8), within(1e6));
  }

  /** Several: what is slowest alone. */
  @Test
  void oursIsItsSlowestStep() {
    Parameters other =
        SEED.with("compaction.read.ns", 3)
            .with("compaction.merge.ns", 2)
            .with("compaction.fabric.mbps", 1000)
            .with("compaction.file.bytes", 100e6);
    for (int files : List.of(1, 3)) {
      double nanos = OneCompaction.nanos(other, Way.OURS, 2, files, 1, 1);
      double line = files * 100e6 * 8;
      assertThat(nanos).isCloseTo(line, within(0.05 * line));
    }
  }
}
