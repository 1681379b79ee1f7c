package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Setting;
import io.ishbase.core.SettingScope;
import io.ishbase.plugin.master.CompactionManager;
import io.ishbase.plugin.metrics.CompactionMetrics;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.node.StorageNodes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every setting wrong at every place where it may stand: regions open, are read, flushed and
 * compacted, the master's coprocessor and the daemons run.
 */
@OwnJvm
class WrongSettingsTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] OTHER = Bytes.toBytes("g");
  private static final int ROWS = 50;

  private static MiniCluster cluster;
  private static Admin admin;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              CompactionDifferentialTest.offload(conf);
              conf.set("hbase.coprocessor.master.classes", CompactionManager.class.getName());
              settings(SettingScope.SITE).stream()
                  .filter(setting -> !setting.scopes().contains(SettingScope.DAEMON))
                  .forEach(setting -> conf.set(setting.key(), "wrong"));
              conf.set(Setting.READ.key(), "${in.a.circle}");
              conf.set("in.a.circle", "${" + Setting.READ.key() + "}");
              // The default is one port for all tests of the machine.
              conf.setInt(Setting.MANAGER_PORT.key(), 0);
            });
    cluster.startDaemons();
    admin = cluster.util.getAdmin();
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  private static List<Setting> settings(SettingScope scope) {
    return Arrays.stream(Setting.values())
        .filter(setting -> setting.scopes().contains(scope))
        .toList();
  }

  @Test
  void theMastersCoprocessorRuns() {
    MiniCluster.await(
        "the manager",
        () -> StorageNodes.of(cluster.util.getConfiguration()).manager().isPresent());
  }

  @ParameterizedTest
  @ValueSource(strings = {"wrong", "10", "-5", "99999999999999999999", ""})
  void aTableOfWrongSettingsWorks(String value) throws Exception {
    TableName name = TableName.valueOf("t" + Math.abs(value.hashCode()));
    TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(name);
    ColumnFamilyDescriptorBuilder family = ColumnFamilyDescriptorBuilder.newBuilder(OTHER);
    for (Setting setting : settings(SettingScope.TABLE)) {
      table.setValue(setting.key(), value);
      family.setConfiguration(setting.key(), value + " too");
    }
    table.setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY));
    table.setColumnFamily(family.build());
    admin.createTable(table.build());
    writeAndCheck(name);
  }

  /** The one wrong setting does not take the right ones with it. */
  @Test
  void compactionsAreStillOffloaded() throws Exception {
    TableName name = TableName.valueOf("offloaded");
    admin.createTable(
        TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(OTHER))
            .setValue(Setting.COMPACTION.key(), "offload")
            .setValue(Setting.COMPACTION_MIN.key(), "0")
            .setValue(Setting.COMPACTION_PATIENCE.key(), "for ever")
            .setValue(Setting.COMPACTION_LEASE.key(), "1")
            .build());
    long offloaded = CompactionMetrics.get().offloaded();
    writeAndCheck(name);
    assertThat(CompactionMetrics.get().offloaded()).isGreaterThan(offloaded);
  }

  private static void writeAndCheck(TableName name) throws Exception {
    List<String> expected = new ArrayList<>();
    try (Table table = cluster.connection().getTable(name)) {
      for (int file = 0; file < 2; file++) {
        for (int i = 0; i < ROWS; i++) {
          byte[] row = Bytes.toBytes(String.format("%d-%03d", file, i));
          expected.add(Bytes.toString(row));
          table.put(new Put(row).addColumn(FAMILY, FAMILY, row).addColumn(OTHER, OTHER, row));
        }
        admin.flush(name);
      }
      long requests = InStorageMetrics.get().requests();
      MiniCluster.await(
          "a read by a daemon, which no read before has left alone",
          () -> {
            NodesBean.forgetFailures();
            try {
              assertThat(rows(table)).isEqualTo(expected);
            } catch (IOException e) {
              throw new AssertionError(e);
            }
            return InStorageMetrics.get().requests() > requests;
          });
      cluster.util.compact(name, true);
      assertThat(cluster.regions(name).stream().flatMap(region -> region.getStores().stream()))
          .allMatch(store -> store.getStorefilesCount() == 1);
      assertThat(rows(table)).isEqualTo(expected);
      admin.disableTable(name);
      admin.enableTable(name);
      assertThat(rows(table)).isEqualTo(expected);
    }
  }

  private static List<String> rows(Table table) throws IOException {
    List<String> rows = new ArrayList<>();
    try (ResultScanner scanner =
        table.getScanner(MiniCluster.in(MiniCluster.IN_STORAGE, new Scan()))) {
      for (Result result : scanner) {
        rows.add(Bytes.toString(result.getRow()));
      }
    }
    return rows;
  }
}
