package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.plugin.aggregate.AggregateEndpoint;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.protocol.generated.IssnProtos.FilterScope;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.protobuf.generated.ClientProtos.RegionActionResult;
import org.apache.hadoop.hbase.protobuf.generated.VisibilityLabelsProtos.VisibilityLabelsResponse;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.AccessControlConstants;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.access.PermissionStorage;
import org.apache.hadoop.hbase.security.access.SecureTestUtil;
import org.apache.hadoop.hbase.security.visibility.Authorizations;
import org.apache.hadoop.hbase.security.visibility.CellVisibility;
import org.apache.hadoop.hbase.security.visibility.VisibilityClient;
import org.apache.hadoop.hbase.security.visibility.VisibilityConstants;
import org.apache.hadoop.hbase.security.visibility.VisibilityTestUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Visibility labels and access control lists of cells: every user gets in-storage what he gets
 * stock, and gets it from the storage nodes.
 */
@OwnJvm
class SecurityTest {
  private static final String[] LABELS = {"secret", "private"};
  private static final String[] EXPRESSIONS = {
    "secret", "private", "secret|private", "secret&private", "!secret", "private&!secret"
  };

  /** All labels; one of them; none, but a grant on a column; nothing but grants on cells. */
  private static final List<String> USERS = List.of("alice", "bob", "carol", "dave");

  private static final int QUERIES = 40;

  private static MiniCluster cluster;
  private static final Map<String, Connection> CONNECTIONS = new LinkedHashMap<>();

  @BeforeAll
  static void start() throws Throwable {
    cluster =
        MiniCluster.start(
            conf -> {
              try {
                SecureTestUtil.enableSecurity(conf);
                VisibilityTestUtil.enableVisiblityLabels(conf);
              } catch (IOException e) {
                throw new AssertionError(e);
              }
              // A user without a grant on the table may still read cells that grant it to him.
              conf.setBoolean(AccessControlConstants.CF_ATTRIBUTE_EARLY_OUT, false);
              conf.setInt("ishbase.batch.first.bytes", 256);
              conf.setInt("ishbase.batch.max.bytes", 2048);
            });
    cluster.startDaemons();
    cluster.util.waitTableAvailable(PermissionStorage.ACL_TABLE_NAME);
    cluster.util.waitTableAvailable(VisibilityConstants.LABELS_TABLE_NAME);
    done(VisibilityClient.addLabels(cluster.connection(), LABELS));
    allow("alice", LABELS);
    allow("bob", "private");
    for (String name : USERS) {
      User user = User.createUserForTesting(cluster.util.getConfiguration(), name, new String[0]);
      CONNECTIONS.put(
          name,
          user.runAs(
              (PrivilegedExceptionAction<Connection>)
                  () -> ConnectionFactory.createConnection(cluster.util.getConfiguration())));
    }
  }

  /** The region server hears of new labels by ZooKeeper. */
  private static void allow(String user, String... labels) {
    MiniCluster.await(
        "labels of " + user,
        () -> {
          try {
            return VisibilityClient.setAuths(cluster.connection(), labels, user)
                .getResultList()
                .stream()
                .noneMatch(RegionActionResult::hasException);
          } catch (Throwable e) {
            throw new AssertionError(e);
          }
        });
  }

  private static void done(VisibilityLabelsResponse response) {
    assertThat(response.getResultList()).isNotEmpty().noneMatch(RegionActionResult::hasException);
  }

  @AfterAll
  static void stop() throws Exception {
    for (Connection connection : CONNECTIONS.values()) {
      connection.close();
    }
    cluster.close();
  }

  @Test
  void usersReadWhatStockShowsThem() throws Exception {
    long seed = Seed.get();
    Random random = new Random(seed);
    RandomCells cells = new RandomCells(random);
    TableName name = TableName.valueOf("secured");
    cluster
        .util
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(family("f"))
                .setColumnFamily(family("g"))
                .build());
    for (String user : List.of("alice", "bob")) {
      SecureTestUtil.grantOnTable(cluster.util, user, name, null, null, Permission.Action.READ);
    }
    SecureTestUtil.grantOnTable(
        cluster.util,
        "carol",
        name,
        Bytes.toBytes("f"),
        Bytes.toBytes("q1"),
        Permission.Action.READ);
    fill(name, random, cells);

