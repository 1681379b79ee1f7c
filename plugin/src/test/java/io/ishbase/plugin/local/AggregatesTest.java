package io.ishbase.plugin.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.ishbase.core.Setting;
import io.ishbase.plugin.aggregate.AggregateMessages;
import io.ishbase.plugin.local.LocalDaemons.Aggregate;
import io.ishbase.plugin.local.LocalDaemons.AggregateFault;
import io.ishbase.plugin.local.LocalDaemons.Fault;
import io.ishbase.plugin.regionserver.Inside;
import io.ishbase.protocol.Protocol;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.client.coprocessor.BigDecimalColumnInterpreter;
import org.apache.hadoop.hbase.client.coprocessor.DoubleColumnInterpreter;
import org.apache.hadoop.hbase.client.coprocessor.LongColumnInterpreter;
import org.apache.hadoop.hbase.coprocessor.ColumnInterpreter;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.exceptions.TimeoutIOException;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.QualifierFilter;
import org.apache.hadoop.hbase.ipc.RpcCall;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Aggregates of a region by a daemon, whose answers are about few rows each, and what they are by
 * the rows that a stock scan returns at the same moment.
 */
class AggregatesTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int ROWS = 60;
  private static final List<Class<?>> INTERPRETERS =
      List.of(
          LongColumnInterpreter.class,
          DoubleColumnInterpreter.class,
          BigDecimalColumnInterpreter.class,
          OwnInterpreter.class);

  /** One that no daemon knows. */
  public static final class OwnInterpreter extends LongColumnInterpreter {
    @Override
    public Long getValue(byte[] family, byte[] qualifier, Cell cell) {
      return (long) cell.getValueLength();
    }

    @Override
    @SuppressWarnings("deprecation")
    public org.apache.hadoop.hbase.protobuf.generated.HBaseProtos.EmptyMsg getRequestData() {
      return null;
    }
  }

  @TempDir private Path directory;

  private final Random random = new Random(Seed.get());
  private long firstTimestamp;
  private int asked;
  private int answered;
  private int fellBack;

  private LocalRegion open(int number) throws IOException {
    return open(number, Map.of());
  }

  private LocalRegion open(int number, Map<String, String> settings) throws IOException {
    TableName name = TableName.valueOf("t" + number);
    TableDescriptorBuilder table =
        TableDescriptorBuilder.newBuilder(name).setColumnFamily(family());
    settings.forEach(table::setValue);
    LocalRegion region =
        new LocalRegion(
            directory.resolve("r" + number),
            RegionInfoBuilder.newBuilder(name).build(),
            table.build(),
            1,
            false,
            0);
    region.answerAggregates();
    return region;
  }

  private ColumnFamilyDescriptor family() {
    KeepDeletedCells[] keeps = KeepDeletedCells.values();
    ColumnFamilyDescriptorBuilder family =
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
            .setMaxVersions(1 + random.nextInt(3))
            .setBlocksize(256)
            .setKeepDeletedCells(keeps[random.nextInt(keeps.length)]);
    if (random.nextBoolean() || family.build().getKeepDeletedCells() == KeepDeletedCells.TTL) {
      family.setTimeToLive(600);
      family.setMinVersions(random.nextInt(2));
    }
    return family.build();
  }

  @Test
  void areThoseOfAScan() throws Exception {
    for (int table = 0; table < 8; table++) {
      firstTimestamp = System.currentTimeMillis() - 60_000;
      try (LocalRegion region = open(table)) {
        for (int i = 0; i < 150; i++) {
          change(region);
          if (i % 2 == 0) {
            compare(region);
          }
        }
      }
    }
    System.out.println(asked + " aggregates, " + answered + " answers, " + fellBack + " fell back");
    assertThat(answered).isGreaterThan(asked);
    assertThat(fellBack).isGreaterThan(asked / 10);
  }

  /** More rows in the memstore than a request leaves out, and rows of the files among them. */
  @Test
  void leavesOutAllRowsOfTheMemstore() throws Exception {
    try (LocalRegion region = open(0)) {
      int rows = 4 * Protocol.MAX_EXCEPT_ROWS + 100;
      put(region, rows, 1);
      region.region().flush(true);
      put(region, rows, 2);
      for (String method : List.of("GetRowNum", "GetSum", "GetMin", "GetMax")) {
        Scan scan = new Scan().addFamily(FAMILY);
        String wanted = wanted(region, method, LongColumnInterpreter.class, scan);
        region.daemons().takenAggregates();
        assertThat(got(region, method, LongColumnInterpreter.class, scan)).isEqualTo(wanted);
        List<Aggregate> taken = region.daemons().takenAggregates();
        assertThat(taken)
            .extracting(one -> one.request().getExceptRowCount())
            .contains(Protocol.MAX_EXCEPT_ROWS);
        // Now a request fails in the middle.
        for (int i = 0; i < taken.size() / 2; i++) {
          region.daemons().nextAggregates(AggregateFault.NONE);
        }
        region.daemons().nextAggregates(AggregateFault.OTHERS);
        assertThat(got(region, method, LongColumnInterpreter.class, scan)).isEqualTo(wanted);
        assertThat(region.daemons().takenAggregates()).hasSize(taken.size() / 2 + 1);
        region.forgetFailures();
      }
    }
  }

  /** Who gave wrong cells would add up wrong ones. */
  @Test
  void aStoreOfWhichAReadDifferedIsLeftAlone() throws Exception {
    try (LocalRegion region = open(0, Map.of(Setting.VERIFY_SHARE.key(), "1"))) {
      Inside.compareAtLeisure(region.region());
      put(region, 10, 1);
      region.region().flush(true);
      Scan scan = new Scan().addFamily(FAMILY);
      String wanted = wanted(region, "GetRowNum", LongColumnInterpreter.class, scan);
      assertThat(got(region, "GetRowNum", LongColumnInterpreter.class, scan)).isEqualTo(wanted);
      assertThat(region.daemons().takenAggregates()).isNotEmpty();
      // Twice: where cells expire the first time is not enough.
      region.daemons().next(Fault.WRONG_VALUE, Fault.WRONG_VALUE);
      region.get(new Get(Bytes.toBytes("row00001")), LocalRegion.IN_STORAGE);
      assertThat(got(region, "GetRowNum", LongColumnInterpreter.class, scan)).isEqualTo(wanted);
      assertThat(region.daemons().takenAggregates()).isEmpty();
      Inside.nodes(region.region()).forgetFailures();
      assertThat(got(region, "GetRowNum", LongColumnInterpreter.class, scan)).isEqualTo(wanted);
      assertThat(region.daemons().takenAggregates()).isNotEmpty();
    }
  }

  /** To count a row one of its cells is enough, as for HBase's endpoint. */
  @Test
  void countsRowsThatNoScanCouldReturn() throws Exception {
    try (LocalRegion region = open(0, Map.of(HConstants.TABLE_MAX_ROWSIZE_KEY, "5000"))) {
      put(region, 10, 2);
      region.region().flush(true);
      put(region, 10, 3);
      for (int column = 0; column < 100; column++) {
        for (String row : List.of("row00001", "row00002", "wide")) {
          region
              .region()
              .put(
                  new Put(Bytes.toBytes(row))
                      .addColumn(FAMILY, Bytes.toBytes("c" + column), new byte[100]));
        }
      }
      Scan scan = new Scan().addFamily(FAMILY);
      // Beside 0, 2, 3, 4, 6, 8 and 9.
      assertThat(got(region, "GetRowNum", LongColumnInterpreter.class, scan))
          .isEqualTo("[" + Bytes.toStringBinary(Bytes.toBytes(9L)) + "]");
      assertThat(region.daemons().takenAggregates()).isNotEmpty();
    }
  }

  /** Counts scanners that have been opened and not closed. */
  public static final class OpenScanners implements RegionCoprocessor, RegionObserver {
    private static int opened;
    private static int open;

    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @Override
    public RegionScanner postScannerOpen(
        ObserverContext<RegionCoprocessorEnvironment> context, Scan scan, RegionScanner scanner) {
      opened++;
      open++;
      return scanner;
    }

    @Override
    public void postScannerClose(
        ObserverContext<RegionCoprocessorEnvironment> context, InternalScanner scanner) {
      open--;
    }
  }

  @Test
  void whoIsToldThatAScannerOpensIsToldThatItCloses() throws Exception {
    try (LocalRegion region = open(0)) {
      region.answerAggregates(OpenScanners.class);
      put(region, 10, 1);
      region.region().flush(true);
      put(region, 10, 2);
      for (String method : AggregateMessages.METHODS) {
        int before = OpenScanners.opened;
        got(region, method, LongColumnInterpreter.class, new Scan().addFamily(FAMILY));
        assertThat(OpenScanners.opened).as(method).isGreaterThan(before);
        assertThat(OpenScanners.open).as(method).isZero();
      }
    }
  }

  /** Its connection stays, and it has given up. */
  @Test
  void endsWhenItsCallerWaitsNoLonger() throws Exception {
    try (LocalRegion region = open(0)) {
      put(region, 200, 1);
      region.region().flush(true);
      long[] deadline = {Long.MAX_VALUE};
      region.daemons().takenAggregates();
      region.daemons().afterNextAggregate(() -> deadline[0] = System.currentTimeMillis() - 1);
      RpcServer.setCurrentCall(callUntil(deadline));
      try {
        assertThatThrownBy(
                () ->
                    region.aggregate(
                        "GetRowNum",
                        LongColumnInterpreter.class.getName(),
                        new Scan().addFamily(FAMILY),
                        LocalRegion.IN_STORAGE))
            .isInstanceOf(TimeoutIOException.class);
      } finally {
        RpcServer.unsetCurrentCall();
      }
      assertThat(region.daemons().takenAggregates()).hasSize(1);
    }
  }

  /** A client's call, of which is known until when it waits. */
  private static RpcCall callUntil(long[] deadline) {
    return (RpcCall)
        Proxy.newProxyInstance(
            RpcCall.class.getClassLoader(),
            new Class<?>[] {RpcCall.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getDeadline" -> deadline[0];
                  case "disconnectSince" -> -1L;
                  case "getRequestUser" -> Optional.empty();
                  default -> null;
                });
  }

  /** Every so many rows' value, each in a row of its own. */
  private static void put(LocalRegion region, int rows, int step) throws IOException {
    for (int row = 0; row < rows; row++) {
      if (row % step == 0) {
        region
            .region()
            .put(
                new Put(Bytes.toBytes(String.format("row%05d", row)))
                    .addColumn(FAMILY, qualifier(0), Bytes.toBytes((long) row * step)));
      }
    }
  }

  private void change(LocalRegion region) throws IOException {
    switch (random.nextInt(12)) {
      case 0 -> region.region().flush(true);
      case 1 -> region.region().compact(random.nextInt(4) == 0);
      case 2, 3 -> region.region().delete(delete());
      default -> {
        for (int i = random.nextInt(12); i >= 0; i--) {
          region.region().put(put());
        }
      }
    }
  }

  private byte[] row() {
    return Bytes.toBytes(String.format("row%03d", random.nextInt(ROWS)));
  }

  private long timestamp() {
    // Some have expired where there is a TTL.
    return firstTimestamp - (random.nextInt(5) == 0 ? 3_600_000 : 0) + random.nextInt(8);
  }

  /** Decimals stand in column d alone, for HBase's interpreter fails at what is none. */
  private static byte[] qualifier(int number) {
    return Bytes.toBytes(number == 3 ? "d" : "q" + number);
  }

  private Put put() {
    Put put = new Put(row());
    if (random.nextInt(10) == 0) {
      put.setTTL(1_200_000);
    }
    for (int i = random.nextInt(3); i >= 0; i--) {
      int column = random.nextInt(4);
      put.addColumn(FAMILY, qualifier(column), timestamp(), column == 3 ? decimal() : value());
    }
    return put;
  }

  private byte[] decimal() {
    int scale = random.nextInt(200) == 0 ? 5_000 : random.nextInt(6) - 2;
    // Some are equal numbers of other scales.
    int unscaled = random.nextBoolean() ? random.nextInt(100_000) : 0;
    return Bytes.toBytes(new BigDecimal(BigInteger.valueOf(unscaled), scale));
  }

  private byte[] value() {
    return random.nextInt(5) == 0
        ? new byte[random.nextInt(12)]
        : Bytes.toBytes(random.nextInt(3) == 0 ? random.nextLong() : random.nextInt(50));
  }

  private Delete delete() {
    Delete delete = new Delete(row());
    byte[] qualifier = qualifier(random.nextInt(4));
    return switch (random.nextInt(4)) {
      case 0 -> delete.addColumn(FAMILY, qualifier, timestamp());
      case 1 -> delete.addColumns(FAMILY, qualifier, timestamp());
      case 2 -> delete.addFamily(FAMILY, timestamp());
      default -> delete.addFamilyVersion(FAMILY, timestamp());
    };
  }

  private Scan scan(boolean ofDecimals) throws IOException {
    Scan scan = new Scan();
    if (random.nextBoolean()) {
      scan.withStartRow(row(), random.nextBoolean());
    }
    if (random.nextBoolean()) {
      scan.withStopRow(row(), random.nextBoolean());
    }
    scan.addFamily(FAMILY);
    if (ofDecimals) {
      scan.addColumn(FAMILY, qualifier(3));
    } else {
      for (int i = random.nextInt(3); i > 0; i--) {
        scan.addColumn(FAMILY, qualifier(random.nextInt(4)));
      }
    }
    if (random.nextBoolean()) {
      scan.readVersions(1 + random.nextInt(3));
    }
    if (random.nextInt(10) == 0) {
      scan.setFilter(
          new QualifierFilter(CompareOperator.GREATER, new BinaryComparator(qualifier(0))));
    }
    return scan;
  }

  private void compare(LocalRegion region) throws Exception {
    List<String> methods = AggregateMessages.METHODS;
    String method = methods.get(random.nextInt(random.nextInt(4) == 0 ? methods.size() : 4));
    Class<?> interpreter = INTERPRETERS.get(random.nextInt(INTERPRETERS.size()));
    Scan scan = scan(interpreter == BigDecimalColumnInterpreter.class);
    boolean changes = random.nextInt(3) == 0;
    if (!changes && random.nextInt(4) == 0) {
      // Which files' delete markers count depends on the files then.
      scan.setTimeRange(firstTimestamp, firstTimestamp + 1 + random.nextInt(8));
    }
    String wanted = wanted(region, method, interpreter, scan);
    region.daemons().takenAggregates();
    for (int i = random.nextInt(4); i > 0; i--) {
      region.daemons().nextAggregates(AggregateFault.NONE);
    }
    AggregateFault[] faults = AggregateFault.values();
    region.daemons().nextAggregates(faults[random.nextInt(faults.length)]);
    if (changes) {
      region.daemons().afterNextAggregate(() -> change(region));
    }
    asked++;
    assertThat(got(region, method, interpreter, scan))
        .as("%s of %s with %s", method, scan, interpreter)
        .isEqualTo(wanted);
    List<Aggregate> taken = region.daemons().takenAggregates();
    answered += taken.size();
    fellBack += taken.stream().anyMatch(one -> one.fault() != AggregateFault.NONE) ? 1 : 0;
    region.daemons().taken();
    region.forgetFailures();
  }

  private String got(LocalRegion region, String method, Class<?> interpreter, Scan scan) {
    try {
      return text(
          region.aggregate(method, interpreter.getName(), new Scan(scan), LocalRegion.IN_STORAGE));
    } catch (IOException e) {
      return "fails";
    }
  }

  private static String text(Message response) {
    ByteString second = AggregateMessages.second(response);
    return AggregateMessages.first(response).stream()
            .map(part -> Bytes.toStringBinary(part.toByteArray()))
            .toList()
        + (second == null ? "" : " " + Bytes.toStringBinary(second.toByteArray()));
  }

  /** By the rows of a stock scan, or, of what only HBase's scanner decides, by the endpoint. */
  private String wanted(LocalRegion region, String method, Class<?> type, Scan scan)
      throws Exception {
    if (method.equals("GetAvg") || method.equals("GetStd") || method.equals("GetMedian")) {
      try {
        return text(region.aggregate(method, type.getName(), new Scan(scan), LocalRegion.STOCK));
      } catch (IOException e) {
        return "fails";
      }
    }
    if (method.equals("GetRowNum")) {
      long rows = region.scan(withoutFirstColumn(scan), LocalRegion.STOCK).size();
      return "[" + Bytes.toStringBinary(Bytes.toBytes(rows)) + "]";
    }
    return wanted(
        method,
        (ColumnInterpreter<?, ?, ?, ?, ?>) type.getDeclaredConstructor().newInstance(),
        region.scan(new Scan(scan), LocalRegion.STOCK));
  }

  private static Scan withoutFirstColumn(Scan asked) throws IOException {
    Scan scan = new Scan(asked);
    NavigableSet<byte[]> columns = scan.getFamilyMap().get(FAMILY);
    if (columns != null && !columns.isEmpty()) {
      NavigableSet<byte[]> others = new TreeSet<>(columns);
      others.pollFirst();
      scan.addFamily(FAMILY);
      others.forEach(column -> scan.addColumn(FAMILY, column));
    }
    return scan;
  }

  private static <T, S> String wanted(
      String method, ColumnInterpreter<T, S, ?, ?, ?> interpreter, List<List<Cell>> rows)
      throws IOException {
    List<T> values = new ArrayList<>();
    for (List<Cell> row : rows) {
      for (Cell cell : row) {
        T value = interpreter.getValue(FAMILY, null, cell);
        if (value != null) {
          values.add(value);
        }
      }
    }
    if (values.isEmpty()) {
      return "[]";
    }
    Message message;
    if (method.equals("GetSum")) {
      S sum = null;
      for (T value : values) {
        sum = interpreter.add(sum, interpreter.castToReturnType(value));
      }
      message = interpreter.getProtoForPromotedType(sum);
    } else {
      T extreme = values.get(0);
      for (T value : values) {
        int order = interpreter.compare(value, extreme);
        extreme = (method.equals("GetMin") ? order < 0 : order > 0) ? value : extreme;
      }
      message = interpreter.getProtoForCellType(extreme);
    }
    return "[" + Bytes.toStringBinary(message.toByteArray()) + "]";
  }
}
