package io.ishbase.plugin.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.bench.Keys;
import io.ishbase.bench.TableFormat;
import io.ishbase.core.cache.CacheStats;
import io.ishbase.core.cache.SegmentCache;
import io.ishbase.core.cache.StoreCache;
import io.ishbase.core.cache.Ticket;
import io.ishbase.protocol.Dictionary;
import io.ishbase.protocol.DictionaryTrainer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.ByteBuffAllocator;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How many rows of the typical table a megabyte of cache holds, and what they take. */
class RowsPerMegabyteTest {
  private static final TableFormat TYPICAL = TableFormat.TYPICAL;
  private static final int ROWS = 60_000;
  private static final int GETS = 300_000;

  /** Bytes of a row, to those in a cache of compressed blocks. 1 is what is to be reached. */
  private static final double MOST = 1.12;

  /** A prime above any number of rows: popular rows do not lie together. */
  private static final long SCATTER = 2_147_483_647L;

  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final long BEGUN_MILLIS = 1_795_000_000_000L;

  static {
    // The default is Hadoop's, which needs a native library.
    Configuration codecs = new Configuration(false);
    codecs.set(
        "hbase.io.compress.zstd.codec", "org.apache.hadoop.hbase.io.compress.zstd.ZstdCodec");
    Compression.Algorithm.ZSTD.reload(codecs);
  }

  @TempDir Path directory;

  private static byte[] key(long row) {
    return Bytes.toBytes(String.format(Locale.ROOT, "%010d", row));
  }

  /** A row as eight thousand a second are loaded, some hundred with one sequence id. */
  private static List<KeyValue> row(long number) {
    byte[] key = key(number);
    List<KeyValue> cells = new ArrayList<>();
    for (String column : TYPICAL.columnNames()) {
      String value = TYPICAL.values().of(Bytes.toString(key), column, TYPICAL.columnBytes());
      KeyValue cell =
          new KeyValue(
              key, FAMILY, Bytes.toBytes(column), BEGUN_MILLIS + number / 8, Bytes.toBytes(value));
      cell.setSequenceId(number / 500);
      cells.add(cell);
    }
    return cells;
  }

  /** What HBase's cache of compressed blocks takes for a row. */
  private double bytesOfCompressedBlocks() throws IOException {
    Configuration conf = HBaseConfiguration.create();
    conf.setBoolean(CacheConfig.CACHE_DATA_BLOCKS_COMPRESSED_KEY, true);
    FileSystem fs = FileSystem.getLocal(conf);
    var file = new org.apache.hadoop.fs.Path(directory.toUri().getPath(), "file");
    try (HFile.Writer writer =
        HFile.getWriterFactory(conf, new CacheConfig(conf))
            .withPath(fs, file)
            .withFileContext(
                new HFileContextBuilder()
                    .withBlockSize(TYPICAL.blockBytes())
                    .withCompression(TYPICAL.codec())
                    .withDataBlockEncoding(TYPICAL.encoding())
                    .withIncludesMvcc(true)
                    .withCellComparator(CellComparatorImpl.COMPARATOR)
                    .build())
            .create()) {
      for (int number = 0; number < ROWS; number++) {
        for (KeyValue cell : row(number)) {
          writer.append(cell);
        }
      }
    }
    LruBlockCache cache = new LruBlockCache(64 << 20, TYPICAL.blockBytes(), false, conf);
    CacheConfig config =
        new CacheConfig(
            conf, ColumnFamilyDescriptorBuilder.of(FAMILY), cache, ByteBuffAllocator.HEAP);
    try (HFile.Reader reader = HFile.createReader(fs, file, config, true, conf)) {
      HFileScanner scanner = reader.getScanner(conf, true, false);
      long cells = 0;
      for (boolean more = scanner.seekTo(); more; more = scanner.next()) {
        cells++;
      }
      assertThat(cells).isEqualTo((long) ROWS * TYPICAL.columns());
      return (double) cache.getCurrentDataSize() / ROWS;
    }
  }

  @Test
  void nearlyAsManyAsACacheOfCompressedBlocks() throws IOException {
    double bytesOfBlocks = bytesOfCompressedBlocks();
    long budget = (long) (bytesOfBlocks * ROWS / 10);
    try (SegmentCache cache = new SegmentCache(budget, () -> 0)) {
      StoreCache rows = cache.open("typical");
      RowCodec codec =
          new RowCodec(
              "typical/f",
              new DictionaryTrainer(Dictionary.MAX_BYTES, Runnable::run, () -> 0),
              cache::isNearlyFull);
      get(rows, codec);
      CacheStats stats = cache.stats();
      double bytes = (double) stats.usedBytes() / stats.entries();
      double payload = (double) stats.cachedBytes() / stats.entries() - key(0).length;
      System.out.printf(
          Locale.ROOT,
          "bytes of a row: %d of values; %.1f in a cache of compressed blocks; %.1f here: %.1f of"
              + " cells, %d of key, %.1f of index, %.1f of all else%n"
              + "rows per MB: %.0f, %.0f here, %.2f; hits %.3f%n",
          TYPICAL.columns() * TYPICAL.columnBytes(),
          bytesOfBlocks,
          bytes,
          payload,
          key(0).length,
          (double) stats.heapBytes() / stats.entries(),
          bytes - payload - key(0).length - (double) stats.heapBytes() / stats.entries(),
          1e6 / bytesOfBlocks,
          1e6 / bytes,
          bytesOfBlocks / bytes,
          (double) stats.hits() / (stats.hits() + stats.misses()));
      assertThat(stats.usedBytes()).isGreaterThan(budget * 9 / 10);
      assertThat(bytes).isLessThan(MOST * bytesOfBlocks);
    }
  }

  /** Zipfian Gets, as a region server does them. */
  private static void get(StoreCache rows, RowCodec codec) {
    ScanInfo family =
        new ScanInfo(
            new Configuration(false),
            ColumnFamilyDescriptorBuilder.of(FAMILY),
            Long.MAX_VALUE,
            0,
            CellComparatorImpl.COMPARATOR);
    CacheVisibility visibility = new CacheVisibility(family, true, rows, codec);
    LongSupplier ranks = Keys.zipfian(ROWS).draws(1);
    for (int i = 0; i < GETS; i++) {
      long number = ranks.getAsLong() * SCATTER % ROWS;
      byte[] key = key(number);
      Ticket ticket = rows.ticket();
      CachedRow.Cells found =
          visibility.reader(new Scan(new Get(key)), family, Long.MAX_VALUE).find(key, null);
      if (found == null) {
        byte[] payload = codec.encode(row(number));
        assertThat(rows.put(ticket, key, null, payload, 0, payload.length, true)).isTrue();
      } else if (i % 100 == 0) {
        assertThat(CachedRow.all(found)).isEqualTo(row(number));
      }
    }
  }
}