    List<String> history = List.of("seed " + seed);
    RandomQueries queries = new RandomQueries(random, cells);
    Comparison comparison = new Comparison(random, () -> history);
    long pushed = InStorageMetrics.get().pushedFilters(FilterScope.BY_COLUMN);
    Map<String, List<String>> all = new LinkedHashMap<>();
    for (Map.Entry<String, Connection> user : CONNECTIONS.entrySet()) {
      long cellsBefore = InStorageMetrics.get().cells();
      try (Table table = user.getValue().getTable(name)) {
        for (int query = 0; query < QUERIES; query++) {
          if (random.nextInt(4) == 0) {
            comparison.of(table, authorized(random, queries.gets()));
          } else if (random.nextBoolean()) {
            comparison.of(table, authorized(random, List.of(queries.get())).get(0));
          } else {
            comparison.of(table, queries.scan().setAuthorizations(authorizations(random)));
          }
        }
      }
      Scan scan = new Scan().setAuthorizations(new Authorizations(LABELS)).readAllVersions();
      all.put(user.getKey(), ReadCheck.scan(user.getValue(), name, scan));
      ReadCheck.equal(user.getValue(), name, scan, null, true);
      assertThat(InStorageMetrics.get().cells())
          .as("cells from storage nodes for " + user.getKey())
          .isGreaterThan(cellsBefore);
    }
    assertThat(InStorageMetrics.get().pushedFilters(FilterScope.BY_COLUMN)).isGreaterThan(pushed);
    assertThat(Set.copyOf(all.values())).as("users see different cells").hasSize(USERS.size());
  }

  @Test
  void aggregatesAreOfWhatAScanShows() throws Exception {
    Random random = new Random(Seed.get());
    RandomCells cells = new RandomCells(random);
    TableName name = TableName.valueOf("summed");
    cluster
        .util
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(family("f"))
                .setColumnFamily(family("g"))
                .setCoprocessor(AggregateEndpoint.class.getName())
                .setValue(MiniCluster.READ, MiniCluster.IN_STORAGE)
                .build());
    for (String user : List.of("alice", "bob")) {
      SecureTestUtil.grantOnTable(cluster.util, user, name, null, null, Permission.Action.READ);
    }
    fill(name, random, cells);
    long asked = InStorageMetrics.get().aggregates();
    Map<String, Long> all = new LinkedHashMap<>();
    for (Map.Entry<String, Connection> user : CONNECTIONS.entrySet()) {
      try (Table table = user.getValue().getTable(name)) {
        for (int i = 0; i < QUERIES; i++) {
          String method = Aggregations.METHODS.get(random.nextInt(4));
          Scan scan =
              new Scan()
                  .addFamily(cells.family())
                  .setAuthorizations(authorizations(random))
                  .readVersions(1 + random.nextInt(3));
          assertThat(Aggregations.got(table, method, scan))
              .as("%s of %s for %s", method, scan, user.getKey())
              .isEqualTo(Aggregations.wanted(table, method, scan));
        }
        Scan scan =
            new Scan()
                .addFamily(Bytes.toBytes("f"))
                .setAuthorizations(new Authorizations(LABELS))
                .readAllVersions();
        all.put(user.getKey(), Aggregations.got(table, "GetRowNum", scan));
      }
    }
    assertThat(Set.copyOf(all.values()))
        .as("users count other rows: %s", all)
        .hasSizeGreaterThan(1);
    assertThat(InStorageMetrics.get().aggregates()).as("labels are HBase's").isEqualTo(asked);
  }

  private static ColumnFamilyDescriptor family(String name) {
    return ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(name))
        .setMaxVersions(3)
        .setBlocksize(1024)
        .build();
  }

  /** Writes three files and a memstore; each cell with a label, a grant, both or neither. */
  private static void fill(TableName name, Random random, RandomCells cells) throws Exception {
    try (Table table = cluster.connection().getTable(name)) {
      for (int file = 0; file < 4; file++) {
        if (file > 0) {
          cluster.util.flush(name);
        }
        List<Put> puts = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
          puts.add(put(random, cells));
        }
        table.put(puts);
        for (int i = 0; i < 10; i++) {
          // Deletes the cells with the same label only.
          Delete delete = new Delete(cells.row()).addColumns(cells.family(), cells.qualifier());
          delete.setCellVisibility(new CellVisibility(expression(random)));
          table.delete(delete);
        }
      }
    }
  }

  private static Put put(Random random, RandomCells cells) {
    Put put =
        new Put(cells.row())
            .addColumn(cells.family(), cells.qualifier(), cells.timestamp(), cells.value());
    if (random.nextInt(3) > 0) {
      put.setCellVisibility(new CellVisibility(expression(random)));
    }
    if (random.nextInt(3) > 0) {
      put.setACL(USERS.get(random.nextInt(USERS.size())), new Permission(Permission.Action.READ));
    }
    return put;
  }

  private static String expression(Random random) {
    return EXPRESSIONS[random.nextInt(EXPRESSIONS.length)];
  }

  private static List<Get> authorized(Random random, List<Get> gets) {
    Authorizations authorizations = authorizations(random);
    gets.forEach(get -> get.setAuthorizations(authorizations));
    return gets;
  }

  private static Authorizations authorizations(Random random) {
    return random.nextBoolean()
        ? new Authorizations(LABELS)
        : new Authorizations(LABELS[random.nextInt(LABELS.length)]);
  }
}
