package io.ishbase.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TargetClusterTest {
  /** A client would try for twenty seconds. */
  @ParameterizedTest
  @ValueSource(strings = {"localhost", "localhost:", "localhost:0", "localhost:65536", "a,b:2181"})
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void anAddressThatCannotBeIsOneLine(String zooKeeper) {
    PrintStream before = System.err;
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      assertThat(Main.run("tables", "--zookeeper", zooKeeper)).isEqualTo(1);
    } finally {
      System.setErr(before);
    }
    assertThat(said.toString(StandardCharsets.UTF_8))
        .startsWith("ishbase: --zookeeper is HOST:PORT, not '" + zooKeeper + "'")
        .hasLineCount(1);
  }
}
