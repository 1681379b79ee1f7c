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

  @Test
  void aCommitWithoutARequestIsNoOthersCompaction() {
    // As HBase's TestCompaction.testCompactionWithCorruptResult does it.
    assertThatCode(() -> Offload.noteOthers(null, null)).doesNotThrowAnyException();
  }
}
