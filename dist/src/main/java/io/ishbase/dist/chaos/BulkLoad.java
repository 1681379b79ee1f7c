package io.ishbase.dist.chaos;

import io.ishbase.cluster.Mode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;

/**
 * HBase's {@code IntegrationTestBulkLoad}: jobs write chains of rows as HFiles, which are loaded in
 * bulk into 16 regions; another walks along the chains.
 */
final class BulkLoad implements IntegrationTest {
  private static final String MAIN = "org.apache.hadoop.hbase.mapreduce.IntegrationTestBulkLoad";
  private static final TableName TABLE = TableName.valueOf("IntegrationTestBulkLoad");
  private static final int CHAINS = 2;

  private final TestClient client;
  private final long nodesEach;
  private int rounds;

  /**
   * @param nodes of each round, in {@value #CHAINS} chains
   */
  BulkLoad(TestClient client, long nodes) {
    this.client = client;
    this.nodesEach = Math.max(1, nodes / CHAINS);
  }

  @Override
  public TableName table() {
    return TABLE;
  }

  @Override
  public void prepare(Connection connection) {}

  @Override
  public List<String> work(Duration left) throws IOException {
    rounds++;
    List<String> wrong = run("load-" + rounds, "-load");
    if (wrong.isEmpty()) {
      wrong.addAll(run("check-" + rounds, "-check"));
    }
    return wrong;
  }

  @Override
  public List<String> verify(Mode mode) throws IOException {
    return run("check-" + mode, "-check");
  }

  private List<String> run(String name, String step) throws IOException {
    TestClient.Ended ended =
        client.run(
            name,
            MAIN,
            List.of(
                "hbase.IntegrationTestBulkLoad.numMaps=" + CHAINS,
                "hbase.IntegrationTestBulkLoad.chainLength=" + nodesEach),
            step);
    List<String> wrong = new ArrayList<>();
    if (!ended.succeeded()) {
      wrong.add(name + " failed: see " + ended.log());
    }
    return wrong;
  }

  @Override
  public String toString() {
    return String.format(
        "%d rounds of %d chains of %,d rows, each checked with faults, the last one more in each"
            + " mode without",
        rounds, CHAINS, nodesEach);
  }
}
