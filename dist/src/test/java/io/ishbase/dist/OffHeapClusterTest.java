package io.ishbase.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.cluster.Mode;
import io.ishbase.cluster.RegionServerJmx;
import io.ishbase.dist.cluster.LocalCluster;
import io.ishbase.it.OwnJvm;
import io.ishbase.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster whose region server has the planned memory: where things lie, and that all is right.
 */
@OwnJvm
final class OffHeapClusterTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final String SERVER = "Hadoop:service=HBase,name=RegionServer,sub=Server";
  private static final String DIRECT = "java.nio:type=BufferPool,name=direct";
  private static final String CACHE = "Hadoop:service=HBase,name=RegionServer,sub=InStorage";
  private static final int ROWS = 2000;

  @TempDir private static Path home;

  @BeforeAll
  static void build() throws IOException {
    BuiltHome.make(home);
  }

  @AfterEach
  void down() {
    run("down", "--delete");
  }

  private static String run(String... arguments) {
    Outcome outcome = Outcome.run(arguments);
    assertThat(outcome.code()).as(outcome.err()).isZero();
    return outcome.out();
  }

  private static LocalCluster cluster() {
    return LocalCluster.open(home.resolve("target/cluster")).orElseThrow();
  }

  private static String log() throws IOException {
    return Files.readString(home.resolve("target/cluster/logs/regionserver-1.log"));
  }

  private static long jmx(RegionServerJmx jmx, String bean, String name) {
    try {
      // HBase takes its beans away for a moment when a region opens.
      return jmx.attribute(bean, name).map(JsonElement::getAsLong).orElse(0L);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void blocksCellsAndRowsLieOffTheHeapAndReadsAreRight() throws IOException {
    String said = run("up", "--loopback", "--memory", "1500M");
    assertThat(said).startsWith("Memory of each region server: 1500 MB, as --memory says\n");
    long bucketMb = cluster().site().getLong("hbase.bucketcache.size", 0);
    assertThat(said).containsPattern("block cache +" + bucketMb + " MB");
    try (Connection connection =
            ConnectionFactory.createConnection(cluster().clientConfiguration());
        Admin admin = connection.getAdmin()) {
      RegionServerJmx jmx = RegionServerJmx.of(admin, admin.getRegionServers().iterator().next());
      for (String memstore : List.of("stock", "auto")) {
        TableName name = TableName.valueOf("t-" + memstore);
        admin.createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(
                    ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                        .setMaxVersions(3)
                        .setConfiguration("ishbase.memstore", memstore)
                        .build())
                .build());
        try (Table table = connection.getTable(name)) {
          SortedMap<String, String> rows = write(table);
          Await.until(
              "cells off the heap", () -> jmx(jmx, SERVER, "memStoreOffHeapSize") > 1 << 20);
          check(table, rows);
          admin.flush(name);
          for (int time = 0; time < 2; time++) {
            check(table, rows);
          }
        }
      }
      // HBase counts these for a CombinedBlockCache alone.
      Await.until("blocks are found again", () -> jmx(jmx, SERVER, "l2CacheHitCount") > 0);
      assertThat(jmx(jmx, DIRECT, "MemoryUsed")).isGreaterThan(bucketMb << 20);
      try (Table table = connection.getTable(TableName.valueOf("t-auto"))) {
        Await.until(
            "rows are found again",
            () -> {
              read(table, "row000000");
              return jmx(jmx, CACHE, "Cache_hits") > 0;
            });
      }
    }
    assertThat(log())
        .contains("Started bucket cache; ioengine=offheap")
        .contains(", Offheap=true")
        .doesNotContain("of direct memory, too little");
  }

  @Test
  void tooLittleDirectMemoryIsOneLineAndTheServerWorks() throws IOException {
    String shortage = " MB of direct memory, too little for ";
    String said =
        run(
            "up",
            "--loopback",
            "--memory",
            "1500M",
            "--site",
            "hbase.regionserver.offheap.global.memstore.size=9000");
    assertThat(said).containsOnlyOnce(shortage).contains("9000 MB memstores");
    try (Connection connection =
            ConnectionFactory.createConnection(cluster().clientConfiguration());
        Admin admin = connection.getAdmin()) {
      TableName name = TableName.valueOf("t");
      admin.createTable(
          TableDescriptorBuilder.newBuilder(name)
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
              .build());
      try (Table table = connection.getTable(name)) {
        SortedMap<String, String> rows = write(table);
        admin.flush(name);
        check(table, rows);
      }
    }
    assertThat(log())
        .containsOnlyOnce(shortage)
        .containsPattern("WARN .*9000 MB memstores.*: set -XX:MaxDirectMemorySize=\\d+m");
  }

  /** Puts, overwrites and deletes; what is to be found then. */
  private static SortedMap<String, String> write(Table table) throws IOException {
    Random random = new Random(17);
    SortedMap<String, String> rows = new TreeMap<>();
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < ROWS * 3 / 2; i++) {
      String row = String.format("row%06d", random.nextInt(ROWS));
      String value = Long.toHexString(random.nextLong()).repeat(64 + random.nextInt(64));
      rows.put(row, value);
      puts.add(new Put(Bytes.toBytes(row)).addColumn(FAMILY, FAMILY, i + 1L, Bytes.toBytes(value)));
    }
    table.put(puts);
    List<Delete> deletes = new ArrayList<>();
    for (int i = 0; i < ROWS; i += 7) {
      String row = String.format("row%06d", i);
      rows.remove(row);
      deletes.add(new Delete(Bytes.toBytes(row)));
    }
    table.delete(deletes);
    return rows;
  }

  /** Over HBase's own path for a moment, where a daemon was late. */
  private static void read(Table table, String row) {
    try {
      table.get(Mode.IN_STORAGE.on(new Get(Bytes.toBytes(row))));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void check(Table table, SortedMap<String, String> rows) throws IOException {
    for (Mode mode : Mode.PLAIN) {
      SortedMap<String, String> found = new TreeMap<>();
      try (ResultScanner scanner = table.getScanner(mode.on(new Scan()))) {
        for (Result result : scanner) {
          found.put(Bytes.toString(result.getRow()), Bytes.toString(result.value()));
        }
      }
      assertThat(found).isEqualTo(rows);
      for (int i = 0; i < ROWS; i += 13) {
        String row = String.format("row%06d", i);
        byte[] value = table.get(mode.on(new Get(Bytes.toBytes(row)))).value();
        assertThat(Bytes.toString(value)).isEqualTo(rows.get(row));
      }
    }
  }
}
