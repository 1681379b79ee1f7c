package io.ishbase.plugin.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** For how long nobody compacts for a region server after one did so wrongly. */
class NodeHealthTest {
  private static final long HOUR = TimeUnit.HOURS.toMillis(1);
  private static final long LONGEST = 24 * HOUR;

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
}
