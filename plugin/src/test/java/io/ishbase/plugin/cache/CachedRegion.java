package io.ishbase.plugin.cache;

import io.ishbase.core.cache.RowView;
import io.ishbase.core.cache.SegmentCache;
import io.ishbase.core.cache.memory.Columns;
import io.ishbase.core.cache.memory.Pin;
import io.ishbase.testing.Seed;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.monitoring.MonitoredTask;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.MemStoreSnapshot;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.regionserver.StoreEngine;
import org.apache.hadoop.hbase.regionserver.throttle.ThroughputController;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.wal.WAL;
import org.apache.hadoop.hbase.wal.WALFactory;

/**
 * A region of HBase's on the local file system, of one family, whose store tells a segment cache of
 * what happens to its files. Nothing is read from the cache, and tests fill it: rightly or wrongly.
 */
final class CachedRegion implements AutoCloseable {
  /** Whether rows are held packed, in this run. */
  private static final boolean PACKS = new Random(Seed.get()).nextBoolean();

  static final byte[] FAMILY = Bytes.toBytes("f");

  private final SegmentCache memory = new SegmentCache(1 << 20, () -> 0);
  private final HRegion region;

  /** HBase's, but for the engine of its stores. */
  public static final class CachingRegion extends HRegion {
    private volatile Closeable readWhileFlushing = () -> {};

    /** As HBase makes it. */
    @SuppressWarnings("deprecation") // HRegion.newHRegion calls it by reflection
    public CachingRegion(
        org.apache.hadoop.fs.Path tableDirectory,
        WAL wal,
        FileSystem fs,
        Configuration conf,
        RegionInfo region,
        TableDescriptor table,
        RegionServerServices services) {
      super(tableDirectory, wal, fs, conf, region, table, services);
    }

    @Override
    protected HStore instantiateHStore(ColumnFamilyDescriptor family, boolean warmup)
        throws IOException {
      return new HStore(this, family, conf, warmup) {
        @Override
        protected StoreEngine<?, ?, ?, ?> createStoreEngine(
            HStore store, Configuration storeConf, CellComparator comparator) throws IOException {
          return CachingStoreEngine.of(store, storeConf, comparator);
        }

        @Override
        protected List<org.apache.hadoop.fs.Path> flushCache(
            long logCacheFlushId,
            MemStoreSnapshot snapshot,
            MonitoredTask status,
            ThroughputController throughputController,
            FlushLifeCycleTracker tracker,
            Consumer<org.apache.hadoop.fs.Path> writerCreationTracker)
            throws IOException {
          List<org.apache.hadoop.fs.Path> written =
              super.flushCache(
                  logCacheFlushId,
                  snapshot,
                  status,
                  throughputController,
                  tracker,
                  writerCreationTracker);
          readWhileFlushing.close();
          return written;
        }
      };
    }
  }

  /** Opens it empty. */
  CachedRegion(Path directory, ColumnFamilyDescriptorBuilder family) throws IOException {
    this(directory, family, "", "");
  }

  /**
   * Opens it empty.
   *
   * @param start its first row; empty: none
   * @param end the first row behind it; empty: none
   */
  CachedRegion(Path directory, ColumnFamilyDescriptorBuilder family, String start, String end)
      throws IOException {
    Configuration conf = HBaseConfiguration.create();
    conf.set("fs.defaultFS", "file:///");
    conf.set("hbase.rootdir", directory.toUri().toString());
    conf.setBoolean("hbase.hregion.memstore.mslab.enabled", false);
    conf.setBoolean("hbase.regionserver.hlog.enabled", false);
    conf.set(HConstants.REGION_IMPL, CachingRegion.class.getName());
    TableName name = TableName.valueOf("t");
    RegionInfo info =
        RegionInfoBuilder.newBuilder(name)
            .setRegionId(1)
            .setStartKey(Bytes.toBytes(start))
            .setEndKey(Bytes.toBytes(end))
            .build();
    region =
        HRegion.createHRegion(
            info,
            CommonFSUtils.getRootDir(conf),
            conf,
            TableDescriptorBuilder.newBuilder(name).setColumnFamily(family.build()).build(),
            new WALFactory(conf, "local").getWAL(info));
  }

