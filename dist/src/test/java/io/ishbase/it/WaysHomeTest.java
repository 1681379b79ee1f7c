package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Gate;
import io.ishbase.core.Reason;
import io.ishbase.plugin.metrics.InStorageMetrics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Consistency;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.crypto.KeyProviderForTesting;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Files and reads that are not in-storage's: they are read over HBase's own path, give the same
 * cells, and are counted under their reason. And the switch: cluster, table, family, operation.
 */
class WaysHomeTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] OTHER = Bytes.toBytes("g");
  private static final byte[] QUALIFIER = Bytes.toBytes("q");
  private static final int ROWS = 200;
  private static final AtomicInteger TABLES = new AtomicInteger();

  private static MiniCluster cluster;
  private static Admin admin;
  private TableName name;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              conf.set(
                  HConstants.CRYPTO_KEYPROVIDER_CONF_KEY, KeyProviderForTesting.class.getName());
              conf.set(HConstants.CRYPTO_MASTERKEY_NAME_CONF_KEY, "hbase");
              // Secondary replicas look for new files this often.
              conf.setInt("hbase.regionserver.storefile.refresh.period", 500);
            });
    cluster.startDaemons();
    admin = cluster.util.getAdmin();
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  @BeforeEach
  void nameTable() {
    name = TableName.valueOf("ways" + TABLES.incrementAndGet());
  }

  private TableDescriptorBuilder table(ColumnFamilyDescriptor... families) {
    return TableDescriptorBuilder.newBuilder(name).setColumnFamilies(List.of(families));
  }

  /** Creates the table, writes rows and flushes, twice. */
  private void createAndFill(TableDescriptorBuilder descriptor) throws Exception {
    admin.createTable(descriptor.build());
    cluster.util.waitTableAvailable(name);
    for (int file = 0; file < 2; file++) {
      try (Table table = cluster.connection().getTable(name)) {
        List<Put> puts = new ArrayList<>();
        for (int row = 0; row < ROWS; row++) {
          Put put = new Put(row(row));
          for (byte[] family : descriptor.build().getColumnFamilyNames()) {
            put.addColumn(family, QUALIFIER, Bytes.toBytes("value " + row + " of " + file));
          }
          puts.add(put);
        }
        table.put(puts);
      }
      cluster.util.flush(name);
    }
  }

  private static byte[] row(int row) {
    return Bytes.toBytes(String.format("row%03d", row));
  }

  private static List<String> scan(TableName table, Scan scan) throws IOException {
    return ReadCheck.scan(cluster.connection(), table, scan);
  }

  private static long requestsFor(TableName table, Scan scan) throws IOException {
    long before = InStorageMetrics.get().requests();
    assertThat(scan(table, scan)).isNotEmpty();
    return InStorageMetrics.get().requests() - before;
  }

  private static void check(TableName table, Scan scan, Reason reason, boolean asked)
      throws IOException {
    ReadCheck.equal(cluster.connection(), table, scan, reason, asked);
  }

  @Test
  void reverseScans() throws Exception {
    createAndFill(table(ColumnFamilyDescriptorBuilder.of(FAMILY)));
    check(name, new Scan().setReversed(true), null, true);
  }

  @Test
  void halfFilesAfterASplit() throws Exception {
    createAndFill(table(ColumnFamilyDescriptorBuilder.of(FAMILY)));
    admin.compactionSwitch(false, List.of());
    try {
      cluster.split(name, row(ROWS / 2));
      check(name, new Scan(), null, true);
    } finally {
      admin.compactionSwitch(true, List.of());
    }
    compactToPlainFiles(name);
    check(name, new Scan(), null, true);
  }

  private static void compactToPlainFiles(TableName table) throws IOException {
    cluster.util.compact(table, true);
    MiniCluster.await(
        "halves and links to be compacted",
        () ->
            cluster.regions(table).stream()
                .flatMap(region -> region.getStores().stream())
                .flatMap(store -> store.getStorefiles().stream())
                .noneMatch(file -> file.isReference() || file.getFileInfo().isLink()));
  }

  @Test
  void aCloneWhoseFilesAreLinks() throws Exception {
    createAndFill(table(ColumnFamilyDescriptorBuilder.of(FAMILY)));
    TableName clone = TableName.valueOf(name + "_clone");
    admin.snapshot(name + "_snapshot", name);
    admin.cloneSnapshot(name + "_snapshot", clone);
    // The daemon reads the file that the link leads to.
    check(clone, new Scan(), null, true);
    // Now the link leads to the archive.
    compactToPlainFiles(name);
    for (var region : cluster.regions(name)) {
      region.getStore(FAMILY).closeAndArchiveCompactedFiles();
    }
    // None has it open still.
    cluster.stopDaemons();
    cluster.startDaemons();
    for (int i = 0; i < 3; i++) {
      assertThat(scan(clone, MiniCluster.in(MiniCluster.IN_STORAGE, new Scan())))
          .isEqualTo(scan(clone, MiniCluster.in(MiniCluster.STOCK, new Scan())));
    }
    // Nobody has told the clone's region, which goes on in-storage.
    NodesBean.forgetFailures();
    check(clone, new Scan(), null, true);
    compactToPlainFiles(clone);
    check(clone, new Scan(), null, true);
  }

  @Test
  void halvesOfLinks() throws Exception {
    createAndFill(table(ColumnFamilyDescriptorBuilder.of(FAMILY)));
    TableName clone = TableName.valueOf(name + "_clone");
    admin.snapshot(name + "_snapshot", name);
    admin.cloneSnapshot(name + "_snapshot", clone);
    admin.compactionSwitch(false, List.of());
    try {
      cluster.split(clone, row(ROWS / 2));
      check(clone, new Scan(), null, true);
      // A clone of what is halves of links.
      TableName second = TableName.valueOf(name + "_second");
      admin.snapshot(name + "_halves", clone);
      admin.cloneSnapshot(name + "_halves", second);
      check(second, new Scan(), null, true);
    } finally {
      admin.compactionSwitch(true, List.of());
    }
  }

  @Test
  void encryptedFiles() throws Exception {
    createAndFill(
        table(
            ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setEncryptionType("AES").build(),
            ColumnFamilyDescriptorBuilder.of(OTHER)));
    check(name, new Scan().addFamily(FAMILY), Reason.ENCRYPTED, false);
    check(name, new Scan(), Reason.ENCRYPTED, true);
  }

  @Test
  void mobFamilies() throws Exception {
    createAndFill(
        table(
            ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                .setMobEnabled(true)
                .setMobThreshold(4)
                .build()));
    check(name, new Scan(), null, true);
  }

  @Test
  void secondaryReplicas() throws Exception {
    createAndFill(table(ColumnFamilyDescriptorBuilder.of(FAMILY)).setRegionReplication(2));
    Scan secondary = new Scan().setConsistency(Consistency.TIMELINE).setReplicaId(1);
    MiniCluster.await(
        "the replica to see the files",
        () -> {
          try {
            return scan(name, secondary).size() == ROWS && files(1).equals(files(0));
          } catch (IOException e) {
            return false;
          }
        });
    check(name, secondary, null, true);
    check(name, new Scan(secondary).setReversed(true), null, true);
    check(name, new Scan(), null, true);
  }

  /** Names of the files of one replica of the table's region. */
  private Set<String> files(int replica) {
    return cluster.regions(name).stream()
        .filter(region -> region.getRegionInfo().getReplicaId() == replica)
        .flatMap(region -> region.getStore(FAMILY).getStorefiles().stream())
        .map(file -> file.getReader().getHFileReader().getName())
        .collect(Collectors.toSet());
  }

  @Test
  void systemTables() throws Exception {
    check(TableName.META_TABLE_NAME, new Scan(), null, false);
  }

  @Test
  void theDefaultIsStock() throws Exception {
    createAndFill(table(ColumnFamilyDescriptorBuilder.of(FAMILY)));
    assertThat(requestsFor(name, new Scan())).isZero();
    assertThat(requestsFor(name, MiniCluster.in(MiniCluster.IN_STORAGE, new Scan()))).isPositive();
  }

  @Test
  void aTableIsSwitchedWhileItIsRead() throws Exception {
    createAndFill(table(ColumnFamilyDescriptorBuilder.of(FAMILY)));
    setTable(MiniCluster.IN_STORAGE);
    assertThat(requestsFor(name, new Scan())).isPositive();
    assertThat(requestsFor(name, MiniCluster.in(MiniCluster.STOCK, new Scan()))).isZero();
    setTable(MiniCluster.STOCK);
    assertThat(requestsFor(name, new Scan())).isZero();
    // A table's own word is a prohibition, not a default.
    assertThat(requestsFor(name, MiniCluster.in(MiniCluster.IN_STORAGE, new Scan()))).isZero();
    assertThat(requestsFor(name, MiniCluster.in(MiniCluster.AUTO, new Scan()))).isZero();
  }

  private void setTable(String mode) throws IOException {
    admin.modifyTable(
        TableDescriptorBuilder.newBuilder(admin.getDescriptor(name))
            .setValue(MiniCluster.READ, mode)
            .build());
  }

  @Test
  void aFamilyOverrulesItsTable() throws Exception {
    createAndFill(
        table(
                ColumnFamilyDescriptorBuilder.of(FAMILY),
                ColumnFamilyDescriptorBuilder.newBuilder(OTHER)
                    .setConfiguration(MiniCluster.READ, MiniCluster.STOCK)
                    .build())
            .setValue(MiniCluster.READ, MiniCluster.IN_STORAGE));
    assertThat(requestsFor(name, new Scan().addFamily(FAMILY))).isPositive();
    assertThat(requestsFor(name, new Scan().addFamily(OTHER))).isZero();
  }

  @Test
  void theClusterIsSwitchedWithoutRestart() throws Exception {
    createAndFill(table(ColumnFamilyDescriptorBuilder.of(FAMILY)));
    var server = cluster.util.getMiniHBaseCluster().getRegionServer(0);
    try {
      server.getConfiguration().set(MiniCluster.READ, MiniCluster.IN_STORAGE);
      server.getConfigurationManager().notifyAllObservers(server.getConfiguration());
      assertThat(requestsFor(name, new Scan())).isPositive();
    } finally {
      server.getConfiguration().unset(MiniCluster.READ);
      server.getConfigurationManager().notifyAllObservers(server.getConfiguration());
    }
    assertThat(requestsFor(name, new Scan())).isZero();
  }

  @Test
  void aWrongModeIsStock() throws Exception {
    createAndFill(
        table(ColumnFamilyDescriptorBuilder.of(FAMILY)).setValue(MiniCluster.READ, "instorage"));
    assertThat(requestsFor(name, new Scan())).isZero();
  }

  @Test
  void theGateChoosesTheRouteOfATableUnlessTheOperationDoes() throws Exception {
    createAndFill(
        table(ColumnFamilyDescriptorBuilder.of(FAMILY))
            .setValue(MiniCluster.READ, MiniCluster.AUTO));
    List<String> cells = scan(name, MiniCluster.in(MiniCluster.STOCK, new Scan()));
    assertThat(routes()).isEqualTo(routesAfter(MiniCluster.STOCK));
    assertThat(routes()).isEqualTo(routesAfter(MiniCluster.IN_STORAGE));
    long before = routes();
    for (int read = 0; read < 20; read++) {
      assertThat(scan(name, new Scan())).isEqualTo(cells);
    }
    assertThat(routes()).isEqualTo(before + 20);
    assertThat(InStorageMetrics.get().routes(Gate.Route.BLOCK)).as("probes").isPositive();
  }

  private long routesAfter(String mode) throws IOException {
    assertThat(scan(name, MiniCluster.in(mode, new Scan()))).isNotEmpty();
    return routes();
  }

  /** Reads that the gate has sent over one route or the other. */
  private static long routes() {
    InStorageMetrics metrics = InStorageMetrics.get();
    return metrics.routes(Gate.Route.BLOCK) + metrics.routes(Gate.Route.IN_STORAGE);
  }
}
