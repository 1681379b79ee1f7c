package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.plugin.metrics.InStorageMetrics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.ByteBufferExtendedCell;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.PackagePrivateFieldAccessor;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.BinaryPrefixComparator;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.PageFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.CellSink;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.ScanOptions;
import org.apache.hadoop.hbase.regionserver.ScanType;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionProgress;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequest;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.compactions.DefaultCompactor;
import org.apache.hadoop.hbase.regionserver.throttle.ThroughputController;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Readers for whom a cached row would be wrong: with old read points, old files, other rules, and
 * coprocessors or compactors that decide what is kept. What each sees is what it would see in the
 * store's files.
 */
class CachedReadersTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] A = Bytes.toBytes("a");
  private static final int ROWS = 200;
  private static final String WIDE = "wide";
  private static final AtomicInteger TABLES = new AtomicInteger();

  private static MiniCluster cluster;
  private TableName name;
  private Table table;

  @BeforeAll
  static void start() throws Exception {
    cluster = MiniCluster.start(conf -> conf.setLong("ishbase.cache.bytes", 16 << 20));
    cluster.startDaemons();
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  /** A table of {@value #ROWS} rows of one column in one file. */
  private void create(
      ColumnFamilyDescriptorBuilder family, Class<? extends RegionCoprocessor> coprocessor)
      throws IOException {
    name = TableName.valueOf("r" + TABLES.incrementAndGet());
    TableDescriptorBuilder descriptor =
        TableDescriptorBuilder.newBuilder(name)
            .setColumnFamily(family.build())
            .setValue(MiniCluster.READ, MiniCluster.IN_STORAGE);
    if (coprocessor != null) {
      descriptor.setCoprocessor(coprocessor.getName());
    }
    cluster.util.getAdmin().createTable(descriptor.build());
    table = cluster.connection().getTable(name);
    for (int i = 0; i < ROWS; i++) {
      put(i, 100, "old");
    }
    flush();
  }

  private void create() throws IOException {
    create(family(), null);
  }

  private static ColumnFamilyDescriptorBuilder family() {
    return ColumnFamilyDescriptorBuilder.newBuilder(FAMILY);
  }

  @AfterEach
  void dropTable() throws IOException {
    assertThat(NodesBean.checkCache()).isEmpty();
    table.close();
    cluster.util.deleteTable(name);
  }

  private static byte[] row(int number) {
    return Bytes.toBytes(String.format("row%05d", number));
  }

  private void put(int row, long timestamp, String value) throws IOException {
    table.put(new Put(row(row), timestamp).addColumn(FAMILY, A, Bytes.toBytes(value + row)));
  }

  private void putAll(long timestamp, String value) throws IOException {
    for (int i = 0; i < ROWS; i++) {
      put(i, timestamp, value);
    }
  }

  private void flush() throws IOException {
    cluster.util.getAdmin().flush(name);
  }

  private void compact() throws IOException {
    cluster.util.compact(name, true);
  }

  private HRegion region() {
    return cluster.regions(name).get(0);
  }

  private String value(int row) throws IOException {
    return Bytes.toString(table.get(new Get(row(row))).getValue(FAMILY, A));
  }

  private List<String> scan(Scan scan) throws IOException {
    try (ResultScanner scanner = table.getScanner(scan)) {
      return rest(scanner);
    }
  }

  private static List<String> rest(ResultScanner scanner) {
    List<String> values = new ArrayList<>();
    for (Result result : scanner) {
      values.add(Bytes.toString(result.getValue(FAMILY, A)));
    }
    return values;
  }

  private static List<String> values(String value, int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> value + i).toList();
  }

  private static long requests(Callable<?> read) throws Exception {
    long before = InStorageMetrics.get().requests();
    read.call();
    return InStorageMetrics.get().requests() - before;
  }

  /** What the region shows at a read point that a client, or a nonce, remembers. */
  private List<String> at(long readPoint, String mode, Scan like) throws IOException {
    Scan scan = MiniCluster.in(mode, new Scan(like));
    PackagePrivateFieldAccessor.setMvccReadPoint(scan, readPoint);
    List<String> values = new ArrayList<>();
    try (RegionScanner scanner = region().getScanner(scan)) {
      boolean more = true;
      while (more) {
        List<Cell> cells = new ArrayList<>();
        more = scanner.next(cells);
        cells.forEach(cell -> values.add(Bytes.toString(CellUtil.cloneValue(cell))));
      }
    }
    return values;
  }

  @Test
  void aScanThatIsOpenedAgainSeesWhatItsReadPointShows() throws Exception {
    create();
    assertThat(scan(new Scan())).isEqualTo(values("old", 0, ROWS));
    long readPoint = region().getMVCC().getReadPoint();
    putAll(200, "new");
    flush();
    // All of it is cached, without the old versions.
    assertThat(requests(() -> assertThat(scan(new Scan())).isEqualTo(values("new", 0, ROWS))))
        .isZero();
    assertThat(at(readPoint, MiniCluster.STOCK, new Scan())).isEqualTo(values("old", 0, ROWS));
    assertThat(at(readPoint, MiniCluster.IN_STORAGE, new Scan())).isEqualTo(values("old", 0, ROWS));
    // So does an Append or Increment that is repeated: it reads its result at its own read point.
    Scan get = new Scan(new Get(row(7)));
    assertThat(at(readPoint, MiniCluster.IN_STORAGE, get)).containsExactly("old7");
    assertThat(requests(() -> assertThat(value(7)).isEqualTo("new7"))).isZero();
  }

  @Test
  void aScanThatIsOpenedAgainAfterAMoveSeesWhatItsReadPointShows() throws Exception {
    create();
    long readPoint = region().getMVCC().getReadPoint();
    cluster.util.getAdmin().disableTable(name);
    cluster.util.getAdmin().enableTable(name);
    assertThat(scan(new Scan())).isEqualTo(values("old", 0, ROWS));
    putAll(200, "new");
    flush();
    assertThat(scan(new Scan())).isEqualTo(values("new", 0, ROWS));
    assertThat(at(readPoint, MiniCluster.IN_STORAGE, new Scan())).isEqualTo(values("old", 0, ROWS));
  }

  private static Filter isNew() {
    return new ValueFilter(CompareOperator.EQUAL, new BinaryPrefixComparator(Bytes.toBytes("new")));
  }

  private static long leftOut(Callable<?> read) throws Exception {
    long before = InStorageMetrics.get().cachedRowsLeftOut();
    read.call();
    return InStorageMetrics.get().cachedRowsLeftOut() - before;
  }

  @Test
  void aFilterJudgesCachedRowsWhereTheyLie() throws Exception {
    create();
    assertThat(scan(new Scan())).hasSize(ROWS);
    put(7, 200, "new");
    flush();
    List<Filter> filters =
        List.of(
            isNew(),
            new FilterList(isNew(), new PageFilter(10)),
            new SingleColumnValueFilter(FAMILY, A, CompareOperator.EQUAL, Bytes.toBytes("new7")));
    for (Filter filter : filters) {
      Scan scan = new Scan().setFilter(filter);
      assertThat(
              leftOut(
                  () ->
                      assertThat(requests(() -> assertThat(scan(scan)).containsExactly("new7")))
                          .isZero()))
          .as("%s", filter)
          .isGreaterThan(ROWS * 9 / 10);
      Scan stock = MiniCluster.in(MiniCluster.STOCK, new Scan(scan));
      assertThat(leftOut(() -> assertThat(scan(stock)).containsExactly("new7"))).isZero();
    }
  }

  @Test
  void whatIsInTheMemstoreOrComesOutOfItWhileAFilteredScanIsOpenIsJudgedWithTheRest()
      throws Exception {
    create();
    assertThat(scan(new Scan())).hasSize(ROWS);
    // The cached put hides it, and is none that the filter lets through.
    put(60, 50, "new");
    put(61, 200, "new");
    put(150, 50, "new");
    put(151, 200, "new");
    Scan scan = new Scan().setFilter(isNew()).setCaching(1);
    assertThat(leftOut(() -> assertThat(scan(scan)).containsExactly("new61", "new151")))
        .isPositive();
    try (ResultScanner scanner = table.getScanner(scan)) {
      assertThat(scanner.next().getValue(FAMILY, A)).isEqualTo(Bytes.toBytes("new61"));
      flush();
      // Beyond what it sees.
      put(170, 300, "new");
      flush();
      compact();
      assertThat(rest(scanner)).containsExactly("new151");
    }
    assertThat(scan(scan)).containsExactly("new61", "new151", "new170");
  }

  @Test
  void aFilteredScanUnderWhichTheCacheIsEmptiedGoesOnInItsFiles() throws Exception {
    create(family(), Onlooker.class);
    assertThat(scan(new Scan())).hasSize(ROWS);
    for (int i = 20; i < ROWS; i += 20) {
      put(i, 200, "new");
    }
    flush();
    List<String> expected =
        IntStream.iterate(20, i -> i < ROWS, i -> i + 20).mapToObj(i -> "new" + i).toList();
    Scan scan = new Scan().setFilter(isNew());
    assertThat(leftOut(() -> assertThat(scan(scan)).isEqualTo(expected))).isPositive();
    try (ResultScanner scanner = table.getScanner(new Scan(scan).setCaching(1))) {
      assertThat(scanner.next().getValue(FAMILY, A)).isEqualTo(Bytes.toBytes("new20"));
      table.delete(new Delete(row(100), 150));
      flush();
      compact();
      putAll(300, "new");
      flush();
      assertThat(scan(new Scan())).isEqualTo(values("new", 0, ROWS));
      assertThat(rest(scanner)).isEqualTo(expected.subList(1, expected.size()));
    }
  }

  /** Takes part in compactions, and changes nothing. */
  public static final class Onlooker implements RegionCoprocessor, RegionObserver {
    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @Override
    public InternalScanner preCompact(
        ObserverContext<RegionCoprocessorEnvironment> context,
        Store store,
        InternalScanner scanner,
        ScanType type,
        CompactionLifeCycleTracker tracker,
        CompactionRequest request) {
      return scanner;
    }
  }

  @Test
  void aScanThatIsOlderThanAHookedCompactionSeesItsOwnFiles() throws Exception {
    create(family(), Onlooker.class);
    assertThat(scan(new Scan())).hasSize(ROWS);
    table.delete(new Delete(row(50), 150));
    flush();
    put(50, 120, "hidden");
    try (ResultScanner scanner = table.getScanner(new Scan().setCaching(1))) {
      assertThat(scanner.next()).isNotNull();
      flush();
      compact();
      // What is cached from now on comes from the new files.
      assertThat(scan(new Scan())).hasSize(ROWS - 1);
      assertThat(rest(scanner)).hasSize(ROWS - 2).doesNotContain("hidden50").contains("old49");
    }
  }

  /** Holds up reads of a store while they are set up. */
  public static final class Latch implements RegionCoprocessor, RegionObserver {
    static volatile CountDownLatch arrived;
    static volatile CountDownLatch released;

    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @Override
    public void preStoreScannerOpen(
        ObserverContext<RegionCoprocessorEnvironment> context, Store store, ScanOptions options)
        throws IOException {
      if (options.getScan().getAttribute("held") == null) {
        return;
      }
      arrived.countDown();
      try {
        if (!released.await(1, TimeUnit.MINUTES)) {
          throw new IOException("Nobody released it");
        }
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }
  }

  private static boolean isSomebodyIn(String method, String caller) {
    return Thread.getAllStackTraces().values().stream()
        .map(Arrays::asList)
        .anyMatch(
            stack ->
                stack.stream().anyMatch(frame -> frame.getMethodName().equals(method))
                    && stack.stream().anyMatch(frame -> frame.getMethodName().equals(caller)));
  }

  @Test
  void aScanThatIsSetUpWhileACompactionWaitsForItSeesItsOwnFiles() throws Exception {
    create(family(), Latch.class);
    table.delete(new Delete(row(50), 150));
    flush();
    put(50, 120, "hidden");
    Latch.arrived = new CountDownLatch(1);
    Latch.released = new CountDownLatch(1);
    CompletableFuture<List<String>> read =
        CompletableFuture.supplyAsync(
            () -> {
              Scan held = new Scan().setCaching(1).setAttribute("held", new byte[1]);
              try (ResultScanner scanner = table.getScanner(held)) {
                List<String> values = new ArrayList<>();
                values.add(Bytes.toString(scanner.next().getValue(FAMILY, A)));
                // The compaction is through by now: the row that it changed comes into the cache.
                MiniCluster.await("the compaction", () -> storefiles() == 1);
                table.get(new Get(row(50)));
                values.addAll(rest(scanner));
                return values;
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    assertThat(Latch.arrived.await(1, TimeUnit.MINUTES)).isTrue();
    cluster.util.getAdmin().majorCompact(name);
    MiniCluster.await(
        "the compaction to wait for the scan",
        () -> isSomebodyIn("writeLock", "replaceStoreFiles"));
    Latch.released.countDown();
    assertThat(read.get(2, TimeUnit.MINUTES))
        .hasSize(ROWS - 1)
        .doesNotContain("hidden50")
        .contains("old49", "old51");
  }

  private int storefiles() {
    return region().getStore(FAMILY).getStorefilesCount();
  }

  /** Shows what has expired and versions beyond the maximum to whoever says so. */
  public static final class Wide implements RegionCoprocessor, RegionObserver {
    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @Override
    public void preStoreScannerOpen(
        ObserverContext<RegionCoprocessorEnvironment> context, Store store, ScanOptions options) {
      if (options.getScan().getAttribute(WIDE) != null) {
        options.setTTL(Long.MAX_VALUE);
        options.setMaxVersions(Integer.MAX_VALUE);
        options.setKeepDeletedCells(KeepDeletedCells.TRUE);
      }
    }
  }

  private void bulkLoad() throws IOException {
    Configuration conf = cluster.util.getConfiguration();
    Path family = new Path(cluster.util.getDataTestDirOnTestFS("bulk" + name), "f");
    try (HFile.Writer writer =
        HFile.getWriterFactory(conf, new CacheConfig(conf))
            .withPath(family.getFileSystem(conf), new Path(family, "x"))
            .withFileContext(new HFileContextBuilder().build())
            .create()) {
      for (int i = 0; i < ROWS; i++) {
        writer.append(new KeyValue(row(i), FAMILY, A, 100, Bytes.toBytes("old" + i)));
      }
    }
    BulkLoadHFiles.create(conf).bulkLoad(name, family.getParent());
  }

  private static Scan wide() {
    return new Scan().readAllVersions().setAttribute(WIDE, new byte[1]);
  }

  @Test
  void aReadWithALongerTtlSeesWhatHasExpiredForOthers() throws Exception {
    create(family().setTimeToLive(3600), Wide.class);
    // Of what is in the files all has expired, but for one row.
    bulkLoad();
    put(7, System.currentTimeMillis() - 1, "new");
    flush();
    assertThat(scan(new Scan())).containsExactly("new7");
    assertThat(scan(new Scan())).containsExactly("new7");
    List<String> all = scan(MiniCluster.in(MiniCluster.STOCK, wide()));
    assertThat(all).hasSize(ROWS).contains("old6", "new7", "old8");
    assertThat(scan(wide())).isEqualTo(all);
    Get get = new Get(row(8)).readAllVersions();
    assertThat(table.get(get).isEmpty()).isTrue();
    get.setAttribute(WIDE, new byte[1]);
    assertThat(table.get(get).value()).isEqualTo(Bytes.toBytes("old8"));
  }

  /** As Phoenix reads: every read has its own rules, and none is narrower than the family's. */
  @Test
  void readsWithWiderRulesFillTheCacheAndAreServedFromIt() throws Exception {
    create(family(), Wide.class);
    assertThat(requests(() -> scan(wide()))).isPositive();
    assertThat(requests(() -> assertThat(scan(wide())).isEqualTo(values("old", 0, ROWS)))).isZero();
    assertThat(requests(() -> assertThat(scan(new Scan())).isEqualTo(values("old", 0, ROWS))))
        .isZero();
    // But not from what a flush trimmed: they see the older versions, too.
    putAll(200, "new");
    flush();
    assertThat(requests(() -> assertThat(scan(new Scan())).isEqualTo(values("new", 0, ROWS))))
        .isZero();
    Get get = new Get(row(7)).readAllVersions().setAttribute(WIDE, new byte[1]);
    assertThat(table.get(get).size()).isEqualTo(2);
  }

  /** Drops row 7, whatever HBase's rules say. */
  public static final class Dropping extends DefaultCompactor {
    public Dropping(Configuration conf, HStore store) {
      super(conf, store);
    }

    @Override
    protected boolean performCompaction(
        FileDetails fd,
        InternalScanner scanner,
        CellSink writer,
        long smallestReadPoint,
        boolean cleanSeqId,
        ThroughputController throughput,
        CompactionRequestImpl request,
        CompactionProgress progress)
        throws IOException {
      return super.performCompaction(
          fd,
          new Without(scanner),
          writer,
          smallestReadPoint,
          cleanSeqId,
          throughput,
          request,
          progress);
    }

    private record Without(InternalScanner scanner) implements InternalScanner {
      @Override
      @SuppressWarnings({"rawtypes", "unchecked"}) // as HBase declares it
      public boolean next(List result, ScannerContext context) throws IOException {
        boolean more = scanner.next(result, context);
        ((List<Cell>) result).removeIf(cell -> CellUtil.matchingRows(cell, row(7)));
        return more;
      }

      @Override
      public void close() throws IOException {
        scanner.close();
      }
    }
  }

  @Test
  void whatACompactorOfItsOwnDropsLeavesTheCache() throws Exception {
    create(
        family()
            .setConfiguration(
                "hbase.hstore.defaultengine.compactor.class", Dropping.class.getName()),
        null);
    assertThat(scan(new Scan())).hasSize(ROWS);
    put(8, 200, "new");
    flush();
    compact();
    assertThat(scan(new Scan())).hasSize(ROWS - 1).doesNotContain("old7");
    assertThat(value(7)).isNull();
  }

  /** Reads inside the region server do not say when they are done with a cell. */
  @Test
  void cellsOutliveTheirScanner() throws Exception {
    create();
    assertThat(scan(new Scan())).hasSize(ROWS);
    List<Cell> cells = new ArrayList<>();
    long requests =
        requests(
            () -> {
              try (RegionScanner scanner = region().getScanner(new Scan())) {
                while (scanner.next(cells)) {
                  assertThat(cells).isNotEmpty();
                }
              }
              try (RegionScanner scanner = region().getScanner(new Scan(new Get(row(7))))) {
                return scanner.next(cells);
              }
            });
    assertThat(requests).isZero();
    Filter other =
        new ValueFilter(CompareOperator.NOT_EQUAL, new BinaryComparator(Bytes.toBytes("old9")));
    try (RegionScanner scanner = region().getScanner(new Scan().setFilter(other))) {
      while (scanner.next(cells)) {
        assertThat(cells).isNotEmpty();
      }
    }
    assertThat(cells).hasSize(2 * ROWS).noneMatch(ByteBufferExtendedCell.class::isInstance);
    assertThat(cells).first().matches(cell -> CellUtil.matchingValue(cell, Bytes.toBytes("old0")));
  }

  /** Who may not use trimmed rows asks for all of them at once. */
  @Test
  void aScanThatPassesOverTrimmedRowsMakesFewRequests() throws Exception {
    create();
    assertThat(scan(new Scan())).hasSize(ROWS);
    putAll(200, "new");
    flush();
    Scan old = new Scan().setTimeRange(0, 200);
    assertThat(requests(() -> assertThat(scan(old)).isEqualTo(values("old", 0, ROWS))))
        .isEqualTo(1);
  }

  /** As above, where every other row is not trimmed. */
  @Test
  void aScanThatFindsNoRunInSightMakesFewRequests() throws Exception {
    create();
    assertThat(scan(new Scan())).hasSize(ROWS);
    for (int i = 0; i < ROWS; i += 2) {
      put(i, 200, "new");
    }
    flush();
    Scan old = new Scan().setTimeRange(0, 200);
    assertThat(requests(() -> assertThat(scan(old)).isEqualTo(values("old", 0, ROWS))))
        .isEqualTo(1);
  }

  @Test
  void aRowThatIsTooLongForTheCacheIsReadInParts() throws Exception {
    create();
    Put wide = new Put(row(100), 300);
    byte[] value = new byte[4 << 10];
    for (int i = 0; i < 100; i++) {
      wide.addColumn(FAMILY, Bytes.toBytes(String.format("c%03d", i)), value);
    }
    table.put(wide);
    flush();
    for (int i = 0; i < 2; i++) {
      int cells = 0;
      try (ResultScanner scanner = table.getScanner(new Scan().setBatch(10))) {
        for (Result result : scanner) {
          cells += result.size();
        }
      }
      assertThat(cells).isEqualTo(ROWS + 100);
    }
    // Its neighbours are cached, on both sides.
    Scan before = new Scan().withStopRow(row(100));
    Scan behind = new Scan().withStartRow(row(101));
    assertThat(requests(() -> assertThat(scan(before)).hasSize(100))).isZero();
    assertThat(requests(() -> assertThat(scan(behind)).hasSize(ROWS - 101))).isZero();
  }
}
