package io.ishbase.plugin.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;

class PressureTest {
  @Test
  void theStoreThatIsClosestToBlockingCounts() {
    assertThat(new Pressure(() -> 0.1, () -> 1).blocksWrites()).isTrue();
    assertThat(new Pressure(() -> 0.1, () -> 0.7).now()).isEqualTo(0.7);
    assertThat(new Pressure(() -> 1.2, () -> 0).blocksWrites()).isTrue();
  }

  /** HBase says 1 of five stripes with a file each; writes are blocked by more than 16 files. */
  @Test
  void onlyWhatBlocksWritesIsOneAndMore() {
    assertThat(Pressure.of(1, false, 5.0 / 16)).isEqualTo(5.0 / 16);
    assertThat(Pressure.of(1, false, 1)).isLessThan(1);
    assertThat(Pressure.of(1.4, true, 20.0 / 16)).isEqualTo(1.4);
  }

  @Test
  void aCommitWithoutARequestIsNoOthersCompaction() {
    // As HBase's TestCompaction.testCompactionWithCorruptResult does it.
    assertThatCode(() -> Offload.noteOthers(null, null)).doesNotThrowAnyException();
  }
}
