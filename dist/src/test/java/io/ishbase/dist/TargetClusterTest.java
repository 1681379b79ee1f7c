package io.ishbase.dist;

import static io.ishbase.dist.Outcome.complaint;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TargetClusterTest {
  /** A client would try for twenty seconds. */
  @ParameterizedTest
  @ValueSource(strings = {"localhost", "localhost:", "localhost:0", "localhost:65536", "a,b:2181"})
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void anAddressThatCannotBeIsOneLine(String zooKeeper) {
    assertThat(complaint("tables", "--zookeeper", zooKeeper))
        .startsWith("ishbase: --zookeeper is HOST:PORT, not '" + zooKeeper + "'")
        .hasLineCount(1);
  }
}