  static ColumnFamilyDescriptorBuilder family() {
    return ColumnFamilyDescriptorBuilder.newBuilder(FAMILY);
  }

  HRegion region() {
    return region;
  }

  /** What all stores share; this one's part is that of {@link #cache}. */
  SegmentCache memory() {
    return memory;
  }

  HStore store() {
    return region.getStore(FAMILY);
  }

  /**
   * A cache of the store, which hears of changes from now on.
   *
   * @param plainCompactors by which HBase's rules alone decide what is kept
   * @param longestWaitMillis of a Get for another
   */
  CachedRows cache(Set<Class<?>> plainCompactors, long longestWaitMillis) {
    CachedRows rows =
        new CachedRows(
            store(),
            memory.open("t"),
            new RowCodec("f", null, () -> PACKS),
            plainCompactors,
            longestWaitMillis);
    ((CachingStoreEngine) store().getStoreEngine()).tell(rows);
    return rows;
  }

  CachedRegion put(String row, String qualifier, long timestamp, String value) throws IOException {
    region.put(
        new Put(Bytes.toBytes(row))
            .addColumn(FAMILY, Bytes.toBytes(qualifier), timestamp, Bytes.toBytes(value)));
    return this;
  }

  void delete(Delete delete) throws IOException {
    region.delete(delete);
  }

  void flush() throws IOException {
    region.flush(true);
  }

  /** A flush beside a reader who began before it, and ends when its file is written. */
  void flushBeside(RegionScanner reader) throws IOException {
    CachingRegion flushed = (CachingRegion) region;
    flushed.readWhileFlushing = reader;
    flush();
    flushed.readWhileFlushing = () -> {};
  }

  /** All that files and memstore hold of a row. */
  List<KeyValue> stored(String row) throws IOException {
    byte[] key = Bytes.toBytes(row);
    List<KeyValue> stored = new ArrayList<>();
    Scan scan = new Scan().withStartRow(key).withStopRow(key, true).setRaw(true).readAllVersions();
    try (RegionScanner scanner = region.getScanner(scan)) {
      List<Cell> cells = new ArrayList<>();
      scanner.next(cells);
      cells.forEach(cell -> stored.add(KeyValueUtil.copyToNewKeyValue(cell)));
    }
    return stored;
  }

  /** What is cached of a row, or of some columns; null: they are not covered. */
  static List<ExtendedCell> cached(CachedRows cache, String row, String... columns) {
    return cached(cache, row, columns(columns));
  }

  static List<ExtendedCell> cached(CachedRows cache, String row, Columns columns) {
    RowView view = new RowView();
    try (Pin pin = cache.rows().pin()) {
      if (!cache.rows().peek(pin, Bytes.toBytes(row), columns, view)) {
        return null;
      }
      CachedRow.Cells cells =
          cache.codec().cells(view.copyRow(), view.copyPayload(), Long.MAX_VALUE);
      List<ExtendedCell> all = new ArrayList<>();
      for (ExtendedCell cell = cells.next(); cell != null; cell = cells.next()) {
        all.add(cell);
      }
      return all;
    }
  }

  /** What a reader sees of a column; null: nothing. */
  String value(String row, String qualifier) throws IOException {
    return Bytes.toString(
        region.get(new Get(Bytes.toBytes(row))).getValue(FAMILY, Bytes.toBytes(qualifier)));
  }

  static Columns columns(String... names) {
    return names.length == 0 ? null : Columns.of(Arrays.stream(names).map(Bytes::toBytes).toList());
  }

  @Override
  public void close() throws IOException {
    region.close();
    memory.close();
  }
}
