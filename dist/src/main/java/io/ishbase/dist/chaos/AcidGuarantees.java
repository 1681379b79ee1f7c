package io.ishbase.dist.chaos;

import io.ishbase.cluster.Mode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;

/**
 * What {@code IntegrationTestAcidGuarantees} runs, from a command line for 5 s only: HBase's {@code
 * AcidGuaranteesTestTool}. Puts fill 150 columns in three families of a few rows with one value; no
 * reader may see two.
 */
final class AcidGuarantees implements IntegrationTest {
  private static final String MAIN = "org.apache.hadoop.hbase.AcidGuaranteesTestTool";
  private static final TableName TABLE = TableName.valueOf("TestAcidGuarantees");
  private static final Duration LEAST = Duration.ofSeconds(20);

  private final TestClient client;
  private int runs;

  AcidGuarantees(TestClient client) {
    this.client = client;
  }

  @Override
  public TableName table() {
    return TABLE;
  }

  @Override
  public void prepare(Connection connection) {}

  @Override
  public List<String> work(Duration left) throws IOException {
    runs++;
    return run("acid-" + runs, left.compareTo(LEAST) < 0 ? LEAST : left);
  }

  @Override
  public List<String> verify(Mode mode) throws IOException {
    return run("acid-" + mode, LEAST);
  }

  private List<String> run(String name, Duration time) throws IOException {
    TestClient.Ended ended =
        client.run(
            name,
            MAIN,
            List.of(),
            "-millis",
            "" + time.toMillis(),
            "-numWriters",
            "4",
            "-numGetters",
            "3",
            "-numScanners",
            "3",
            "-numUniqueRows",
            "3");
    List<String> wrong = new ArrayList<>();
    if (!ended.succeeded()) {
      wrong.add("A reader saw two values, or was not answered: see " + ended.log());
    }
    return wrong;
  }

  @Override
  public String toString() {
    return runs + " runs with faults, one more in each mode without";
  }
}
