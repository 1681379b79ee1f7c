package io.ishbase.sim.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.compaction.WarmUpMode;
import io.ishbase.sim.workload.Parameters;
import org.junit.jupiter.api.Test;

/** Region servers and those who compact for them. */
class ClusterTest {
  private static final int FOUR_HOURS = 14_400;
  private static final Parameters SEED = Parameters.seed().with("read.threads", 16);

  private static ClusterOutcome run(int regionServers, int servers, Who who, long seed) {
    return Cluster.run(
        SEED, new Setup(regionServers, servers, who, WarmUpMode.THROTTLED, FOUR_HOURS, 0), seed);
  }

  /** Figure 9 of Ahmad and Kemme. */
  @Test
  void oneServerIsTooFewForTenRegionServersAndTwoAreNot() {
    ClusterOutcome one = run(10, 1, Who.SERVERS, 1);
    ClusterOutcome two = run(10, 2, Who.SERVERS, 1);
    assertThat(one.overdue()).isGreaterThan(0);
    assertThat(one.longestWait()).isGreaterThan(3600);
    assertThat(two.overdue()).isZero();
    assertThat(two.longestWait()).isLessThan(3600);
  }

  /** What ships waits for its patience, then the region server compacts. */
  @Test
  void oursIsNeverOverdue() {
    ClusterOutcome ours = run(10, 1, Who.OURS, 1);
    assertThat(ours.overdue()).isZero();
    assertThat(ours.longestWait()).isLessThan(60);
    assertThat(ours.home()).isPositive();
  }

  @Test
  void theSameSeedGivesTheSame() {
    assertThat(run(3, 1, Who.OURS, 5)).isEqualTo(run(3, 1, Who.OURS, 5));
    assertThat(run(3, 1, Who.OURS, 5)).isNotEqualTo(run(3, 1, Who.OURS, 6));
  }

  @Test
  void withoutCompactionsFilesPileUp() {
    Setup nobody = new Setup(1, 0, Who.NOBODY, WarmUpMode.NONE, 7200, 0);
    ClusterOutcome outcome = Cluster.run(SEED, nobody, 1);
    double flushes = 7200 / (64e6 / 150e3);
    assertThat(outcome.files().get(7199)).isBetween(flushes, flushes + 2);
    assertThat(outcome.majors()).isEmpty();
  }
}
