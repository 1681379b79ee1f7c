package io.ishbase.dist.chaos;

import io.ishbase.cluster.Mode;
import io.ishbase.cluster.Tables;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.RegionSplitter;

/**
 * HBase's {@code IntegrationTestBigLinkedList}: rows at random places, each of which names another,
 * in rings. A row that is lost is missed by the one that names it. While rings are written others
 * are walked along; when all is mended a job looks whether each row is there and named once.
 */
final class BigLinkedList {
  private static final String MAIN = "org.apache.hadoop.hbase.test.IntegrationTestBigLinkedList";
  private static final TableName TABLE = TableName.valueOf("IntegrationTestBigLinkedList");
  private static final int MAPPERS = 2;
  private static final int REDUCERS = 2;

  /** Rows written side by side, and how many of those follow each other until the ring closes. */
  private static final int WIDTH = 100;

  private static final int WRAP = 25;
  private static final int WALKERS = 1;
  private static final int VALUE_BYTES = 64;
  private static final long FLUSH_BYTES = 8 << 20;
  private static final int REGIONS = 4;

  private final TestClient client;
  private final long nodesEach;
  private int lists;
  private long walked;

  /** Walks that ended since a region, or all of HBase, was away for longer than a client waits. */
  private long notRead;

  /**
   * @param nodes of each list, one list after the other; as many more as close the last ring
   */
  BigLinkedList(TestClient client, long nodes) {
    this.client = client;
    long ring = (long) WIDTH * WRAP;
    this.nodesEach = (nodes + MAPPERS * ring - 1) / (MAPPERS * ring) * ring;
  }

  private long nodes() {
    return nodesEach * MAPPERS * lists;
  }

  TableName table() {
    return TABLE;
  }

  /** Makes the table, before anything goes wrong. */
  void prepare(Connection connection) throws IOException {
    TableDescriptorBuilder table =
        TableDescriptorBuilder.newBuilder(TABLE).setMemStoreFlushSize(FLUSH_BYTES);
    for (String family : List.of("meta", "big", "tiny")) {
      table.setColumnFamily(
          ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(family))
              .setDataBlockEncoding(
                  family.equals("big") ? DataBlockEncoding.NONE : DataBlockEncoding.FAST_DIFF)
              .build());
    }
    Tables.recreate(connection, table.build(), new RegionSplitter.UniformSplit().split(REGIONS));
  }

  /**
   * Writes one more list to its end while things go wrong.
   *
   * @return what must not be
   */
  List<String> work() throws IOException {
    lists++;
    TestClient.Ended ended =
        run(
            "generator-" + lists,
            "Generator",
            "" + MAPPERS,
            "" + nodesEach,
            client.work().resolve("list-" + lists).toString(),
            "" + WIDTH,
            "" + WRAP,
            "" + WALKERS);
    walked += ended.counter("SUCCESS");
    notRead += ended.counter("IOEXCEPTION");
    List<String> wrong = new ArrayList<>();
    for (String each : List.of("UNDEFINED", "TERMINATING")) {
      expect(wrong, ended, "Walking along list " + lists, each, 0);
    }
    if (!ended.succeeded()) {
      wrong.add("List " + lists + " was not written to its end: see " + ended.log());
    }
    return wrong;
  }

  /**
   * Looks at all lists when all is mended.
   *
   * @param mode in which the table is read
   * @return what must not be
   */
  List<String> verify(Mode mode) throws IOException {
    TestClient.Ended ended =
        run(
            "verify-" + mode,
            "Verify",
            client.work().resolve("verified-" + mode).toString(),
            "" + REDUCERS);
    String what = "Verify, " + mode;
    List<String> wrong = new ArrayList<>();
    expect(wrong, ended, what, "REFERENCED", nodes());
    for (String each :
        List.of("UNREFERENCED", "UNDEFINED", "LOST_FAMILIES", "EXTRAREFERENCES", "CORRUPT")) {
      expect(wrong, ended, what, each, 0);
    }
    if (!ended.succeeded()) {
      wrong.add(what + " failed: see " + ended.log());
    }
    return wrong;
  }

  private static void expect(
      List<String> wrong, TestClient.Ended ended, String what, String counter, long expected)
      throws IOException {
    long count = ended.counter(counter);
    if (count != expected) {
      wrong.add(String.format("%s: %s is %,d, not %,d", what, counter, count, expected));
    }
  }

  /** Nothing of what a job does beside HBase lies in HDFS: that may fail. */
  private TestClient.Ended run(String name, String... arguments) throws IOException {
    return client.run(
        name,
        MAIN,
        List.of("fs.defaultFS=file:///", "generator.big.family.value.size=" + VALUE_BYTES),
        arguments);
  }

  /** What it did, in words. */
  @Override
  public String toString() {
    return String.format(
        "%,d nodes in %d lists, %,d walked along meanwhile, %,d not read in time",
        nodes(), lists, walked, notRead);
  }
}
