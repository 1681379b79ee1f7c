package io.ishbase.plugin.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.compaction.LocalReason;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who is not asked to compact after one did not, or did so wrongly, and for how long. */
class NodeHealthTest {
  private static final long HOUR = TimeUnit.HOURS.toMillis(1);
  private static final long LONGEST = 24 * HOUR;

  private static final TableName TABLE = TableName.valueOf("t");
  private static final TableName OTHER = TableName.valueOf("other");

  private final StorageNode worker = StorageNode.at(ServerName.valueOf("node", 1, 1));
  private final NodeHealth health = new NodeHealth(server -> {});
  private long now = 1_700_000_000_000L;

  @BeforeEach
  void start() {
    EnvironmentEdgeManager.injectEdge(() -> now);
  }

  @AfterEach
  void stop() {
    EnvironmentEdgeManager.reset();
  }

  @Test
  void doubtsLastLongerEachTime() {
    for (long hours : new long[] {1, 2, 4, 8, 16, 24, 24}) {
      health.compactedWrongly();
      assertThat(health.doubtsWorkers()).isTrue();
      assertThat(health.quarantined()).hasSize(1);
      now += hours * HOUR - 1;
      assertThat(health.doubtsWorkers()).isTrue();
      now++;
      assertThat(health.doubtsWorkers()).isFalse();
    }
  }

  @Test
  void aClockThatIsCorrectedDoesNotEndThem() {
    for (int i = 0; i < 8; i++) {
      health.compactedWrongly();
      now -= 5;
      assertThat(health.doubtsWorkers()).as("after %d", i + 1).isTrue();
      now += LONGEST + 5;
    }
  }

  @Test
  void otherSettingsDoNotEndThem() {
    health.compactedWrongly();
    health.forgetFailures();
    assertThat(health.doubtsWorkers()).isTrue();
    health.forgetDoubts();
    assertThat(health.doubtsWorkers()).isFalse();
  }

  @Test
  void theyAreForgottenInTheEnd() {
    health.compactedWrongly();
    now += 365 * LONGEST;
    health.forgetOld();
    health.compactedWrongly();
    now += HOUR;
    assertThat(health.doubtsWorkers()).isFalse();
  }

  /** Daemons lack its codec, say. */
  @Test
  void aTableThatNoWorkerCompactsKeepsNoneFromAnother() {
    for (int i = 0; i < 9; i++) {
      assertThat(health.admitsCompactions(worker, TABLE)).isTrue();
      health.compactionFailed(worker, TABLE, LocalReason.FAILED);
      assertThat(health.admitsCompactions(worker, TABLE)).isFalse();
      assertThat(health.isClosedForCompactions(worker, TABLE)).isTrue();
      assertThat(health.isClosedForCompactions(worker, OTHER)).isFalse();
      assertThat(health.admitsCompactions(worker, OTHER)).isTrue();
      health.compacted(worker, OTHER);
      now += HOUR;
    }
  }

  @Test
  void aWorkerThatFailsForTwoTablesIsClosedToAll() {
    health.compactionFailed(worker, TABLE, LocalReason.FAILED);
    health.compactionFailed(worker, OTHER, LocalReason.STALLED);
    assertThat(health.admitsCompactions(worker, TableName.valueOf("third"))).isFalse();
    now += HOUR;
    assertThat(health.admitsCompactions(worker, OTHER)).isTrue();
    // It has the worker's one try.
    assertThat(health.admitsCompactions(worker, TABLE)).isFalse();
    health.compactionUntried(worker, OTHER);
    assertThat(health.admitsCompactions(worker, TABLE)).isTrue();
    health.compacted(worker, TABLE);
    assertThat(health.admitsCompactions(worker, OTHER)).isTrue();
  }

  @Test
  void aWorkerThatIsNotReachedIsClosedToAllAtOnce() {
    health.compactionFailed(worker, TABLE, LocalReason.UNREACHABLE);
    assertThat(health.isClosedForCompactions(worker, OTHER)).isTrue();
    assertThat(health.quarantined()).containsExactly("compactions at " + worker.name());
  }
}
