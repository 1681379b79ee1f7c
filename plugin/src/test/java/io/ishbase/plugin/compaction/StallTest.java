package io.ishbase.plugin.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.compaction.LocalReason;
import io.ishbase.protocol.generated.CompactionProtos.CompactionState;
import io.ishbase.protocol.generated.CompactionProtos.ProgressResponse;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class StallTest {
  private static final long LEASE_MILLIS = 20_000;

  private final AtomicLong nanos = new AtomicLong();
  private final Stall stall = new Stall(LEASE_MILLIS, nanos::get);

  private void check(long afterMillis, long activity, boolean blocksWrites)
      throws OffloadException {
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(afterMillis));
    stall.check(
        ProgressResponse.newBuilder()
            .setState(CompactionState.RUNNING)
            .setActivity(activity)
            .build(),
        blocksWrites);
  }

  @Test
  void aWorkerThatDoesNotGetOnHasFourLeases() throws Exception {
    check(1, 7, false);
    check(4 * LEASE_MILLIS, 7, false);
    assertThatThrownBy(() -> check(1, 7, false))
        .isInstanceOfSatisfying(
            OffloadException.class, e -> assertThat(e.reason()).isEqualTo(LocalReason.STALLED));
  }

  @Test
  void oneLeaseWhileAStoreBlocksWrites() throws Exception {
    check(1, 7, false);
    check(LEASE_MILLIS, 7, true);
    assertThatThrownBy(() -> check(1, 7, true)).isInstanceOf(OffloadException.class);
  }

  @Test
  void whatGetsOnIsNotStalledHoweverLongItTakes() throws Exception {
    for (int activity = 1; activity < 10; activity++) {
      check(LEASE_MILLIS, activity, true);
    }
  }

  @Test
  void theStoreThatIsClosestToBlockingCounts() {
    assertThat(new Pressure(() -> 0.1, () -> 1).blocksWrites()).isTrue();
    assertThat(new Pressure(() -> 0.1, () -> 0.7).now()).isEqualTo(0.7);
    assertThat(new Pressure(() -> 1.2, () -> 0).blocksWrites()).isTrue();
  }

  @Test
  void aCommitWithoutARequestIsNoOthersCompaction() {
    // As HBase's TestCompaction.testCompactionWithCorruptResult does it.
    OffloadingCompactor.noteOthers(null, null);
  }
}
