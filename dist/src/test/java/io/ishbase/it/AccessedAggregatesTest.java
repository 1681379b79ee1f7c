package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.plugin.aggregate.AggregateEndpoint;
import io.ishbase.plugin.metrics.InStorageMetrics;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.access.PermissionStorage;
import org.apache.hadoop.hbase.security.access.SecureTestUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Aggregates of a table with access control: daemons are asked for those who may read the family,
 * others get what a scan shows them, or nothing.
 */
class AccessedAggregatesTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final TableName NAME = TableName.valueOf("accessed");
  private static final int ROWS = 300;

  private static MiniCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              try {
                SecureTestUtil.enableSecurity(conf);
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    cluster.startDaemons();
    cluster.util.waitTableAvailable(PermissionStorage.ACL_TABLE_NAME);
    cluster
        .util
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(NAME)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .setCoprocessor(AggregateEndpoint.class.getName())
                .setValue(MiniCluster.READ, MiniCluster.IN_STORAGE)
                .build());
    try (Table table = cluster.connection().getTable(NAME)) {
      List<Put> puts = new ArrayList<>();
      for (int row = 0; row < ROWS; row++) {
        Put put = new Put(Bytes.toBytes(String.format("row%04d", row)));
        // Every third row has the column that one of the users may read.
        put.addColumn(
            FAMILY, Bytes.toBytes(row % 3 == 0 ? "open" : "closed"), Bytes.toBytes((long) row));
        puts.add(put);
      }
      table.put(puts);
      cluster.util.flush(NAME);
    }
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  /** What is done as a user. */
  private interface Action {
    void run(Table table) throws Exception;
  }

  private static void as(String name, Action action) throws Exception {
    User user = User.createUserForTesting(cluster.util.getConfiguration(), name, new String[0]);
    try (Connection connection =
            user.runAs(
                (PrivilegedExceptionAction<Connection>)
                    () -> ConnectionFactory.createConnection(cluster.util.getConfiguration()));
        Table table = connection.getTable(NAME)) {
      action.run(table);
    }
  }

  private static void check(Table table) throws Exception {
    for (String method : Aggregations.METHODS) {
      Scan scan = new Scan().addFamily(FAMILY);
      assertThat(Aggregations.got(table, method, scan))
          .as(method)
          .isEqualTo(Aggregations.wanted(table, method, scan));
    }
  }

  @Test
  void whoMayReadTheFamilyIsAnsweredByDaemons() throws Exception {
    grant("reader", null);
    long asked = InStorageMetrics.get().aggregates();
    as("reader", AccessedAggregatesTest::check);
    assertThat(InStorageMetrics.get().aggregates()).isGreaterThanOrEqualTo(asked + 4);
  }

  @Test
  void whoMayReadAColumnGetsWhatAScanShows() throws Exception {
    grant("half", Bytes.toBytes("open"));
    long asked = InStorageMetrics.get().aggregates();
    as(
        "half",
        table -> {
          check(table);
          assertThat(Aggregations.got(table, "GetRowNum", new Scan().addFamily(FAMILY)))
              .isEqualTo(ROWS / 3);
        });
    assertThat(InStorageMetrics.get().aggregates()).isEqualTo(asked);
  }

  @Test
  void whoMayReadNothingIsRefused() throws Exception {
    as(
        "stranger",
        table -> {
          for (String method : Aggregations.METHODS) {
            assertThatThrownBy(() -> Aggregations.got(table, method, new Scan().addFamily(FAMILY)))
                .hasStackTraceContaining(AccessDeniedException.class.getName());
          }
        });
  }

  private static void grant(String user, byte[] qualifier) throws Exception {
    SecureTestUtil.grantOnTable(
        cluster.util,
        user,
        NAME,
        qualifier == null ? null : FAMILY,
        qualifier,
        Permission.Action.READ);
  }
}
