package io.ishbase.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.testing.Await;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.compress.Compression.Algorithm;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.BlockCache;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.nio.ByteBuff;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BlockBuffersTest {
  private static final int BLOCK_BYTES = 2 * BlockBuffers.LARGE_BYTES;
  private static final int ROWS = 100;

  @TempDir private java.nio.file.Path directory;

  private final Configuration conf = HBaseConfiguration.create();

  private Path write(Algorithm codec, DataBlockEncoding encoding, int rows, int valueBytes)
      throws IOException {
    return write(codec, encoding, rows, valueBytes, codec == Algorithm.NONE);
  }

  private Path write(
      Algorithm codec, DataBlockEncoding encoding, int rows, int valueBytes, boolean isRandom)
      throws IOException {
    Path file = new Path(directory.toUri().getPath(), "f".repeat(32));
    HFileContext context =
        new HFileContextBuilder()
            .withBlockSize(BLOCK_BYTES)
            .withCompression(codec)
            .withDataBlockEncoding(encoding)
            .withIncludesMvcc(true)
            .build();
    FileSystem fs = new HFileSystem(conf, false);
    StoreFileWriter writer =
        new StoreFileWriter.Builder(conf, new CacheConfig(conf), fs)
            .withFilePath(file)
            .withBloomType(BloomType.NONE)
            .withFileContext(context)
            .build();
    byte[] value = new byte[valueBytes];
    for (int row = 0; row < rows; row++) {
      ThreadLocalRandom.current().nextBytes(value);
      writer.append(cell(row, isRandom ? value : new byte[valueBytes]));
    }
    writer.close();
    return file;
  }

  private static KeyValue cell(int row, byte[] value) {
    KeyValue cell =
        new KeyValue(
            Bytes.toBytes(String.format("row%03d", row)),
            Bytes.toBytes("f"),
            Bytes.toBytes("q"),
            1,
            value);
    cell.setSequenceId(1);
    return cell;
  }

  private HFileReaders readers(BlockBuffers buffers, @Nullable BlockCache cache)
      throws IOException {
    return new HFileReaders(
        conf,
        new HFileSystem(conf, false),
        Issn.cacheConfig(conf, cache, buffers),
        10,
        Duration.ofMinutes(1));
  }

  private static StoreFileScanner scanner(HFileReaders.Lease lease) {
    return lease.scanner(true, Long.MAX_VALUE);
  }

  private static int count(StoreFileScanner scanner, BlockBuffers buffers, long most)
      throws IOException {
    int cells = 0;
    scanner.seek(KeyValueUtil.createFirstOnRow(Bytes.toBytes("row")));
    for (Cell cell = scanner.next(); cell != null; cell = scanner.next()) {
      assertThat(Bytes.toString(cell.getRowArray(), cell.getRowOffset(), cell.getRowLength()))
          .isEqualTo(String.format("row%03d", cells++));
      scanner.shipped();
      assertThat(buffers.held()).isLessThanOrEqualTo(most);
    }
    return cells;
  }

  @ParameterizedTest
  @CsvSource({"NONE,NONE", "NONE,FAST_DIFF", "NONE,ROW_INDEX_V1", "GZ,NONE", "GZ,DIFF"})
  void whatLargeBlocksTookIsGivenBack(Algorithm codec, DataBlockEncoding encoding)
      throws IOException {
    Path file = write(codec, encoding, ROWS, 50_000);
    BlockBuffers buffers = new BlockBuffers(100, 4 * BLOCK_BYTES);
    try (HFileReaders readers = readers(buffers, SecondReadCache.of(conf, 0))) {
      HFileReaders.Lease lease = readers.acquire(file.toString());
      // From the second time on blocks may be cached.
      for (int i = 0; i < 3; i++) {
        try (StoreFileScanner scanner = scanner(lease)) {
          assertThat(count(scanner, buffers, 3 * BLOCK_BYTES)).isEqualTo(ROWS);
        }
        assertThat(buffers.held()).isZero();
      }
      lease.release();
    }
  }

  /** HBase does not give back how it lies. */
  @Test
  void aBlockThatCannotBeUnpackedIsNotLost() throws Exception {
    Path file = write(Algorithm.GZ, DataBlockEncoding.NONE, ROWS, 50_000, true);
    BlockBuffers buffers = new BlockBuffers(100, 3 * BLOCK_BYTES / 2);
    try (HFileReaders readers = readers(buffers, null)) {
      HFileReaders.Lease lease = readers.acquire(file.toString());
      for (int i = 0; i < 10; i++) {
        FileScanner scanner = new FileScanner(lease.reader(), true, Long.MAX_VALUE, 0);
        assertThatThrownBy(() -> scanner.seek(KeyValueUtil.createFirstOnRow(Bytes.toBytes("row"))))
            .hasMessageContaining("No memory for one more block of ");
        scanner.close();
        Await.until(
            "the garbage collector",
            () -> {
              System.gc();
              return buffers.held() == 0;
            });
      }
      lease.release();
    }
  }

  @Test
  void thereIsAnotherPoolBeforeThisOneHasLostMuch() {
    BlockBuffers buffers = new BlockBuffers(32, 0);
    for (int i = 0; i < 2; i++) {
      buffers.allocate(BlockBuffers.LARGE_BYTES);
      assertThat(buffers.getUsedBufferCount()).isEqualTo(4 * (i + 1));
      assertThatThrownBy(() -> buffers.allocate(2 * BlockBuffers.LARGE_BYTES))
          .isInstanceOf(BlockBuffers.NoRoomException.class);
    }
    assertThat(buffers.getUsedBufferCount()).isZero();
  }

  @Test
  void whoFindsNoRoomIsRefusedUntilThereIsSome() throws IOException {
    Path file = write(Algorithm.NONE, DataBlockEncoding.NONE, ROWS, 50_000);
    BlockBuffers buffers = new BlockBuffers(100, 3 * BLOCK_BYTES / 2);
    try (HFileReaders readers = readers(buffers, null)) {
      HFileReaders.Lease lease = readers.acquire(file.toString());
      KeyValue first = KeyValueUtil.createFirstOnRow(Bytes.toBytes("row"));
      StoreFileScanner holder = scanner(lease);
      holder.seek(first);
      FileScanner other = new FileScanner(lease.reader(), true, Long.MAX_VALUE, 3);
      assertThatThrownBy(() -> other.seek(first))
          .isInstanceOfSatisfying(
              FileFault.class,
              fault -> {
                assertThat(fault.file()).isEqualTo(3);
                assertThat(fault.fault())
                    .isInstanceOf(RequestException.class)
                    .hasMessageContaining("No memory for one more block of ");
              });
      other.close();
      holder.close();
      assertThat(buffers.held()).isZero();
      try (StoreFileScanner again = scanner(lease)) {
        assertThat(again.seek(first)).isTrue();
      }
      lease.release();
    }
  }

  /** Most of such a block is nobody's concern, but all of it lies on the heap. */
  @Test
  void aFileOfBlocksThatAreTooLargeIsNotRead() throws IOException {
    Path file = write(Algorithm.GZ, DataBlockEncoding.NONE, 2, (int) BlockBuffers.MOST_BYTES + 1);
    try (HFileReaders readers = readers(new BlockBuffers(100, 1 << 20), null)) {
      assertThatThrownBy(() -> readers.acquire(file.toString()))
          .isInstanceOfSatisfying(
              RequestException.class, e -> assertThat(e.code()).isEqualTo(Code.UNSUPPORTED))
          .hasMessageContaining("daemons read up to " + BlockBuffers.MOST_BYTES);
    }
  }

  @Test
  void usualBlocksAreNotCounted() {
    BlockBuffers buffers = new BlockBuffers(2, 0);
    ByteBuff usual = buffers.allocate(BlockBuffers.LARGE_BYTES);
    assertThat(buffers.held()).isZero();
    usual.release();
    assertThatThrownBy(() -> buffers.allocate(BlockBuffers.LARGE_BYTES + 1))
        .isInstanceOf(BlockBuffers.NoRoomException.class);
  }
}
