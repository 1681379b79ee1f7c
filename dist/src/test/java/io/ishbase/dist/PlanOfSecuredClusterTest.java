package io.ishbase.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.hbase.security.token.SecureTestCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code sim plan --cluster} where HBase wants Kerberos. */
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
    PrintStream before = System.err;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      assertThat(Main.run("sim", "plan", "--cluster", zooKeeper)).isEqualTo(1);
    } finally {
      System.setErr(before);
    }
    assertThat(said.toString(StandardCharsets.UTF_8))
        .startsWith("ishbase: No HBase that answers this user has its ZooKeeper at " + zooKeeper)
        .contains("or it wants Kerberos")
        .hasLineCount(1);
  }
}
