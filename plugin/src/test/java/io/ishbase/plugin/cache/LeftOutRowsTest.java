package io.ishbase.plugin.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.plugin.hbase.RowLimit;
import io.ishbase.plugin.scan.FilterPushdown;
import io.ishbase.plugin.scan.LocalFilter;
import io.ishbase.plugin.scan.ReadSpec;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.*;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CollectionBackedScanner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeftOutRowsTest {
  private static final byte[] FAMILY = CachedRegion.FAMILY;
  private static final FilterPushdown FILTERS = new FilterPushdown(List.of());
  private static final long READ_POINT = 100;

  @TempDir Path directory;

  private boolean isUnchanged = true;

  private static ScanInfo family(int versions) {
    return new ScanInfo(
        new Configuration(false),
        CachedRegion.family().setMaxVersions(versions).build(),
        Long.MAX_VALUE,
        0,
        CellComparator.getInstance());
  }

  private static KeyValue put(String row, String column, long timestamp, String value) {
    KeyValue put =
        new KeyValue(
            Bytes.toBytes(row), FAMILY, Bytes.toBytes(column), timestamp, Bytes.toBytes(value));
    put.setSequenceId(1);
    return put;
  }

  private static KeyValue marker(String row, KeyValue.Type type) {
    return new KeyValue(Bytes.toBytes(row), FAMILY, null, 5, type);
  }

  private static Filter value(String value) {
    return new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(Bytes.toBytes(value)));
  }

  private static Filter columnValue(String column, String value, boolean ifMissing) {
    SingleColumnValueFilter filter =
        new SingleColumnValueFilter(
            FAMILY, Bytes.toBytes(column), CompareOperator.EQUAL, Bytes.toBytes(value));
    filter.setFilterIfMissing(ifMissing);
    return filter;
  }

  private static CellsInPlace inPlace(long readPoint, List<? extends Cell> cells) {
    byte[] row = CachedRow.encode(cells);
    ByteBuffer memory = ByteBuffer.allocateDirect(row.length + 6);
    memory.put(3, row);
    return new CellsInPlace(readPoint).of(memory, 3, row.length);
  }

  private static CellsInPlace row(Cell... cells) {
    return inPlace(READ_POINT, List.of(cells));
  }

  private LeftOutRows rows(Filter filter, KeyValue... memstore) {
    return rows(new Scan().addFamily(FAMILY).setFilter(filter), 1, READ_POINT, memstore);
  }

  private LeftOutRows rows(Scan scan, int versions, long readPoint, KeyValue... memstore) {
    NavigableSet<byte[]> columns = scan.getFamilyMap().get(FAMILY);
    ReadSpec read =
        new ReadSpec(
            scan,
            RegionInfoBuilder.FIRST_META_REGIONINFO,
            family(versions),
            columns,
            null,
            readPoint,
            RowLimit.UNKNOWN,
            null,
            0,
            0,
            false,
            ReadSpec.UNCACHED);
    LocalFilter local = LocalFilter.of(read, FILTERS, true);
    if (local == null) {
      return null;
    }
    LeftOutRows rows =
        new LeftOutRows(
            local,
            read,
            List.of(new CollectionBackedScanner(new ArrayList<>(List.of(memstore)))),
            CellComparator.getInstance(),
            () -> isUnchanged);
    rows.setOldestUnexpired(0);
    return rows;
  }

  @Test
  void aRowOfWhichNothingPassesIsLeftOut() {
    LeftOutRows rows = rows(value("x"));
    assertThat(rows.leavesOut(row(put("r", "a", 1, "y"), put("r", "b", 1, "z")))).isTrue();
    assertThat(rows.leavesOut(row(put("s", "a", 1, "y"), put("s", "b", 1, "x")))).isFalse();
    assertThat(rows.leavesOut(row(put("t", "a", 2, "y"), put("t", "a", 1, "x")))).isFalse();
    assertThat(rows.leavesOut(row(marker("u", KeyValue.Type.DeleteFamily)))).isTrue();
  }

  @Test
  void onHeapItIsTheSame() {
    byte[] held = CachedRow.encode(List.of(put("r", "a", 1, "y")));
    assertThat(rows(value("x")).leavesOut(new CachedRow.Cells(held, READ_POINT))).isTrue();
    assertThat(rows(value("y")).leavesOut(new CachedRow.Cells(held, READ_POINT))).isFalse();
  }

  @Test
  void whatTheMemstoreMayHaveOfARowIsNotForgotten() {
    // The cached put hides it, and fails the filter.
    KeyValue older = put("r", "a", 1, "x");
    assertThat(rows(value("x"), older).leavesOut(row(put("r", "a", 2, "y")))).isFalse();
    assertThat(rows(value("x"), older).leavesOut(row(put("q", "a", 2, "y")))).isTrue();
    assertThat(rows(value("x"), older).leavesOut(row(put("s", "a", 2, "y"))))
        .as("behind what the memstore shows")
        .isFalse();
  }

  @Test
  void aMemstoreOfWhichAFlushMayHaveTakenTheCellsIsNotTrusted() {
    KeyValue later = put("z", "a", 1, "x");
    isUnchanged = false;
    assertThat(rows(value("x"), later).leavesOut(row(put("r", "a", 2, "y")))).isFalse();
    assertThat(rows(value("x")).leavesOut(row(put("r", "a", 2, "y"))))
        .as("it had nothing, and nothing comes that the scan sees")
        .isTrue();
    Filter byColumn = new ColumnPrefixFilter(Bytes.toBytes("b"));
    assertThat(rows(byColumn, later).leavesOut(row(put("r", "a", 2, "y")))).isTrue();
  }

  @Test
  void aFilterByColumnNeedNotKnowTheRest() {
    Filter filter = new ColumnPrefixFilter(Bytes.toBytes("b"));
    KeyValue inMemstore = put("r", "b", 1, "x");
    assertThat(rows(filter, inMemstore).leavesOut(row(put("r", "a", 2, "y")))).isTrue();
    assertThat(
            rows(filter, inMemstore)
                .leavesOut(row(marker("r", KeyValue.Type.DeleteFamily), put("r", "a", 2, "y"))))
        .as("the marker hides what the memstore has")
        .isFalse();
    assertThat(
            rows(new RowFilter(CompareOperator.NOT_EQUAL, new BinaryComparator(Bytes.toBytes("r"))))
                .leavesOut(row(marker("r", KeyValue.Type.DeleteFamily), put("r", "a", 2, "y"))))
        .isTrue();
  }

  @Test
  void aFilterByRowIsAskedAboutSimpleRowsOnly() {
    LeftOutRows rows = rows(columnValue("a", "x", true));
    assertThat(rows.leavesOut(row(put("r", "a", 2, "y"), put("r", "b", 2, "x")))).isTrue();
    assertThat(rows.leavesOut(row(put("s", "a", 2, "x")))).isFalse();
    assertThat(rows.leavesOut(row(put("t", "b", 2, "x")))).isTrue();
    assertThat(rows.leavesOut(row(put("u", "a", 2, "y"), put("u", "a", 1, "y")))).isFalse();
    assertThat(rows.leavesOut(row(marker("v", KeyValue.Type.DeleteFamily), put("v", "a", 2, "y"))))
        .isFalse();
    assertThat(rows(columnValue("a", "x", false)).leavesOut(row(put("t", "b", 2, "x")))).isFalse();
    rows.setOldestUnexpired(2);
    assertThat(rows.leavesOut(row(put("w", "a", 1, "y")))).as("expired").isFalse();
    assertThat(rows.leavesOut(row(put("w", "a", 2, "y")))).isTrue();
    Scan early = new Scan().addFamily(FAMILY).setFilter(columnValue("a", "x", false));
    early.setTimestamp(1);
    assertThat(rows(early, 1, READ_POINT).leavesOut(row(put("r", "a", 2, "y"))))
        .as("the filter is not shown it")
        .isFalse();
  }

  @Test
  void columnsThatWereNotAskedForDoNotCount() {
    Scan scan = new Scan().addColumn(FAMILY, Bytes.toBytes("b")).setFilter(value("x"));
    LeftOutRows rows = rows(scan, 1, READ_POINT);
    assertThat(rows.leavesOut(row(put("r", "a", 2, "x"), put("r", "b", 2, "y")))).isTrue();
    assertThat(rows.leavesOut(row(put("s", "c", 2, "x")))).isTrue();
    assertThat(rows.leavesOut(row(put("t", "b", 2, "x")))).isFalse();
  }

  @Test
  void whatIsBeyondTheReadPointIsNotSeen() {
    KeyValue newer = put("r", "a", 3, "x");
    newer.setSequenceId(READ_POINT + 1);
    assertThat(rows(value("x")).leavesOut(row(newer, put("r", "a", 2, "y")))).isTrue();
    assertThat(rows(value("y")).leavesOut(row(newer))).as("the caller finds it empty").isFalse();
  }

  @Test
  void whoReadsWhatIsNotCommittedJudgesByColumnOnly() {
    Scan scan = new Scan().addFamily(FAMILY).setFilter(value("x"));
    assertThat(rows(scan, 1, Long.MAX_VALUE)).isNull();
    scan.setFilter(new ColumnPrefixFilter(Bytes.toBytes("b")));
    assertThat(rows(scan, 1, Long.MAX_VALUE).leavesOut(row(put("r", "a", 2, "y")))).isTrue();
  }

  /** Not one of HBase's. */
  public static final class Foreign extends FilterBase {
    @Override
    public ReturnCode filterCell(Cell cell) {
      return ReturnCode.SKIP;
    }

    @Override
    public byte[] toByteArray() {
      return new byte[0];
    }
  }

  @Test
  void filtersThatMayKeepCellsAreNotShownThem() {
    assertThat(rows(new Foreign())).isNull();
    assertThat(rows(new WhileMatchFilter(value("x")))).isNull();
    // It may take hours, and the cache would have no memory for others meanwhile.
    Filter endless = new ValueFilter(CompareOperator.EQUAL, new RegexStringComparator("(a+)+?b"));
    assertThat(rows(endless)).isNull();
    assertThat(rows(new FilterList(value("x"), new SkipFilter(endless)))).isNull();
    FilterPushdown declares = new FilterPushdown(List.of(Foreign.class.getName()));
    ReadSpec read =
        new ReadSpec(
            new Scan().addFamily(FAMILY).setFilter(new Foreign()),
            RegionInfoBuilder.FIRST_META_REGIONINFO,
            family(1),
            null,
            null,
            READ_POINT,
            RowLimit.UNKNOWN,
            null,
            0,
            0,
            false,
            ReadSpec.UNCACHED);
    assertThat(LocalFilter.of(read, declares, true)).isNull();
  }

  @Test
  void someRowsAreShownWhateverTheyHold() {
    LeftOutRows rows = rows(value("x"));
    for (int i = 0; i < 3 * (LeftOutRows.MOST + 1); i++) {
      assertThat(rows.leavesOut(row(put("r" + i, "a", 2, "y"))))
          .as("row %d", i)
          .isEqualTo(i % (LeftOutRows.MOST + 1) != LeftOutRows.MOST);
    }
  }

  @Test
  void theRowAtWhichAFilterEndsTheScanIsShown() {
    LeftOutRows rows = rows(new PrefixFilter(Bytes.toBytes("m")));
    assertThat(rows.leavesOut(row(put("a", "a", 2, "y")))).isTrue();
    assertThat(rows.leavesOut(row(put("m1", "a", 2, "y")))).isFalse();
    assertThat(rows.leavesOut(row(put("z", "a", 2, "y")))).as("behind the prefix").isFalse();
    rows.restart();
    assertThat(rows.leavesOut(row(put("a", "a", 2, "y")))).as("once more").isTrue();
  }

  @Test
  void aFilterThatFailsLeavesNothingOut() {
    LeftOutRows rows =
        rows(new ValueFilter(CompareOperator.EQUAL, new BigDecimalComparator(BigDecimal.ONE)));
    assertThat(rows.leavesOut(row(put("r", "a", 2, "y")))).as("no number").isFalse();
    byte[] two = Bytes.toBytes(new BigDecimal(2));
    assertThat(rows.leavesOut(row(new KeyValue(Bytes.toBytes("s"), FAMILY, FAMILY, 2, two))))
        .as("after it failed")
        .isFalse();
  }

  @Test
  void whatIsNoRowIsSaidToBeNone() {
    byte[] row = CachedRow.encode(List.of(put("r", "a", 1, "y")));
    Random random = new Random(Seed.get());
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] bent = row.clone();
      bent[random.nextInt(bent.length)] = (byte) random.nextInt();
      int length = random.nextInt(4) == 0 ? random.nextInt(bent.length + 1) : bent.length;
      ByteBuffer memory = ByteBuffer.allocateDirect(length).put(0, bent, 0, length);
      try {
        CellsInPlace cells = new CellsInPlace(Long.MAX_VALUE).of(memory, 0, length);
        for (Cell cell = cells.next(); cell != null; cell = cells.next()) {
          // Would end the JVM, or throw, if a length led out of the memory.
          CellUtil.cloneRow(cell);
          CellUtil.cloneFamily(cell);
          CellUtil.cloneQualifier(cell);
          CellUtil.cloneValue(cell);
          PrivateCellUtil.cloneTags(cell);
        }
      } catch (IllegalStateException e) {
        refused++;
      }
    }
    assertThat(refused).isPositive();
    byte[] half = Arrays.copyOf(row, row.length / 2);
    CellsInPlace cells = new CellsInPlace(Long.MAX_VALUE).of(ByteBuffer.wrap(half), 0, half.length);
    LeftOutRows rows = rows(value("x"));
    assertThatThrownBy(() -> rows.leavesOut(cells)).isInstanceOf(IllegalStateException.class);
  }

  private static final String[] COLUMNS = {"a", "ab", "b"};

  /** Writes a row, to be done in any region, and gives its name. */
  private static String write(Random random, int rows, CachedRegion... regions) throws IOException {
    String row = rowOf(random.nextInt(rows));
    byte[] key = Bytes.toBytes(row);
    String name = COLUMNS[random.nextInt(COLUMNS.length)];
    byte[] column = Bytes.toBytes(name);
    long timestamp = 1 + random.nextInt(5);
    int kind = random.nextInt(12);
    String value = "" + random.nextInt(4);
    for (CachedRegion region : regions) {
      switch (kind) {
        case 0 -> region.delete(new Delete(key).addColumns(FAMILY, column, timestamp));
        case 1 -> region.delete(new Delete(key).addColumn(FAMILY, column, timestamp));
        case 2 -> region.delete(new Delete(key).addFamily(FAMILY, timestamp));
        default -> region.put(row, name, timestamp, value);
      }
    }
    return row;
  }

  private static String rowOf(int number) {
    return String.format("r%03d", number);
  }

  private static Filter random(Random random, int depth) {
    CompareOperator operator =
        random.nextBoolean() ? CompareOperator.EQUAL : CompareOperator.NOT_EQUAL;
    String column = COLUMNS[random.nextInt(COLUMNS.length)];
    String value = "" + random.nextInt(4);
    return switch (random.nextInt(depth > 0 ? 13 : 10)) {
      case 0, 1 -> new ValueFilter(operator, new BinaryComparator(Bytes.toBytes(value)));
      case 2 -> {
        SingleColumnValueFilter filter =
            random.nextBoolean()
                ? new SingleColumnValueFilter(
                    FAMILY, Bytes.toBytes(column), operator, Bytes.toBytes(value))
                : new SingleColumnValueExcludeFilter(
                    FAMILY, Bytes.toBytes(column), operator, Bytes.toBytes(value));
        filter.setFilterIfMissing(random.nextBoolean());
        filter.setLatestVersionOnly(random.nextBoolean());
        yield filter;
      }
      case 3 ->
          new ColumnValueFilter(FAMILY, Bytes.toBytes(column), operator, Bytes.toBytes(value));
      case 4 ->
          new SkipFilter(new ValueFilter(operator, new BinaryComparator(Bytes.toBytes(value))));
      case 5 -> new QualifierFilter(operator, new BinaryComparator(Bytes.toBytes(column)));
      case 6 -> new ColumnPrefixFilter(Bytes.toBytes(column));
      case 7 -> new RowFilter(operator, new BinaryPrefixComparator(Bytes.toBytes("r0" + value)));
      case 8 -> new TimestampsFilter(List.of(1L + random.nextInt(5), 1L + random.nextInt(5)));
      case 9 -> random.nextBoolean() ? new KeyOnlyFilter() : new FirstKeyOnlyFilter();
      case 10 -> new PageFilter(1 + random.nextInt(20));
      default -> {
        FilterList.Operator of =
            random.nextBoolean()
                ? FilterList.Operator.MUST_PASS_ALL
                : FilterList.Operator.MUST_PASS_ONE;
        List<Filter> members = new ArrayList<>();
        for (int i = 0; i <= 1 + random.nextInt(2); i++) {
          members.add(random(random, depth - 1));
        }
        yield new FilterList(of, members);
      }
    };
  }

  /** HBase returns the same where the files do not have the rows that are left out. */
  @Test
  void noRowIsLeftOutThatMakesADifference() throws IOException {
    Random random = new Random(Seed.get());
    int leftOut = 0;
    for (int versions = 1; versions <= 2; versions++) {
      int rows = 80;
      ColumnFamilyDescriptorBuilder family = CachedRegion.family().setMaxVersions(versions);
      try (CachedRegion region = new CachedRegion(directory.resolve("a" + versions), family);
          CachedRegion withoutFiles = new CachedRegion(directory.resolve("b" + versions), family)) {
        for (int i = 0; i < 4 * rows; i++) {
          write(random, rows, region);
        }
        region.flush();
        Map<String, List<KeyValue>> files = new TreeMap<>();
        for (int i = 0; i < rows; i++) {
          files.put(rowOf(i), region.stored(rowOf(i)));
        }
        Set<String> written = new TreeSet<>();
        for (int i = 0; i < rows / 2; i++) {
          written.add(write(random, rows, region, withoutFiles));
        }
        List<KeyValue> inMemstore = new ArrayList<>();
        for (String row : written) {
          inMemstore.addAll(region.stored(row));
        }
        files.values().removeIf(List::isEmpty);
        for (int i = 0; i < 200; i++) {
          Scan scan =
              new Scan()
                  .addFamily(FAMILY)
                  .readVersions(1 + random.nextInt(2))
                  .setFilter(random(random, 2));
          if (random.nextInt(4) == 0) {
            scan.setTimeRange(1 + random.nextInt(3), 4 + random.nextInt(3));
          }
          if (random.nextInt(4) == 0) {
            scan.addColumn(FAMILY, Bytes.toBytes(COLUMNS[random.nextInt(COLUMNS.length)]));
          }
          for (String row : leftOut(scan, versions, files, inMemstore)) {
            leftOut++;
            assertThat(returned(region, scan, row))
                .as("%s of %s", scan, region.stored(row))
                .isEqualTo(returned(withoutFiles, scan, row));
          }
        }
      }
    }
    assertThat(leftOut).as("rows that were left out").isPositive();
  }

  /**
   * Rows that are left out, one by one.
   *
   * @param inMemstore all cells of rows of which the memstore has some
   */
  private List<String> leftOut(
      Scan scan, int versions, Map<String, List<KeyValue>> files, List<KeyValue> inMemstore)
      throws IOException {
    List<String> leftOut = new ArrayList<>();
    for (Map.Entry<String, List<KeyValue>> each : files.entrySet()) {
      byte[] row = Bytes.toBytes(each.getKey());
      KeyValue[] ahead =
          inMemstore.stream()
              .filter(cell -> Bytes.compareTo(CellUtil.cloneRow(cell), row) >= 0)
              .toArray(KeyValue[]::new);
      LeftOutRows rows = rows(new Scan(scan), versions, READ_POINT, ahead);
      if (rows != null && rows.leavesOut(inPlace(Long.MAX_VALUE, each.getValue()))) {
        leftOut.add(each.getKey());
      }
    }
    return leftOut;
  }

  private static List<String> returned(CachedRegion region, Scan like, String row)
      throws IOException {
    byte[] key = Bytes.toBytes(row);
    Scan scan = new Scan(like).withStartRow(key).withStopRow(key, true);
    List<Cell> cells = new ArrayList<>();
    try (RegionScanner scanner = region.region().getScanner(scan)) {
      scanner.next(cells);
    }
    return cells.stream()
        .map(
            cell ->
                Bytes.toString(CellUtil.cloneQualifier(cell))
                    + "/"
                    + cell.getTimestamp()
                    + "="
                    + Bytes.toString(CellUtil.cloneValue(cell)))
        .toList();
  }
}
