package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.daemon.Issn;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Nobody sets anything: over a line that turns out to be short, answers come packed, and small ones
 * soon without what they have in common.
 */
class PackedAnswersTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final TableName NAME = TableName.valueOf("packed");
  private static final int ROWS = 200;

  private static MiniCluster cluster;
  private static FaultyProxy line;
  private static Issn daemon;

  @BeforeAll
  static void start() throws Exception {
    cluster = MiniCluster.start(1, conf -> conf.set("ishbase.answer.compression", "auto"));
    line = new FaultyProxy();
    Configuration conf = cluster.daemonConf(cluster.util.getDFSCluster().getDataNodes().get(0));
    line.standBefore(conf);
    daemon = new Issn(conf);
    daemon.start();
    cluster.awaitAnswering(MiniCluster.addresses(List.of(daemon)));
  }

  @AfterAll
  static void stop() throws Exception {
    daemon.close();
    line.close();
    cluster.close();
  }

  private static String value(int row, int column) {
    return "{\"row\":" + row + ",\"column\":\"" + column + "\",\"state\":\"active\"}".repeat(3);
  }

  /** Reads all in-storage; gives the bytes that came for it. */
  private static long scan(Table table) throws IOException {
    long before = InStorageMetrics.get().inStorageBytes();
    int rows = 0;
    try (ResultScanner scanner =
        table.getScanner(MiniCluster.in(MiniCluster.IN_STORAGE, new Scan().setCaching(ROWS)))) {
      for (Result row : scanner) {
        for (int column = 0; column < 10; column++) {
          assertThat(Bytes.toString(row.getValue(FAMILY, Bytes.toBytes("column" + column))))
              .isEqualTo(value(rows, column));
        }
        rows++;
      }
    }
    assertThat(rows).isEqualTo(ROWS);
    return InStorageMetrics.get().inStorageBytes() - before;
  }

  @Test
  void aShortLineIsNoticed() throws Exception {
    try (Table table = cluster.util.createTable(NAME, FAMILY)) {
      List<Put> puts = new ArrayList<>();
      for (int row = 0; row < ROWS; row++) {
        Put put = new Put(Bytes.toBytes(String.format("row%05d", row)));
        for (int column = 0; column < 10; column++) {
          put.addColumn(
              FAMILY, Bytes.toBytes("column" + column), Bytes.toBytes(value(row, column)));
        }
        puts.add(put);
      }
      table.put(puts);
      cluster.util.flush(NAME);
      InStorageMetrics metrics = InStorageMetrics.get();
      line.set(FaultyProxy.Mode.SLOW);
      MiniCluster.await(
          "packed answers",
          () -> {
            try {
              long unpacked = metrics.unpackedBytes();
              scan(table);
              return metrics.unpackedBytes() > unpacked;
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          });
      long unpacked = metrics.unpackedBytes();
      long fallbacks = metrics.fallbacks();
      long bytes = scan(table);
      long plain = metrics.unpackedBytes() - unpacked;
      assertThat(plain).isGreaterThan(ROWS * 10L * value(0, 0).length());
      assertThat(bytes).isLessThan(plain / 8);
      assertThat(metrics.fallbacks()).isEqualTo(fallbacks);
    }
  }

  /** Bytes that come for one Get after the other of all rows. */
  private static long gets(Table table, List<String> values) throws IOException {
    // Not what crosses the line: a probe of it is as large as all of these together.
    long before = InStorageMetrics.get().inStorageBytes();
    for (int row = 0; row < values.size(); row++) {
      Get get = MiniCluster.in(MiniCluster.IN_STORAGE, new Get(Bytes.toBytes("row" + row)));
      assertThat(Bytes.toString(table.get(get).getValue(FAMILY, FAMILY)))
          .isEqualTo(values.get(row));
    }
    return InStorageMetrics.get().inStorageBytes() - before;
  }

  @Test
  void smallAnswersDoNotRepeatEachOther() throws Exception {
    Random random = new Random(Seed.get());
    List<String> sentences = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      sentences.add(Long.toString(random.nextLong(), 36) + Long.toString(random.nextLong(), 36));
    }
    List<String> values = new ArrayList<>();
    for (int row = 0; row < ROWS; row++) {
      StringBuilder value = new StringBuilder();
      for (int i = 0; i < 20; i++) {
        value.append(sentences.get(random.nextInt(sentences.size())));
      }
      values.add(value.toString());
    }
    TableName name = TableName.valueOf("records");
    try (Table table = cluster.util.createTable(name, FAMILY)) {
      for (int row = 0; row < ROWS; row++) {
        table.put(
            new Put(Bytes.toBytes("row" + row))
                .addColumn(FAMILY, FAMILY, Bytes.toBytes(values.get(row))));
      }
      cluster.util.flush(name);
      line.set(FaultyProxy.Mode.SLOW);
      long plain = values.stream().mapToLong(String::length).sum();
      MiniCluster.await(
          "a dictionary",
          () -> {
            try {
              return gets(table, values) < plain / 3;
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          });
      long fallbacks = InStorageMetrics.get().fallbacks();
      assertThat(gets(table, values)).isLessThan(plain / 3);
      assertThat(InStorageMetrics.get().fallbacks()).isEqualTo(fallbacks);
    }
  }
}
