package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Reason;
import io.ishbase.plugin.metrics.InStorageMetrics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ByteBufferKeyValue;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.filter.RegexStringComparator;
import org.apache.hadoop.hbase.filter.RowFilter;
import org.apache.hadoop.hbase.filter.TimestampsFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Reads at the bounds: what is too much for one request, too small or too slow is read in-storage
 * all the same, and nobody else's reads notice.
 */
class BoundsTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] QUALIFIER = Bytes.toBytes("q");
  private static final int CALL_MILLIS = 10_000;

  /** An answer has a second more for its filter, in which a machine may stand still. */
  private static final Set<Reason> STOOD_STILL = Set.of(Reason.FILTER_FAILED);

  private static MiniCluster cluster;

  /** A filter that takes its time for each cell and includes none. */
  public static final class Slow extends FilterBase {
    static final long NANOS = 8_000_000L;

    @Override
    public ReturnCode filterCell(Cell cell) {
      LockSupport.parkNanos(NANOS);
      return ReturnCode.SKIP;
    }

    @Override
    public byte[] toByteArray() {
      return new byte[0];
    }

    public static Slow parseFrom(byte[] bytes) {
      return new Slow();
    }
  }

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            1,
            conf -> {
              conf.set("ishbase.filters.cell.local", Slow.class.getName());
              conf.set("ishbase.read", MiniCluster.IN_STORAGE);
              // What the filter takes for rows has to end an answer.
              conf.setInt("ishbase.issn.batch.time", 500);
            });
    cluster.startDaemons();
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  private static TableName table(String name, int versions, List<Put> puts) throws Exception {
    TableName table = TableName.valueOf(name);
    cluster
        .util
        .getAdmin()
        .createTable(
            TableDescriptorBuilder.newBuilder(table)
                .setColumnFamily(
                    ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                        .setMaxVersions(versions)
                        .build())
                .build());
    try (Table writing = cluster.connection().getTable(table)) {
      writing.put(puts);
    }
    cluster.util.flush(table);
    MiniCluster.await(
        "an answer from a daemon",
        () -> {
          long requests = InStorageMetrics.get().requests();
          try {
            ReadCheck.scan(cluster.connection(), table, new Scan().setLimit(1));
          } catch (IOException e) {
            throw new AssertionError(e);
          }
          return InStorageMetrics.get().requests() > requests;
        });
    return table;
  }

  private static byte[] row(int row) {
    return Bytes.toBytes(String.format("r%05d", row));
  }

  private static List<Put> rows(int count, String value) {
    return IntStream.range(0, count)
        .mapToObj(row -> new Put(row(row)).addColumn(FAMILY, QUALIFIER, Bytes.toBytes(value)))
        .toList();
  }

  private interface Read {
    List<String> of(Table table) throws IOException;
  }

  /** The read has an answer of the daemons alone, which nobody is blamed for. */
  private static List<String> inStorage(TableName name, Read read) throws IOException {
    var fallbacks = ReadCheck.fallbacks();
    long requests = InStorageMetrics.get().requests();
    try (Table table = cluster.connection().getTable(name)) {
      List<String> answer = read.of(table);
      for (int i = 0; i < 3 && ReadCheck.since(fallbacks).equals(STOOD_STILL); i++) {
        fallbacks = ReadCheck.fallbacks();
        answer = read.of(table);
      }
      assertThat(ReadCheck.since(fallbacks)).isEmpty();
      assertThat(NodesBean.quarantined()).isEmpty();
      assertThat(InStorageMetrics.get().requests()).isGreaterThan(requests);
      return answer;
    }
  }

  private static List<String> scan(TableName name, Scan scan) throws IOException {
    return inStorage(name, table -> ReadCheck.scan(cluster.connection(), name, scan));
  }

  private static List<String> stock(TableName name, Scan scan) throws IOException {
    return ReadCheck.scan(
        cluster.connection(), name, MiniCluster.in(MiniCluster.STOCK, new Scan(scan)));
  }

  @Test
  void tinyCells() throws Exception {
    TableName name = table("tiny", 1, rows(1000, "v"));
    assertThat(scan(name, new Scan())).hasSize(1000).isEqualTo(stock(name, new Scan()));
  }

  /** HBase gives the request's memory back before it encodes the answer. */
  @Test
  void resultsOfChangesDoNotLieInTheirRequests() throws Exception {
    TableName name = table("changes", 1, rows(1, "v"));
    HRegion region = cluster.regions(name).get(0);
    assertOwned(memory -> region.increment(new Increment(row(1)).add(cell(row(1), memory))));
    assertOwned(memory -> region.append(new Append(row(2)).add(cell(row(2), memory))));
    assertOwned(
        memory ->
            region.mutateRow(
                RowMutations.of(List.of(new Increment(row(3)).add(cell(row(3), memory))))));
    assertOwned(
        memory ->
            region
                .checkAndMutate(
                    CheckAndMutate.newBuilder(row(4))
                        .ifNotExists(FAMILY, QUALIFIER)
                        .build(new Increment(row(4)).add(cell(row(4), memory))))
                .getResult());
  }

  private interface Change {
    Result of(ByteBuffer memory) throws IOException;
  }

  private static void assertOwned(Change change) throws IOException {
    ByteBuffer memory = ByteBuffer.allocateDirect(1000);
    Result result = change.of(memory);
    for (int i = 0; i < memory.capacity(); i++) {
      memory.put(i, (byte) -1);
    }
    assertThat(Bytes.toLong(result.getValue(FAMILY, QUALIFIER))).isEqualTo(7);
  }

  /** A cell with a value of 7 that lies in {@code memory}, as one of a request does. */
  private static Cell cell(byte[] row, ByteBuffer memory) {
    KeyValue cell = new KeyValue(row, FAMILY, QUALIFIER, Bytes.toBytes(7L));
    memory.put(0, cell.getBuffer(), cell.getOffset(), cell.getLength());
    return new ByteBufferKeyValue(memory, 0, cell.getLength());
  }

  @Test
  void aColumnOfManyVersions() throws Exception {
    int versions = 5000;
    List<Put> puts = new ArrayList<>();
    for (int version = 1; version <= versions; version++) {
      byte[] value = new byte[1000];
      Bytes.putInt(value, 0, version);
      puts.add(new Put(row(0)).addColumn(FAMILY, QUALIFIER, version, value));
    }
    TableName name = table("versions", versions, puts);
    Scan one =
        new Scan(
            new Get(row(0))
                .addColumn(FAMILY, QUALIFIER)
                .setFilter(
                    new ValueFilter(
                        CompareOperator.GREATER, new BinaryComparator(Bytes.toBytes(7)))));
    long bytes = InStorageMetrics.get().inStorageBytes();
    assertThat(scan(name, one)).hasSize(1).isEqualTo(stock(name, one));
    assertThat(InStorageMetrics.get().inStorageBytes() - bytes).isLessThan(100_000);
    Filter seeking = new TimestampsFilter(List.of(17L, 4711L), true);
    Scan two = new Scan().readVersions(2).setFilter(seeking);
    assertThat(scan(name, two)).isEqualTo(stock(name, two)).isNotEmpty();
  }

  @Test
  void moreThanARequestMayAskFor() throws Exception {
    TableName name = table("much", 1, rows(20, "v"));
    Get wide = new Get(row(3)).addColumn(FAMILY, QUALIFIER);
    for (int column = 0; column <= 10_000; column++) {
      wide.addColumn(FAMILY, Bytes.toBytes(column));
    }
    assertThat(inStorage(name, table -> List.of(table.get(wide).toString())))
        .allMatch(result -> result.contains("r00003"));
    List<Get> many = IntStream.range(0, 10_001).mapToObj(row -> new Get(row(row))).toList();
    assertThat(
            inStorage(
                name,
                table -> {
                  List<String> found = new ArrayList<>();
                  for (Result result : table.get(many)) {
                    if (!result.isEmpty()) {
                      found.add(Bytes.toString(result.getRow()));
                    }
                  }
                  return found;
                }))
        .hasSize(20);
    Filter large =
        new RowFilter(
            CompareOperator.LESS, new BinaryComparator(Bytes.add(row(5), new byte[5 << 20])));
    assertThat(scan(name, new Scan().setFilter(large))).hasSize(6);
  }

  @Test
  void aSlowFilterThatLetsNothingPass() throws Exception {
    int rows = 3000;
    TableName name = table("slow", 1, rows(rows, "v"));
    Configuration conf = new Configuration(cluster.util.getConfiguration());
    conf.setInt("hbase.rpc.timeout", CALL_MILLIS);
    conf.setInt("hbase.client.scanner.timeout.period", CALL_MILLIS);
    conf.setInt("hbase.client.retries.number", 3);
    // It takes longer than a call may: only heartbeats bring it to its end.
    assertThat(rows * Slow.NANOS / 1_000_000).isGreaterThan(2 * CALL_MILLIS);
    try (Connection connection = ConnectionFactory.createConnection(conf)) {
      Scan scan = new Scan().setFilter(new Slow());
      assertThat(inStorage(name, table -> ReadCheck.scan(connection, name, scan))).isEmpty();
    }
  }

  /** Nor is its end a row's: HBase looks at the clock within one. */
  @Test
  void aSlowFilterThatLetsNothingOfAWideRowPass() throws Exception {
    String hard = "x".repeat(30);
    // It tries each way to divide the letters among four.
    Pattern pattern = Pattern.compile("x*x*x*x*y");
    long begun = System.nanoTime();
    int tries = 0;
    while (System.nanoTime() - begun < 500_000_000L) {
      assertThat(pattern.matcher(hard).find()).isFalse();
      tries++;
    }
    int columns = 5 * CALL_MILLIS / 2 * tries / 500;
    Put put = new Put(row(0));
    for (int column = 0; column < columns; column++) {
      put.addColumn(FAMILY, Bytes.toBytes(hard + column), QUALIFIER);
    }
    TableName name = table("wide-slow", 1, List.of(put));
    Configuration conf = new Configuration(cluster.util.getConfiguration());
    conf.setInt("hbase.rpc.timeout", CALL_MILLIS);
    conf.setInt("hbase.client.scanner.timeout.period", CALL_MILLIS);
    conf.setInt("hbase.client.retries.number", 3);
    try (Connection connection = ConnectionFactory.createConnection(conf)) {
      Scan scan =
          new Scan()
              .setFilter(
                  new QualifierFilter(
                      CompareOperator.EQUAL, new RegexStringComparator(pattern.pattern())));
      assertThat(inStorage(name, table -> ReadCheck.scan(connection, name, scan))).isEmpty();
    }
  }
}
