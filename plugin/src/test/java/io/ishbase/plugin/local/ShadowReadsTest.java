package io.ishbase.plugin.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.ishbase.core.Reason;
import io.ishbase.core.Setting;
import io.ishbase.plugin.local.LocalDaemons.Fault;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.regionserver.Inside;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.client.coprocessor.LongColumnInterpreter;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.RandomRowFilter;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.filter.WhileMatchFilter;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads that are answered twice, and lies that nothing else can tell from the truth. */
class ShadowReadsTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int ROWS = 6;
  private static final int COLUMNS = 4;

  @TempDir private Path directory;

  private final InStorageMetrics metrics = InStorageMetrics.get();
  private final long differencesBefore = metrics.differences();
  private final long passingBefore = metrics.passingDifferences();
  private final long verifiedBefore = metrics.verified();

  private LocalRegion region(int oneIn, long cacheBytes, int ttlSeconds) throws IOException {
    return region(oneIn, cacheBytes, ttlSeconds, 0);
  }

  private LocalRegion region(int oneIn, long cacheBytes, int ttlSeconds, int minVersions)
      throws IOException {
    TableName name = TableName.valueOf("t");
    LocalRegion region =
        new LocalRegion(
            directory,
            RegionInfoBuilder.newBuilder(name).build(),
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(
                    ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
                        .setTimeToLive(ttlSeconds)
                        .setMinVersions(minVersions)
                        .build())
                .setValue(Setting.VERIFY_SHARE.key(), Integer.toString(oneIn))
                .build(),
            1,
            false,
            cacheBytes);
    Inside.compareAtLeisure(region.region());
    for (int row = 0; row < ROWS; row++) {
      Put put = new Put(row(row));
      for (int column = 0; column < COLUMNS; column++) {
        put.addColumn(FAMILY, Bytes.toBytes("q" + column), Bytes.toBytes("v" + row + column));
      }
      region.region().put(put);
    }
    region.region().flush(true);
    region.daemons().taken();
    return region;
  }

  private LocalRegion region(int oneIn) throws IOException {
    return region(oneIn, 0, Integer.MAX_VALUE);
  }

  private static byte[] row(int row) {
    return Bytes.toBytes("r" + row);
  }

  private static List<String> text(List<List<Cell>> rows) {
    List<String> text = new ArrayList<>();
    for (List<Cell> row : rows) {
      for (Cell cell : row) {
        text.add(
            Bytes.toString(CellUtil.cloneRow(cell))
                + Bytes.toString(CellUtil.cloneQualifier(cell))
                + Bytes.toString(CellUtil.cloneValue(cell)));
      }
    }
    return text;
  }

  /** With and without a reason. */
  private long differences() {
    return blamed() + metrics.passingDifferences() - passingBefore;
  }

  private long blamed() {
    return metrics.differences() - differencesBefore;
  }

  private long verified() {
    return metrics.verified() - verifiedBefore;
  }

  @ParameterizedTest
  @EnumSource(names = {"WRONG_VALUE", "ROW_LOST", "CELL_LOST", "CELL_MORE"})
  void aGetIsAnsweredWithWhatHBaseReads(Fault lie) throws IOException {
    try (LocalRegion region = region(1)) {
      List<Cell> truth = region.get(new Get(row(1)), LocalRegion.STOCK);
      region.daemons().next(lie);
      assertThat(text(List.of(region.get(new Get(row(1)), LocalRegion.IN_STORAGE))))
          .isEqualTo(text(List.of(truth)));
      assertThat(differences()).isOne();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "WRONG_VALUE, 0", "ROW_LOST, 0", "CELL_MORE, 0",
    "WRONG_VALUE, 1", "ROW_LOST, 1", "CELL_MORE, 1",
    "WRONG_VALUE, 3", "ROW_LOST, 3", "CELL_MORE, 3"
  })
  void aScanIsAnsweredWithWhatHBaseReads(Fault lie, int batch) throws IOException {
    try (LocalRegion region = region(1)) {
      Scan scan = batch == 0 ? new Scan() : new Scan().setBatch(batch);
      List<String> truth = text(region.scan(scan, LocalRegion.STOCK));
      assertThat(truth).hasSize(ROWS * COLUMNS);
      region.daemons().next(lie);
      assertThat(text(region.scan(scan, LocalRegion.IN_STORAGE))).isEqualTo(truth);
      assertThat(differences()).isOne();
    }
  }

  /** A client takes a row that a step ends with for complete. */
  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void aRowThatLacksItsLastCellIsGivenWithIt(int batch) throws IOException {
    try (LocalRegion region = region(1)) {
      Scan scan = batch == 0 ? new Scan() : new Scan().setBatch(batch);
      List<List<Cell>> truth = region.scan(scan, LocalRegion.STOCK);
      region.daemons().next(Fault.CELL_LOST);
      List<List<Cell>> rows = region.scan(scan, LocalRegion.IN_STORAGE);
      assertThat(text(rows)).isEqualTo(text(truth));
      for (List<Cell> row : rows) {
        assertThat(row).allMatch(cell -> CellUtil.matchingRows(cell, row.get(0)));
      }
      if (batch == 0) {
        assertThat(rows).hasSameSizeAs(truth);
      }
      assertThat(differences()).isOne();
    }
  }

  /** It has seen what has been given, and goes on from there. */
  @Test
  void aFilterThatCountsRowsCountsThemOnce() throws IOException {
    try (LocalRegion region = region(1)) {
      FilterList filter =
          new FilterList(
              new ValueFilter(
                  CompareOperator.NOT_EQUAL, new BinaryComparator(Bytes.toBytes("v00"))),
              new PageFilter(3));
      Scan scan = new Scan().setFilter(filter);
      List<String> truth = text(region.scan(scan, LocalRegion.STOCK));
      assertThat(truth).hasSize(3 * COLUMNS - 1);
      assertThat(text(region.scan(scan, LocalRegion.IN_STORAGE))).isEqualTo(truth);
      assertThat(differences()).isZero();
      assertThat(verified()).isOne();
      region.daemons().next(Fault.ROW_LOST);
      assertThat(text(region.scan(scan, LocalRegion.IN_STORAGE))).isEqualTo(truth);
      assertThat(differences()).isOne();
    }
  }

  /** As filters of Phoenix are, when the scanner is there. */
  public static final class Told extends FilterBase {
    private boolean hides;

    public static Told parseFrom(byte[] bytes) {
      assertThat(bytes).isEmpty();
      return new Told();
    }

    @Override
    public byte[] toByteArray() {
      return new byte[0];
    }

    @Override
    public boolean filterRowKey(Cell cell) {
      return hides && !CellUtil.matchingRows(cell, row(1));
    }
  }

  @Test
  void aFilterIsWhatItWasToldAtTheServer() throws IOException {
    try (LocalRegion region = region(1)) {
      Told filter = new Told();
      Scan scan = new Scan().setFilter(filter);
      scan.setAttribute(Setting.READ.key(), Bytes.toBytes(LocalRegion.IN_STORAGE));
      try (RegionScanner scanner = region.region().getScanner(scan)) {
        filter.hides = true;
        assertThat(LocalRegion.next(scanner, ROWS)).hasSize(1);
      }
      assertThat(differences()).isZero();
    }
  }

  @Test
  void whatWasDeletedOfALongRowStaysSoBehindADifference() throws IOException {
    try (LocalRegion region = region(1)) {
      byte[] row = row(ROWS);
      byte[] value = new byte[64 << 10];
      Put old = new Put(row);
      Put young = new Put(row);
      for (int column = 0; column < 20; column++) {
        old.addColumn(FAMILY, Bytes.toBytes(String.format("a%02d", column)), 1, value);
        if (column < 10) {
          young.addColumn(FAMILY, Bytes.toBytes(String.format("a%02d", column)), 5, value);
        }
      }
      region.region().put(old);
      region.region().flush(true);
      region.region().delete(new Delete(row).addFamily(FAMILY, 2));
      region.region().put(young);
      region.region().flush(true);
      region.daemons().next(Fault.CELL_LOST);
      assertThat(region.get(new Get(row), LocalRegion.IN_STORAGE)).hasSize(10);
      assertThat(differences()).isOne();
    }
  }

  /** It would be compared with itself. */
  @Test
  void whatHBaseReadsAnywayIsNotCompared() throws IOException {
    try (LocalRegion region = region(1)) {
      region.preferBlocks();
      assertThat(region.get(new Get(row(1)), "auto")).hasSize(COLUMNS);
      assertThat(region.daemons().taken()).isEmpty();
      assertThat(verified()).isZero();
      assertThat(region.get(new Get(row(1)), LocalRegion.IN_STORAGE)).hasSize(COLUMNS);
      assertThat(verified()).isOne();
    }
  }

  @Test
  void theStoreIsReadOverHBasesPathForAWhile() throws IOException {
    try (LocalRegion region = region(1)) {
      region.daemons().next(Fault.WRONG_VALUE);
      region.get(new Get(row(1)), LocalRegion.IN_STORAGE);
      assertThat(region.daemons().taken()).isNotEmpty();
      assertThat(Inside.nodes(region.region()).getQuarantined())
          .anyMatch(name -> name.startsWith("reads of ") && name.endsWith("/f"));
      long fellBack = metrics.fallbacks(Reason.DIFFERENT);
      assertThat(region.get(new Get(row(2)), LocalRegion.IN_STORAGE)).hasSize(COLUMNS);
      assertThat(region.daemons().taken()).isEmpty();
      assertThat(metrics.fallbacks(Reason.DIFFERENT)).isEqualTo(fellBack + 1);
      // Settings that are read anew make no wrong cells right.
      HStore store = region.region().getStores().get(0);
      store.onConfigurationChange(store.getReadOnlyConfiguration());
      assertThat(Inside.nodes(region.region()).getQuarantined()).hasSize(1);
      Inside.nodes(region.region()).forgetFailures();
      assertThat(region.get(new Get(row(2)), LocalRegion.IN_STORAGE)).hasSize(COLUMNS);
      assertThat(region.daemons().taken()).hasSize(1);
    }
  }

  /** A difference that is gone the next moment may be what has expired between two readings. */
  @Test
  void whereCellsExpireOnlyWhatDiffersAgainIsBlamed() throws IOException {
    try (LocalRegion region = region(1, 0, 100_000)) {
      region.daemons().next(Fault.WRONG_VALUE);
      assertThat(region.get(new Get(row(1)), LocalRegion.IN_STORAGE)).hasSize(COLUMNS);
      assertThat(differences()).isOne();
      assertThat(Inside.nodes(region.region()).getQuarantined()).isEmpty();
      assertThat(blamed()).isZero();
      region.daemons().next(Fault.WRONG_VALUE, Fault.WRONG_VALUE);
      assertThat(region.get(new Get(row(1)), LocalRegion.IN_STORAGE)).hasSize(COLUMNS);
      assertThat(Inside.nodes(region.region()).getQuarantined()).hasSize(1);
      assertThat(blamed()).isOne();
      assertThat(differences()).isEqualTo(2);
    }
  }

  /** What a lie brought into the cache is not there any more when the store is read as before. */
  @Test
  void whatIsCachedIsComparedAndForgotten() throws IOException {
    try (LocalRegion region = region(2, 64 << 20, Integer.MAX_VALUE)) {
      List<String> truth = text(List.of(region.get(new Get(row(1)), LocalRegion.STOCK)));
      region.daemons().next(Fault.WRONG_VALUE);
      // The first of two reads is not compared.
      assertThat(text(List.of(region.get(new Get(row(1)), LocalRegion.IN_STORAGE))))
          .isNotEqualTo(truth);
      assertThat(region.faultsOfCache()).isNotEmpty();
      assertThat(text(List.of(region.get(new Get(row(1)), LocalRegion.IN_STORAGE))))
          .isEqualTo(truth);
      assertThat(differences()).isOne();
      region.get(new Get(row(1)), LocalRegion.IN_STORAGE);
      assertThat(region.faultsOfCache()).isEmpty();
    }
  }

  @Test
  void oneOfSoManyIsChecked() throws IOException {
    try (LocalRegion region = region(3)) {
      for (int read = 0; read < 9; read++) {
        region.get(new Get(row(read % ROWS)), LocalRegion.IN_STORAGE);
      }
      assertThat(verified()).isEqualTo(3);
      for (int read = 0; read < 9; read++) {
        region.get(new Get(row(read % ROWS)), LocalRegion.STOCK);
      }
      assertThat(verified()).isEqualTo(3);
    }
  }

  /** HBase's own scanner of either is not always right, or does not get on. */
  @Test
  void readsThatHBaseDoesOtherwiseAreNotChecked() throws IOException {
    try (LocalRegion region = region(1)) {
      region.scan(new Scan().setReversed(true), LocalRegion.IN_STORAGE);
      assertThat(verified()).isZero();
    }
  }

  /** Of its own time to live, which the family says nothing of. */
  @Test
  void aCellThatExpiresBetweenBothReadingsIsNoDifference() throws IOException {
    AtomicLong now = new AtomicLong(1_000_000);
    EnvironmentEdgeManager.injectEdge(now::get);
    try (LocalRegion region = region(1)) {
      Put put = new Put(row(1)).addColumn(FAMILY, Bytes.toBytes("q1+"), Bytes.toBytes("v1+"));
      put.setTTL(10_000);
      region.region().put(put);
      region.region().flush(true);
      try (RegionScanner scanner = region.open(new Scan(), LocalRegion.IN_STORAGE)) {
        now.addAndGet(20_000);
        assertThat(text(LocalRegion.next(scanner, Integer.MAX_VALUE)))
            .hasSize(ROWS * COLUMNS + 1)
            .contains("r1q1+v1+");
      }
      assertThat(differences()).isZero();
      assertThat(verified()).isOne();
      assertThat(Inside.nodes(region.region()).getQuarantined()).isEmpty();
    } finally {
      EnvironmentEdgeManager.reset();
    }
  }

  /** What had expired when the read began is seen for another reason, both ways. */
  @Test
  void aCellThatIsKeptThoughItIsOldMayDiffer() throws IOException {
    AtomicLong now = new AtomicLong(1_000_000);
    EnvironmentEdgeManager.injectEdge(now::get);
    try (LocalRegion region = region(1, 0, 100, 1)) {
      now.addAndGet(200_000);
      List<Cell> truth = region.get(new Get(row(1)), LocalRegion.STOCK);
      assertThat(truth).hasSize(COLUMNS);
      region.daemons().next(Fault.WRONG_VALUE, Fault.WRONG_VALUE);
      assertThat(text(List.of(region.get(new Get(row(1)), LocalRegion.IN_STORAGE))))
          .isEqualTo(text(List.of(truth)));
      assertThat(differences()).isOne();
    } finally {
      EnvironmentEdgeManager.reset();
    }
  }

  /** At no two readings of such a row the same cells have expired. */
  @Test
  void aRowWhoseCellsExpireOneAfterTheOtherIsNoDifference() throws IOException {
    int ttlSeconds = 100;
    int columns = 3000;
    AtomicLong now = new AtomicLong(1_000_000);
    EnvironmentEdgeManager.injectEdge(now::get);
    try (LocalRegion region = region(1, 0, ttlSeconds)) {
      Put put = new Put(row(ROWS));
      for (int column = 0; column < columns; column++) {
        byte[] name = Bytes.toBytes(String.format("q%04d", column));
        put.addColumn(FAMILY, name, now.get() + column, name);
      }
      region.region().put(put);
      region.region().flush(true);
      // The first cells have expired, and with each look at the clock the next one does.
      now.addAndGet(ttlSeconds * 1000L + 10);
      EnvironmentEdgeManager.injectEdge(now::incrementAndGet);
      assertThat(region.get(new Get(row(ROWS)), LocalRegion.IN_STORAGE)).isNotEmpty();
      Get first = new Get(row(ROWS)).setMaxResultsPerColumnFamily(7);
      assertThat(region.get(first, LocalRegion.IN_STORAGE)).hasSize(7);
      assertThat(differences()).isZero();
      assertThat(Inside.nodes(region.region()).getQuarantined()).isEmpty();
    } finally {
      EnvironmentEdgeManager.reset();
    }
  }

  /** Two of its kind never say the same. */
  @Test
  void readsWithAFilterThatThrowsDiceAreNotChecked() throws IOException {
    try (LocalRegion region = region(1)) {
      Filter dice = new RandomRowFilter(0.5f);
      for (Filter filter :
          List.of(
              dice,
              new SkipFilter(dice),
              new WhileMatchFilter(dice),
              new FilterList(new PageFilter(3), new FilterList(dice)))) {
        region.scan(new Scan().setFilter(filter), LocalRegion.IN_STORAGE);
      }
      assertThat(verified()).isZero();
      assertThat(differences()).isZero();
    }
  }

  /** A version that a marker brings back to light is there until a compaction. */
  @Test
  void aCompactionBetweenBothReadingsClosesNoStore() throws IOException {
    try (LocalRegion region = region(1)) {
      byte[] column = Bytes.toBytes("q0");
      for (int version = 1; version <= 2; version++) {
        region.region().put(new Put(row(ROWS)).addColumn(FAMILY, column, version, column));
        region.region().flush(true);
      }
      region.region().delete(new Delete(row(ROWS)).addColumn(FAMILY, column, 2));
      try (RegionScanner scanner = region.open(new Scan(), LocalRegion.IN_STORAGE)) {
        region.region().compact(true);
        assertThat(LocalRegion.next(scanner, Integer.MAX_VALUE)).hasSizeGreaterThanOrEqualTo(ROWS);
      }
      assertThat(Inside.nodes(region.region()).getQuarantined()).isEmpty();
    }
  }

  /** All share an answer, and nobody holds on to it. */
  @ParameterizedTest
  @ValueSource(ints = {Integer.MAX_VALUE, 100_000})
  void aGetOfACallThatDiffersLeavesTheOthersTheirAnswer(int ttlSeconds) throws IOException {
    try (LocalRegion region = region(1, 0, ttlSeconds)) {
      List<Get> gets = List.of(new Get(row(0)), new Get(row(1)), new Get(row(2)));
      List<String> truth = text(region.multiGet(gets, LocalRegion.STOCK));
      region.daemons().taken();
      region.daemons().next(Fault.WRONG_VALUE);
      assertThat(text(region.multiGet(gets, LocalRegion.IN_STORAGE))).isEqualTo(truth);
      assertThat(differences()).isOne();
      boolean isTold = ttlSeconds == Integer.MAX_VALUE;
      assertThat(Inside.nodes(region.region()).getQuarantined()).hasSize(isTold ? 1 : 0);
      // One for all of them, and one to ask for the row once more.
      assertThat(region.daemons().taken()).hasSize(2);
    }
  }

  /** Nobody needs to read the store in the time that it is closed. */
  @Test
  void whatIsCachedIsForgottenAtOnce() throws IOException {
    try (LocalRegion region = region(2, 64 << 20, Integer.MAX_VALUE)) {
      region.daemons().next(Fault.WRONG_VALUE);
      region.get(new Get(row(1)), LocalRegion.IN_STORAGE);
      region.get(new Get(row(1)), LocalRegion.IN_STORAGE);
      assertThat(differences()).isOne();
      assertThat(region.faultsOfCache()).isEmpty();
    }
  }

  /** Nobody compares what daemons count. */
  @Test
  void aStoreThatIsClosedHasNoAggregatesAtDaemonsEither() throws IOException {
    try (LocalRegion region = region(1)) {
      region.answerAggregates();
      String type = LongColumnInterpreter.class.getName();
      Scan scan = new Scan().addFamily(FAMILY);
      Message rows = region.aggregate("GetRowNum", type, scan, LocalRegion.IN_STORAGE);
      assertThat(region.daemons().takenAggregates()).hasSize(1);
      region.daemons().next(Fault.WRONG_VALUE);
      region.get(new Get(row(1)), LocalRegion.IN_STORAGE);
      assertThat(Inside.nodes(region.region()).getQuarantined()).hasSize(1);
      assertThat(region.aggregate("GetRowNum", type, scan, LocalRegion.IN_STORAGE)).isEqualTo(rows);
      assertThat(region.daemons().takenAggregates()).isEmpty();
    }
  }

  /** A coprocessor may say for how long a cell is seen. */
  @Test
  void whereCoprocessorsMakeTheRulesOnlyWhatDiffersAgainIsBlamed() throws IOException {
    AtomicLong now = new AtomicLong(1_000_000);
    EnvironmentEdgeManager.injectEdge(now::get);
    try (LocalRegion region = region(1)) {
      region.readByOtherRules();
      Scan scan = new Scan();
      scan.setAttribute(OtherRules.ATTRIBUTE, Bytes.toBytes("less-long"));
      try (RegionScanner scanner = region.open(scan, LocalRegion.IN_STORAGE)) {
        now.addAndGet(20_000);
        LocalRegion.next(scanner, Integer.MAX_VALUE);
      }
      assertThat(differences()).isOne();
      assertThat(Inside.nodes(region.region()).getQuarantined()).isEmpty();
    } finally {
      EnvironmentEdgeManager.reset();
    }
  }
}
