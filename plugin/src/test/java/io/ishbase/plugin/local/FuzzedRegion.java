package io.ishbase.plugin.local;

import com.google.protobuf.Message;
import io.ishbase.core.Setting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.client.coprocessor.LongColumnInterpreter;
import org.apache.hadoop.hbase.filter.ParseFilter;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;

/** A region with drawn data, and reads of it whose stock answers are known. */
final class FuzzedRegion implements AutoCloseable {
  /** How a table is read, and whether what comes is cached. */
  private record Layout(int nodes, long cacheBytes, boolean packed, String[] settings) {}

  private static final String[] SMALL = {
    "ishbase.batch.first.bytes", "256", "ishbase.batch.max.bytes", "512"
  };

  private static final List<Layout> LAYOUTS =
      List.of(
          new Layout(1, 0, false, new String[0]),
          new Layout(1, 0, false, SMALL),
          new Layout(3, 0, false, SMALL),
          new Layout(1, 0, true, new String[0]),
          new Layout(2, 0, true, SMALL),
          new Layout(1, 8 << 20, false, SMALL));

  private static final List<String> FILTERS =
      List.of(
          "QualifierFilter(>, 'binary:q1')",
          "PrefixFilter('r1')",
          "ValueFilter(!=, 'substring:3')",
          "ColumnPrefixFilter('q')",
          "SingleColumnValueFilter('f','q1',>,'binary:v3')",
          "FirstKeyOnlyFilter()",
          "KeyOnlyFilter()",
          "PageFilter(3)",
          "ColumnPaginationFilter(2,1)",
          "ColumnsFrom('2', 'q1')",
          "RowFilter(=, 'regexstring:[024]') AND ValueFilter(>, 'binary:v2')");

  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] NUMBERS = Bytes.toBytes("n");
  private static final int ROWS = 30;
  private static final int READS = 80;

  /** A read as its client asks it. */
  private interface Question {
    Answer answer(String mode) throws IOException;
  }

  /**
   * What he gets.
   *
   * @param aggregate null: he did not ask for one
   */
  record Answer(List<List<Cell>> rows, Message aggregate) {}

  private record Known(Question question, Answer answer) {}

  private final LocalRegion local;
  private final boolean caches;
  private final List<Known> reads = new ArrayList<>();

  /** {@code layout} counts from 0; see {@link #layouts()}. */
  FuzzedRegion(Path directory, int layout) throws IOException {
    Layout chosen = LAYOUTS.get(layout);
    TableName name = TableName.valueOf("t" + layout);
    TableDescriptorBuilder table =
        TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                    .setMaxVersions(2)
                    .setBlocksize(256)
                    .setBloomFilterType(layout % 2 == 0 ? BloomType.ROW : BloomType.ROWCOL)
                    .setDataBlockEncoding(
                        layout == 2 ? DataBlockEncoding.FAST_DIFF : DataBlockEncoding.NONE)
                    .build());
    // Else the first lie that nobody can tell would close the store to storage nodes.
    table.setValue(Setting.VERIFY_SHARE.key(), "0");
    for (int i = 0; i < chosen.settings().length; i += 2) {
      table.setValue(chosen.settings()[i], chosen.settings()[i + 1]);
    }
    local =
        new LocalRegion(
            directory,
            RegionInfoBuilder.newBuilder(name).build(),
            table.build(),
            chosen.nodes(),
            false,
            chosen.cacheBytes());
    caches = chosen.cacheBytes() > 0;
    if (chosen.packed()) {
      local.daemons().pack();
    }
    local.answerAggregates();
    SpreadFileSystem.keepInMemory();
    MoreFilters.register();
    // All of a layout's runs are about the same data.
    Random random = new Random(layout);
    fill(random);
    while (reads.size() < READS) {
      add(random);
    }
    local.daemons().taken();
  }

  static int layouts() {
    return LAYOUTS.size();
  }

  private static byte[] row(int row) {
    return Bytes.toBytes("r" + row);
  }

  private static byte[] column(int column) {
    return Bytes.toBytes("q" + column);
  }

  private void fill(Random random) throws IOException {
    for (int file = 0; file < 4; file++) {
      for (int i = 0; i < 2 * ROWS; i++) {
        byte[] row = row(random.nextInt(ROWS));
        byte[] column = column(random.nextInt(4));
        long timestamp = 1 + random.nextInt(8);
        switch (random.nextInt(10)) {
          case 0 -> local.region().delete(new Delete(row).addColumns(FAMILY, column, timestamp));
          case 1 -> local.region().delete(new Delete(row).addFamily(FAMILY, timestamp));
          case 2 ->
              local
                  .region()
                  .put(
                      new Put(row)
                          .addColumn(FAMILY, column, timestamp, new byte[random.nextInt(300)]));
          case 3 ->
              local
                  .region()
                  .put(
                      new Put(row)
                          .addColumn(
                              FAMILY, NUMBERS, timestamp, Bytes.toBytes(random.nextInt(99) - 50L)));
          default ->
              local
                  .region()
                  .put(
                      new Put(row)
                          .addColumn(
                              FAMILY, column, timestamp, Bytes.toBytes("v" + random.nextInt(9))));
        }
      }
      // The last of it stays in the memstore.
      if (file < 3) {
        local.region().flush(true);
      }
    }
  }

  private void add(Random random) throws IOException {
    // What is drawn again is the same, and no read may change what the next one asks.
    long seed = random.nextLong();
    Question question =
        switch (random.nextInt(6)) {
          case 0, 1 -> mode -> answer(rows(local.get(get(new Random(seed)), mode)));
          case 2 -> mode -> answer(multi(new Random(seed), mode));
          case 3 -> mode -> new Answer(List.of(), aggregate(new Random(seed), mode));
          default -> mode -> answer(local.scan(scan(new Random(seed)), mode));
        };
    reads.add(new Known(question, question.answer(LocalRegion.STOCK)));
  }

  private static Answer answer(List<List<Cell>> rows) {
    return new Answer(rows, null);
  }

  private Message aggregate(Random random, String mode) throws IOException {
    String method = List.of("GetRowNum", "GetSum", "GetMin", "GetMax").get(random.nextInt(4));
    Scan scan = new Scan().addColumn(FAMILY, NUMBERS);
    if (random.nextBoolean()) {
      scan.withStartRow(row(random.nextInt(10))).withStopRow(row(20 + random.nextInt(10)));
    }
    return local.aggregate(method, LongColumnInterpreter.class.getName(), scan, mode);
  }

  private static List<List<Cell>> rows(List<Cell> row) {
    return row == null ? List.of() : List.of(row);
  }

  private List<List<Cell>> multi(Random random, String mode) throws IOException {
    List<Get> gets = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      gets.add(get(random));
    }
    return local.multiGet(gets, mode).stream()
        .map(row -> row == null ? List.<Cell>of() : row)
        .toList();
  }

  private static Get get(Random random) throws IOException {
    Get get = new Get(row(random.nextInt(ROWS)));
    if (random.nextInt(3) == 0) {
      get.addColumn(FAMILY, column(random.nextInt(4)));
    }
    if (random.nextInt(3) == 0) {
      get.readVersions(2);
    }
    return get;
  }

  private static Scan scan(Random random) throws IOException {
    Scan scan = new Scan();
    boolean reversed = random.nextInt(4) == 0;
    if (random.nextInt(3) > 0) {
      byte[] one = row(random.nextInt(ROWS));
      byte[] other = row(random.nextInt(ROWS));
      boolean ascending = Bytes.compareTo(one, other) <= 0;
      scan.withStartRow(ascending == reversed ? other : one);
      scan.withStopRow(ascending == reversed ? one : other, random.nextBoolean());
    }
    scan.setReversed(reversed);
    if (random.nextInt(3) == 0) {
      scan.addColumn(FAMILY, column(random.nextInt(4)));
    }
    if (random.nextInt(3) == 0) {
      scan.readVersions(2);
    }
    if (random.nextInt(4) == 0) {
      scan.setTimeRange(2, 6);
    }
    if (random.nextInt(4) == 0) {
      scan.setLimit(1 + random.nextInt(5));
    }
    if (random.nextInt(3) == 0) {
      scan.setFilter(
          new ParseFilter().parseFilterString(FILTERS.get(random.nextInt(FILTERS.size()))));
    }
    return scan;
  }

  int reads() {
    return reads.size();
  }

  LocalDaemons daemons() {
    return local.daemons();
  }

  /** Whether a lie may come into a cache, where it stays. */
  boolean caches() {
    return caches;
  }

  /** Nothing is cached any more, and nobody is left alone. */
  void forget() throws IOException {
    local.reopen();
    local.forgetFailures();
  }

  /** What the storage nodes give of a read. */
  Answer read(int index) throws IOException {
    local.forgetFailures();
    return reads.get(index).question().answer(LocalRegion.IN_STORAGE);
  }

  /** How that differs from what HBase gives; null: it does not. */
  String difference(int index, Answer answer) {
    Answer right = reads.get(index).answer();
    if (!Objects.equals(right.aggregate(), answer.aggregate())) {
      return answer.aggregate() + " instead of " + right.aggregate();
    }
    return difference(right.rows(), answer.rows());
  }

  private static String difference(List<List<Cell>> known, List<List<Cell>> given) {
    if (known.size() != given.size()) {
      return given.size() + " rows instead of " + known.size();
    }
    for (int row = 0; row < known.size(); row++) {
      if (!areEqual(known.get(row), given.get(row))) {
        return given.get(row) + " instead of " + known.get(row);
      }
    }
    return null;
  }

  private static boolean areEqual(List<Cell> some, List<Cell> others) {
    if (some.size() != others.size()) {
      return false;
    }
    for (int i = 0; i < some.size(); i++) {
      Cell one = some.get(i);
      Cell other = others.get(i);
      if (PrivateCellUtil.compareKeyIgnoresMvcc(CellComparatorImpl.COMPARATOR, one, other) != 0
          || !CellUtil.matchingValue(one, other)) {
        return false;
      }
    }
    return true;
  }

  List<String> faultsOfCache() {
    return local.faultsOfCache();
  }

  @Override
  public void close() throws IOException {
    local.close();
  }
}
