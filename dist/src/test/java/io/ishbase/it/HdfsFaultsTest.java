package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.compaction.LocalReason;
import io.ishbase.plugin.compaction.RecentCompactions;
import io.ishbase.plugin.metrics.CompactionMetrics;
import io.ishbase.plugin.metrics.InStorageMetrics;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.security.AccessControlException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What HDFS refuses, at the places where a flush or a worker's compaction is in the middle. */
class HdfsFaultsTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] QUALIFIER = Bytes.toBytes("q");
  private static final String ATTEMPT = "/ishbase-compaction-";
  private static final int ROWS = 50;

  private static MiniCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              FailingHdfs.use(conf);
              CompactionDifferentialTest.offload(conf);
              conf.setLong("ishbase.cache.bytes", 16 << 20);
            });
    cluster.startDaemons();
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  @AfterEach
  void work() {
    FailingHdfs.work();
  }

  /** HBase looks at the new file before it commits it, and writes it again if it cannot. */
  @Test
  void aFlushThatIsRepeatedBeforeItsCommitBringsItsRowsIntoTheCacheOnce() throws Exception {
    TableName name = TableName.valueOf("flushed");
    cluster
        .util
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(
                    ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setMaxVersions(3).build())
                .setValue(MiniCluster.READ, MiniCluster.IN_STORAGE)
                .build());
    try (Table table = cluster.connection().getTable(name)) {
      putAll(table, "old");
      cluster.util.flush(name);
      assertThat(values(table, 0)).containsExactly("old");
      putAll(table, "new");
      AtomicBoolean failed = new AtomicBoolean();
      FailingHdfs.fail(
          (operation, path) ->
              operation.equals("open")
                      && path.contains("/flushed/")
                      && path.contains("/.tmp/f/")
                      && failed.compareAndSet(false, true)
                  ? new IOException("No DataNode answers, says the test")
                  : null);
      cluster.util.flush(name);
      assertThat(FailingHdfs.failures()).isEqualTo(1);
      assertThat(cluster.regions(name).get(0).getMemStoreDataSize()).isZero();
      long requests = InStorageMetrics.get().requests();
      assertThat(values(table, 0)).containsExactly("new", "old");
      assertThat(InStorageMetrics.get().requests()).as("the row is cached").isEqualTo(requests);
      for (int row = 0; row < ROWS; row++) {
        assertThat(values(table, row)).containsExactly("new", "old");
      }
    }
    assertThat(NodesBean.checkCache()).isEmpty();
    cluster.util.deleteTable(name);
  }

  private static void putAll(Table table, String value) throws IOException {
    for (int row = 0; row < ROWS; row++) {
      table.put(new Put(row(row)).addColumn(FAMILY, QUALIFIER, Bytes.toBytes(value)));
    }
  }

  private static byte[] row(int number) {
    return Bytes.toBytes(String.format("row%03d", number));
  }

  private static List<String> values(Table table, int row) throws IOException {
    return table.get(new Get(row(row)).readAllVersions()).listCells().stream()
        .map(cell -> Bytes.toString(CellUtil.cloneValue(cell)))
        .toList();
  }

  @Test
  void aWorkerThatMayNotWriteLeavesTheCompactionToHBase() throws Exception {
    assertDoneAtHome(
        "rights",
        LocalReason.HERE,
        "Permission denied",
        (operation, path) ->
            operation.equals("mkdirs") && path.contains(ATTEMPT)
                ? new AccessControlException("Permission denied: user=issn, access=WRITE")
                : null);
  }

  @Test
  void aWorkerWithoutRoomLeavesTheCompactionToHBase() throws Exception {
    assertDoneAtHome(
        "room",
        LocalReason.FAILED,
        "could only be written to 0 of the 1 minReplication nodes",
        (operation, path) ->
            operation.equals("create") && path.contains(ATTEMPT)
                ? new IOException(
                    path + " could only be written to 0 of the 1 minReplication nodes")
                : null);
  }

  /** One try at a worker, one line that says why, and then what stock HBase does. */
  private static void assertDoneAtHome(
      String name, LocalReason reason, String words, FailingHdfs.Fault fault) throws Exception {
    CompactedTable table = new CompactedTable(cluster, name, 300);
    long failed = CompactionMetrics.get().local(reason);
    long offloaded = CompactionMetrics.get().offloaded();
    FailingHdfs.fail(fault);
    table.requestMajorCompaction();
    table.awaitCompacted();
    assertThat(FailingHdfs.failures()).isPositive();
    FailingHdfs.work();
    table.check();
    assertThat(CompactionMetrics.get().offloaded()).isEqualTo(offloaded);
    assertThat(CompactionMetrics.get().local(reason)).isEqualTo(failed + 1);
    assertThat(RecentCompactions.get().getRecent())
        .filteredOn(line -> line.contains(name) && line.contains(words))
        .as("lines that say why")
        .isNotEmpty();
    MiniCluster.await("no attempt to be left", () -> table.attempts() == 0);
    // The next one is offloaded again, once the worker is asked again.
    NodesBean.forgetFailures();
    table.change();
    table.requestMajorCompaction();
    table.awaitCompacted();
    assertThat(CompactionMetrics.get().offloaded()).isEqualTo(offloaded + 1);
    table.check();
    cluster.util.deleteTable(table.name());
  }
}
