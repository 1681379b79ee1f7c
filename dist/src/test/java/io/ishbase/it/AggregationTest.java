package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.plugin.aggregate.AggregateEndpoint;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.util.Random;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The endpoint on a real cluster, called as HBase's AggregationClient calls it. */
class AggregationTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] QUALIFIER = Bytes.toBytes("q");
  private static final int ROWS = 200;

  private static MiniCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = MiniCluster.start(conf -> conf.setBoolean("hbase.table.sanity.checks", false));
    cluster.startDaemons();
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  @Test
  void isThatOfAStockScan() throws Exception {
    Random random = new Random(Seed.get());
    TableName name = TableName.valueOf("sums");
    cluster
        .util
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(
                    ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setBlocksize(512).build())
                .setValue(MiniCluster.READ, MiniCluster.IN_STORAGE)
                .setCoprocessor(AggregateEndpoint.class.getName())
                .setCompactionEnabled(false)
                .build());
    InStorageMetrics metrics = InStorageMetrics.get();
    long rowsBefore = metrics.aggregatedRows();
    long bytesBefore = metrics.inStorageBytes();
    long answersBefore = metrics.aggregates();
    try (Table table = cluster.connection().getTable(name)) {
      for (int i = 0; i < 120; i++) {
        change(table, random);
        Scan scan = scan(random);
        String method = Aggregations.METHODS.get(random.nextInt(4));
        assertThat(Aggregations.got(table, method, scan))
            .as("%s of %s", method, scan)
            .isEqualTo(Aggregations.wanted(table, method, scan));
      }
    }
    assertThat(metrics.aggregates()).isGreaterThan(answersBefore + 50);
    assertThat(metrics.aggregatedRows()).isGreaterThan(rowsBefore);
    assertThat(metrics.inStorageBytes() - bytesBefore).isPositive();
  }

  private static byte[] row(int number) {
    return Bytes.toBytes(String.format("row%04d", number));
  }

  private static void change(Table table, Random random) throws IOException {
    switch (random.nextInt(8)) {
      case 0, 1 -> cluster.util.flush(table.getName());
      case 2 -> cluster.util.compact(table.getName(), random.nextBoolean());
      case 3 -> table.delete(new Delete(row(random.nextInt(ROWS))));
      default -> {
        for (int i = random.nextInt(20); i >= 0; i--) {
          table.put(
              new Put(row(random.nextInt(ROWS)))
                  .addColumn(FAMILY, QUALIFIER, Bytes.toBytes(random.nextLong())));
        }
      }
    }
  }

  private static Scan scan(Random random) {
    Scan scan = new Scan().addFamily(FAMILY);
    if (random.nextBoolean()) {
      scan.addColumn(FAMILY, QUALIFIER);
    }
    // HBase's client refuses a range that has no rows.
    int first = random.nextInt(ROWS);
    return random.nextBoolean()
        ? scan
        : scan.withStartRow(row(first)).withStopRow(row(first + 1 + random.nextInt(ROWS)));
  }
}
