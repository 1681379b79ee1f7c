package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Reason;
import io.ishbase.plugin.aggregate.AggregateEndpoint;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.protocol.MessageChecksum;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.IssnProtos.AggregateResponse;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Daemons that know no aggregates, or answer them with what is none. */
class LyingAggregatesTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] QUALIFIER = Bytes.toBytes("q");
  private static final int ROWS = 500;
  private static final int TIMEOUT_MILLIS = 4_000;

  private static MiniCluster cluster;
  private static LyingDaemon daemon;
  private static Table table;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              conf.setInt("ishbase.rpc.timeout", TIMEOUT_MILLIS);
              conf.setInt("ishbase.issn.batch.time", 1);
              conf.setBoolean("hbase.table.sanity.checks", false);
            });
    daemon =
        new LyingDaemon(
            cluster, cluster.util.getDFSCluster().getDataNodes().get(0), Protocol.VERSION);
    TableName name = TableName.valueOf("lies");
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
    table = cluster.connection().getTable(name);
    for (int file = 0; file < 3; file++) {
      List<Put> puts = new ArrayList<>();
      for (int row = 0; row < ROWS; row++) {
        if (file == 0 || row % (5 * file) == 0) {
          puts.add(
              new Put(row(row)).addColumn(FAMILY, QUALIFIER, Bytes.toBytes(1000L * file + row)));
        }
      }
      table.put(puts);
      table.delete(new Delete(row(7 + file)));
      // The last of them stay in the memstore.
      if (file < 2) {
        cluster.util.flush(name);
      }
    }
    MiniCluster.await("the daemon to be asked", () -> asks());
  }

  @AfterAll
  static void stop() throws Exception {
    table.close();
    daemon.close();
    cluster.close();
  }

  private static byte[] row(int number) {
    return Bytes.toBytes(String.format("row%05d", number));
  }

  /** Whether the daemon is asked for an aggregate. */
  private static boolean asks() {
    int before = daemon.aggregates();
    try {
      Aggregations.got(table, "GetSum", new Scan().addFamily(FAMILY));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    return daemon.aggregates() > before;
  }

  private static void check() throws Exception {
    List<Scan> scans =
        List.of(
            new Scan().addFamily(FAMILY),
            new Scan().addFamily(FAMILY).withStartRow(row(100)).withStopRow(row(321)));
    for (Scan scan : scans) {
      for (String method : Aggregations.METHODS) {
        assertThat(Aggregations.got(table, method, scan))
            .as("%s of %s", method, scan)
            .isEqualTo(Aggregations.wanted(table, method, scan));
      }
    }
  }

  @BeforeEach
  void tellTheTruth() throws Exception {
    daemon.tellOfAggregates((request, truth) -> truth);
    daemon.saysOfAggregates(Protocol.AGGREGATES);
    NodesBean.forgetFailures();
    MiniCluster.await("the daemon to be asked", () -> asks());
  }

  private static LyingDaemon.AggregateLie refused(Code code) {
    return (request, truth) ->
        MessageChecksum.sealed(
            AggregateResponse.newBuilder()
                .setCode(code)
                .setMessage("a lie")
                .setAsked(request.getCrc32C())
                .build());
  }

  private static Arguments refused(Reason reason, Code code) {
    return lie(code.toString(), reason, refused(code));
  }

  private static Arguments lie(String name, Reason reason, LyingDaemon.AggregateLie lie) {
    return Arguments.of(name, reason, lie);
  }

  static Stream<Arguments> lies() {
    return Stream.of(
        lie(
            "wrong checksum",
            Reason.BAD_ANSWER,
            (request, truth) -> truth.toBuilder().setCrc32C(truth.getCrc32C() + 1).build()),
        lie(
            "no checksum",
            Reason.BAD_ANSWER,
            (request, truth) -> truth.toBuilder().clearCrc32C().build()),
        lie(
            "of another request",
            Reason.BAD_ANSWER,
            (request, truth) -> truth.toBuilder().setAsked(truth.getAsked() + 1).build()),
        lie(
            "of no request",
            Reason.BAD_ANSWER,
            (request, truth) -> truth.toBuilder().clearAsked().build()),
        lie(
            "less than no row",
            Reason.BAD_ANSWER,
            (request, truth) -> truth.toBuilder().setRows(-1).build()),
        lie(
            "less than no block",
            Reason.BAD_ANSWER,
            (request, truth) -> truth.toBuilder().setBlockBytes(-1).build()),
        lie(
            "a value of no row",
            Reason.BAD_ANSWER,
            (request, truth) ->
                truth.toBuilder().setRows(0).setValue(ByteString.copyFromUtf8("?")).build()),
        lie(
            "a value that is none",
            Reason.BAD_ANSWER,
            (request, truth) ->
                truth.toBuilder().setRows(1).setValue(ByteString.copyFromUtf8("?")).build()),
        lie(
            "no progress",
            Reason.BAD_ANSWER,
            (request, truth) ->
                truth.toBuilder().setNextRow(request.getRead().getRange(0).getStartRow()).build()),
        lie(
            "a step back",
            Reason.BAD_ANSWER,
            (request, truth) ->
                request.getRead().getRange(0).getStartRow().isEmpty()
                    ? truth
                    : truth.toBuilder().setNextRow(ByteString.copyFrom(row(0))).build()),
        refused(Reason.BUSY, Code.BUSY),
        refused(Reason.STOPPING, Code.STOPPING),
        refused(Reason.VERSION, Code.VERSION),
        refused(Reason.BAD_REQUEST, Code.BAD_REQUEST),
        refused(Reason.REFUSED, Code.REFUSED),
        refused(Reason.NO_FILE, Code.NO_FILE),
        refused(Reason.UNSUPPORTED, Code.UNSUPPORTED),
        refused(Reason.CORRUPT_FILE, Code.CORRUPT),
        refused(Reason.FAILED, Code.FAILED),
        lie(
            "an exception",
            Reason.NO_ANSWER,
            (request, truth) -> {
              throw new IOException("a lie");
            }),
        lie(
            "a defect",
            Reason.NO_ANSWER,
            (request, truth) -> {
              throw new UnsupportedOperationException("a lie");
            }),
        lie(
            "too late",
            Reason.TIMEOUT,
            (request, truth) -> {
              LockSupport.parkNanos(2_000_000L * TIMEOUT_MILLIS);
              return truth;
            }));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("lies")
  void isNotBelieved(String name, Reason reason, LyingDaemon.AggregateLie lie) throws Exception {
    long before = InStorageMetrics.get().fallbacks(reason);
    daemon.tellOfAggregates(lie);
    // One that has not answered in time is not asked for a while.
    MiniCluster.await(
        "a fallback by " + reason,
        () -> {
          NodesBean.forgetFailures();
          try {
            check();
          } catch (Throwable e) {
            throw new AssertionError(e);
          }
          return InStorageMetrics.get().fallbacks(reason) > before;
        });
    assertThat(daemon.aggregates()).as("lies told").isPositive();
  }

  @Test
  void isBelievedUntilItLies() throws Exception {
    daemon.tellOfAggregates(
        (request, truth) ->
            request.getRead().getRange(0).getStartRow().isEmpty()
                ? truth
                : truth.toBuilder().setRows(-1).build());
    check();
    assertThat(daemon.aggregates()).isPositive();
  }

  /** Its queue of aggregates is full; that of reads is another. */
  @Test
  void isAskedForReadsWhileItIsBusyWithAggregates() throws Exception {
    long busy = InStorageMetrics.get().fallbacks(Reason.BUSY);
    daemon.tellOfAggregates(refused(Code.BUSY));
    check();
    assertThat(InStorageMetrics.get().fallbacks(Reason.BUSY)).isGreaterThan(busy);
    assertThat(NodesBean.quarantined()).isEmpty();
  }

  @Test
  void anOlderDaemonIsNotAsked() throws Exception {
    for (int said : new int[] {0, Protocol.AGGREGATES + 1}) {
      daemon.saysOfAggregates(said);
      MiniCluster.await("the daemon not to be asked", () -> !asks());
      int before = daemon.aggregates();
      check();
      assertThat(daemon.aggregates()).isEqualTo(before);
      daemon.saysOfAggregates(Protocol.AGGREGATES);
      MiniCluster.await("the daemon to be asked", () -> asks());
    }
  }
}
