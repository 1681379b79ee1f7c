package io.ishbase.dist;

import static io.ishbase.dist.Outcome.complaint;
import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.it.OwnJvm;
import org.apache.hadoop.hbase.security.token.SecureTestCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code sim plan --cluster} where HBase wants Kerberos. */
@OwnJvm
class PlanOfSecuredClusterTest extends SecureTestCluster {
  @BeforeAll
  static void start() throws Exception {
    setTestRunner(PlanOfSecuredClusterTest.class);
    SecureTestCluster.setUp();
  }

  @AfterAll
  static void stop() throws Exception {
    SecureTestCluster.tearDown();
  }

  @Test
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void itIsRefusedInOneLine() {
    String zooKeeper = "localhost:" + TEST_UTIL.getZkCluster().getClientPort();
    assertThat(complaint("sim", "plan", "--cluster", zooKeeper))
        .startsWith("ishbase: No HBase that answers this user has its ZooKeeper at " + zooKeeper)
        .contains("or it wants Kerberos")
        .hasLineCount(1);
  }
}
