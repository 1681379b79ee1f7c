package io.ishbase.plugin.blockwarmup;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.DataBlockIndex;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.io.hfile.HFileInfo;
import org.apache.hadoop.hbase.io.hfile.HFilePreadReader;
import org.apache.hadoop.hbase.io.hfile.ReaderContext;
import org.apache.hadoop.hbase.io.hfile.ReaderContextBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The index of a file leads to all its data blocks, however deep it is. */
class DataBlockIndexTest {
  @TempDir private java.nio.file.Path directory;

  @ParameterizedTest
  @ValueSource(ints = {256, 2_000, 1 << 17})
  void leadsToAllDataBlocks(int indexBlockBytes) throws IOException {
    Configuration conf = HBaseConfiguration.create();
    conf.setInt("hfile.index.block.max.size", indexBlockBytes);
    conf.setInt("hfile.index.block.min.entries", 2);
    Path path = new Path(directory.resolve("file").toUri());
    FileSystem fs = path.getFileSystem(conf);
    List<KeyValue> cells = write(conf, fs, path);
    try (HFile.Reader reader = HFile.createReader(fs, path, new CacheConfig(conf), true, conf)) {
      List<Long> offsets = dataBlocks(reader);
      DataBlockIndex index = new DataBlockIndex(reader);
      List<Long> found = new ArrayList<>();
      int cell = 0;
      for (Cell key = reader.getFirstKey().orElseThrow(); key != null; ) {
        DataBlockIndex.Entry block = index.find(key);
        found.add(block.offset());
        key = block.nextKey();
        int before = cell;
        while (cell < cells.size()
            && (key == null || CellComparatorImpl.COMPARATOR.compare(cells.get(cell), key) < 0)) {
          assertThat(index.find(cells.get(cell)).offset()).isEqualTo(block.offset());
          cell++;
        }
        assertThat(cell).isGreaterThan(before);
      }
      assertThat(found).isEqualTo(offsets).hasSizeGreaterThan(100);
      assertThat(cell).isEqualTo(cells.size());
      assertThat(index.find(new KeyValue(Bytes.toBytes("a"), 1L))).isNull();
    }
  }

  /** However many levels it has: upper ones are wanted for each block. */
  @ParameterizedTest
  @ValueSource(ints = {256, 2_000})
  void aWalkReadsEachBlockOfTheIndexOnce(int indexBlockBytes) throws IOException {
    Configuration conf = HBaseConfiguration.create();
    conf.setInt("hfile.index.block.max.size", indexBlockBytes);
    conf.setInt("hfile.index.block.min.entries", 2);
    Path path = new Path(directory.resolve("file").toUri());
    FileSystem fs = path.getFileSystem(conf);
    write(conf, fs, path);
    Map<Long, Integer> reads = new TreeMap<>();
    try (HFile.Reader reader = counting(conf, fs, path, reads)) {
      DataBlockIndex index = DataBlockIndex.walking(reader);
      int blocks = 0;
      for (Cell key = reader.getFirstKey().orElseThrow(); key != null; blocks++) {
        key = index.find(key).nextKey();
      }
      assertThat(blocks).isGreaterThan(100);
    }
    assertThat(reads).hasSizeGreaterThan(5);
    assertThat(reads.values()).containsOnly(1);
  }

  /** Counts which blocks are read, by where they begin. */
  private static HFile.Reader counting(
      Configuration conf, FileSystem fs, Path path, Map<Long, Integer> reads) throws IOException {
    ReaderContext context = new ReaderContextBuilder().withFileSystemAndPath(fs, path).build();
    return new HFilePreadReader(
        context, new HFileInfo(context, conf), new CacheConfig(conf), conf) {
      @Override
      public HFileBlock readBlock(
          long offset,
          long onDiskBytes,
          boolean cacheBlock,
          boolean pread,
          boolean isCompaction,
          boolean updateCacheMetrics,
          BlockType type,
          DataBlockEncoding encoding,
          boolean cacheOnly)
          throws IOException {
        reads.merge(offset, 1, Integer::sum);
        return super.readBlock(
            offset,
            onDiskBytes,
            cacheBlock,
            pread,
            isCompaction,
            updateCacheMetrics,
            type,
            encoding,
            cacheOnly);
      }
    };
  }

  private static List<KeyValue> write(Configuration conf, FileSystem fs, Path path)
      throws IOException {
    List<KeyValue> cells = new ArrayList<>();
    try (HFile.Writer writer =
        HFile.getWriterFactory(conf, new CacheConfig(conf))
            .withPath(fs, path)
            .withFileContext(new HFileContextBuilder().withBlockSize(1024).build())
            .create()) {
      for (int row = 0; row < 1000; row++) {
        for (int column = 0; column < 3; column++) {
          KeyValue cell =
              new KeyValue(
                  Bytes.toBytes(String.format("row%05d", row)),
                  Bytes.toBytes("f"),
                  Bytes.toBytes("q" + column),
                  1L,
                  new byte[100]);
          writer.append(cell);
          cells.add(cell);
        }
      }
    }
    return cells;
  }

  /** As a reader finds them that goes through the file from its beginning. */
  private static List<Long> dataBlocks(HFile.Reader reader) throws IOException {
    List<Long> offsets = new ArrayList<>();
    long offset = 0;
    while (offset < reader.getTrailer().getLoadOnOpenDataOffset()) {
      HFileBlock block = reader.readBlock(offset, -1, false, true, false, false, null, null, false);
      if (block.getBlockType().isData()) {
        offsets.add(offset);
      }
      offset += block.getOnDiskSizeWithHeader();
      block.release();
    }
    return offsets;
  }
}
