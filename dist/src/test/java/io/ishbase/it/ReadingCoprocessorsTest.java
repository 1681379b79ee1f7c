package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Reason;
import io.ishbase.plugin.metrics.InStorageMetrics;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
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
import org.apache.hadoop.hbase.io.FSDataInputStreamWrapper;
import org.apache.hadoop.hbase.io.HalfStoreFileReader;
import org.apache.hadoop.hbase.io.Reference;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileInfo;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.io.hfile.ReaderContext;
import org.apache.hadoop.hbase.io.hfile.ReaderContextBuilder;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.StoreFileInfo;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.regionserver.querymatcher.DeleteTracker;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Coprocessors that have a part in how a store is read. */
class ReadingCoprocessorsTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] QUALIFIER = Bytes.toBytes("q");
  private static final byte[] FIRST_HIDDEN = row(80);
  private static final int ROWS = 100;

  private static MiniCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = MiniCluster.start(conf -> conf.setLong("ishbase.cache.bytes", 16 << 20));
    cluster.startDaemons();
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  private static byte[] row(int number) {
    return Bytes.toBytes(String.format("row%03d", number));
  }

  private static TableName create(String name, Class<? extends RegionCoprocessor> coprocessor)
      throws IOException {
    TableName table = TableName.valueOf(name);
    TableDescriptorBuilder builder =
        TableDescriptorBuilder.newBuilder(table)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
            .setValue(MiniCluster.READ, MiniCluster.IN_STORAGE);
    if (coprocessor != null) {
      builder.setCoprocessor(coprocessor.getName());
    }
    cluster.util.getAdmin().createTable(builder.build());
    return table;
  }

  private static void putAll(TableName name, String value) throws IOException {
    try (Table table = cluster.connection().getTable(name)) {
      List<Put> puts = new ArrayList<>();
      for (int i = 0; i < ROWS; i++) {
        puts.add(new Put(row(i)).addColumn(FAMILY, QUALIFIER, Bytes.toBytes(value + i)));
      }
      table.put(puts);
    }
    cluster.util.getAdmin().flush(name);
  }

  private static List<String> scan(Table table, Scan scan) throws IOException {
    List<String> rows = new ArrayList<>();
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) {
        rows.add(Bytes.toString(result.getRow()) + "=" + Bytes.toString(result.value()));
      }
    }
    return rows;
  }

  private static List<String> gets(Table table, String mode) throws IOException {
    List<Get> gets = new ArrayList<>();
    List<String> values = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      gets.add(MiniCluster.in(mode, new Get(row(i))));
      values.add(Bytes.toString(table.get(MiniCluster.in(mode, new Get(row(i)))).value()));
    }
    for (Result result : table.get(gets)) {
      values.add(Bytes.toString(result.value()));
    }
    return values;
  }

  /** Reads of every kind see what stock reads see, twice: the second may come from the cache. */
  private static void check(TableName name, int visible) throws IOException {
    try (Table table = cluster.connection().getTable(name)) {
      for (int time = 0; time < 2; time++) {
        for (boolean reversed : new boolean[] {false, true}) {
          Scan inStorage = MiniCluster.in(MiniCluster.IN_STORAGE, new Scan());
          Scan stock = MiniCluster.in("stock", new Scan());
          assertThat(scan(table, inStorage.setReversed(reversed)))
              .isEqualTo(scan(table, stock.setReversed(reversed)))
              .hasSize(visible);
        }
        assertThat(gets(table, MiniCluster.IN_STORAGE)).isEqualTo(gets(table, "stock"));
      }
    }
  }

  @Test
  void aReaderOfACoprocessorIsNotBypassed() throws Exception {
    TableName name = create("own-reader", HidesRows.class);
    putAll(name, "a");
    long own = InStorageMetrics.get().fallbacks(Reason.OWN_READER);
    check(name, 80);
    assertThat(InStorageMetrics.get().fallbacks(Reason.OWN_READER)).isGreaterThan(own);
    putAll(name, "b");
    check(name, 80);
    assertThat(NodesBean.checkCache()).isEmpty();
  }

  /** As with Phoenix's local indexes: the halves of a file have other readers. */
  @Test
  void aReaderOfHalfAFileIsNotBypassed() throws Exception {
    TableName name = create("own-half", HidesRowsOfHalves.class);
    putAll(name, "a");
    check(name, ROWS);
    cluster.util.getAdmin().compactionSwitch(false, List.of());
    try {
      cluster.split(name, row(50));
      check(name, 80);
    } finally {
      cluster.util.getAdmin().compactionSwitch(true, List.of());
    }
  }

  /** What a flush writes goes into cached rows, but not if a coprocessor's reader hides it. */
  @Test
  void aCachedRowDoesNotShowWhatAReaderHides() throws Exception {
    TableName name = create("late", HidesRows.class);
    HidesRows.active = false;
    try {
      putAll(name, "a");
      check(name, ROWS);
      HidesRows.active = true;
      putAll(name, "b");
    } finally {
      HidesRows.active = true;
    }
    check(name, ROWS);
  }

  /** While the scanner of one read is made, a coprocessor reads other rows and other tables. */
  @Test
  void readsWithinReadsFindTheirOwnRows() throws Exception {
    TableName inner = create("inner", null);
    putAll(inner, "inner");
    TableName outer = create("outer", ReadsOthers.class);
    putAll(outer, "outer");
    try (Table table = cluster.connection().getTable(outer)) {
      // A delete marker alone makes HBase ask for a tracker in each read.
      table.delete(new Delete(row(7)));
      for (String mode : List.of("stock", MiniCluster.IN_STORAGE)) {
        for (String innerMode : List.of("stock", MiniCluster.IN_STORAGE)) {
          ReadsOthers.mode = innerMode;
          for (int time = 0; time < 3; time++) {
            ReadsOthers.found.clear();
            ReadsOthers.active = true;
            byte[] value;
            try {
              value = table.get(MiniCluster.in(mode, new Get(row(3)))).value();
            } finally {
              ReadsOthers.active = false;
            }
            assertThat(Bytes.toString(value)).isEqualTo("outer3");
            assertThat(ReadsOthers.found).containsExactly("outer5", "inner4");
          }
        }
      }
    }
  }

  /** Gives every file a reader that ends before {@link #FIRST_HIDDEN}. */
  public static class HidesRows implements RegionCoprocessor, RegionObserver {
    static volatile boolean active = true;

    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    boolean hides(Reference reference) {
      return active;
    }

    @Override
    @SuppressWarnings("deprecation") // for Phoenix only, says HBase
    public StoreFileReader preStoreFileReaderOpen(
        ObserverContext<RegionCoprocessorEnvironment> context,
        FileSystem fs,
        Path path,
        FSDataInputStreamWrapper in,
        long size,
        CacheConfig cacheConf,
        Reference reference,
        StoreFileReader reader)
        throws IOException {
      if (!hides(reference)) {
        return reader;
      }
      var conf = context.getEnvironment().getConfiguration();
      ReaderContext file =
          new ReaderContextBuilder()
              .withFileSystem(in.getHfs())
              .withFilePath(path)
              .withFileSize(size)
              .withInputStreamWrapper(in)
              .build();
      HFileInfo info = new HFileInfo(file, conf);
      StoreFileInfo named = new StoreFileInfo(conf, fs, fs.getFileStatus(path), reference);
      StoreFileReader made =
          reference == null
              ? new HidingReader(file, info, cacheConf, named, conf)
              : new HidingHalfReader(file, info, cacheConf, reference, named, conf);
      info.initMetaAndIndex(made.getHFileReader());
      return made;
    }
  }

  /** The same for halves of files only. */
  public static final class HidesRowsOfHalves extends HidesRows {
    @Override
    boolean hides(Reference reference) {
      return reference != null;
    }
  }

  private static final class HidingReader extends StoreFileReader {
    HidingReader(
        ReaderContext context,
        HFileInfo info,
        CacheConfig cacheConf,
        StoreFileInfo file,
        Configuration conf)
        throws IOException {
      super(context, info, cacheConf, file, conf);
    }

    @Override
    @SuppressWarnings("deprecation") // overridden by Phoenix, too
    public HFileScanner getScanner(boolean cacheBlocks, boolean pread, boolean isCompaction) {
      return hiding(super.getScanner(cacheBlocks, pread, isCompaction));
    }
  }

  private static final class HidingHalfReader extends HalfStoreFileReader {
    HidingHalfReader(
        ReaderContext context,
        HFileInfo info,
        CacheConfig cacheConf,
        Reference reference,
        StoreFileInfo file,
        Configuration conf)
        throws IOException {
      super(context, info, cacheConf, reference, file, conf);
    }

    @Override
    public HFileScanner getScanner(boolean cacheBlocks, boolean pread, boolean isCompaction) {
      return hiding(super.getScanner(cacheBlocks, pread, isCompaction));
    }
  }

  /** Ends before {@link #FIRST_HIDDEN}. */
  private static HFileScanner hiding(HFileScanner scanner) {
    return (HFileScanner)
        Proxy.newProxyInstance(
            HFileScanner.class.getClassLoader(),
            new Class<?>[] {HFileScanner.class},
            (proxy, method, arguments) -> {
              try {
                Object result = method.invoke(scanner, arguments);
                return method.getName().equals("getCell") && result instanceof Cell cell
                    ? shown(cell)
                    : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static Cell shown(Cell cell) {
    return Bytes.compareTo(CellUtil.cloneRow(cell), FIRST_HIDDEN) < 0 ? cell : null;
  }

  /** Reads another row of the region, and a row of another table, while a read is being set up. */
  public static final class ReadsOthers implements RegionCoprocessor, RegionObserver {
    static final List<String> found = new ArrayList<>();
    static volatile boolean active;
    static volatile String mode;

    @Override
    public Optional<RegionObserver> getRegionObserver() {
      return Optional.of(this);
    }

    @Override
    @SuppressWarnings("deprecation") // the only hook between the setup of a read and its scanners
    public DeleteTracker postInstantiateDeleteTracker(
        ObserverContext<RegionCoprocessorEnvironment> context, DeleteTracker tracker)
        throws IOException {
      if (active) {
        active = false;
        read(context.getEnvironment().getRegion(), 5);
        read(cluster.regions(TableName.valueOf("inner")).get(0), 4);
      }
      return tracker;
    }

    private static void read(Region region, int row) throws IOException {
      Result result = region.get(MiniCluster.in(mode, new Get(row(row))));
      found.add(Bytes.toString(result.value()));
    }
  }
}
