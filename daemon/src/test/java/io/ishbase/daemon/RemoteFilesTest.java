package io.ishbase.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.AggregatePace;
import io.ishbase.daemon.rpc.Callers;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.DictionaryTrainer;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What crosses the network when a worker compacts files of another node: the files, as it reads
 * them through HDFS, or their cells, had the scan service of that node sent them.
 */
class RemoteFilesTest {
  private static final int ROWS = 3000;

  @TempDir private Path root;

  private final Configuration conf = HBaseConfiguration.create();
  private FileSystem fs;
  private org.apache.hadoop.fs.Path store;

  @BeforeEach
  void open() throws IOException {
    fs = new HFileSystem(conf, false);
    store = new org.apache.hadoop.fs.Path(root.toUri().getPath() + "data/f");
  }

  /** Index, Bloom filter, file info and trailer included. */
  @ParameterizedTest
  @CsvSource({
    "NONE, NONE, 100", "NONE, NONE, 1000", "NONE, FAST_DIFF, 100", "NONE, FAST_DIFF, 1000",
    "GZ, NONE, 100", "GZ, NONE, 1000", "GZ, FAST_DIFF, 100", "GZ, FAST_DIFF, 1000"
  })
  void aFileIsNoLargerThanItsCells(
      Compression.Algorithm compression, DataBlockEncoding encoding, int valueBytes)
      throws IOException {
    String file = write(compression, encoding, valueBytes, 1);
    long fileBytes = length(file);
    long cellBytes = sent(List.of(file));
    System.out.printf(
        "%s %s %d: file %d, cells %d, ratio %.3f%n",
        compression, encoding, valueBytes, fileBytes, cellBytes, (double) fileBytes / cellBytes);
    assertThat(fileBytes).isLessThanOrEqualTo(cellBytes * 102 / 100);
  }

  /**
   * Where several files of one node hold versions of the same rows, a merge there would send one
   * version: a third of the uncompressed files here, little less than the compressed ones.
   */
  @Test
  void overwrittenRowsAreWhatAMergeCouldLeaveOut() throws IOException {
    int files = 3;
    List<String> plain = new ArrayList<>();
    List<String> compressed = new ArrayList<>();
    for (int version = 1; version <= files; version++) {
      plain.add(write(Compression.Algorithm.NONE, DataBlockEncoding.NONE, 100, version));
      compressed.add(write(Compression.Algorithm.GZ, DataBlockEncoding.FAST_DIFF, 100, version));
    }
    // The newest version of each row.
    long cellBytes = sent(plain.subList(files - 1, files));
    System.out.printf(
        "%d versions: files %d, compressed %d, cells of one version %d%n",
        files, length(plain), length(compressed), cellBytes);
    assertThat(length(plain)).isGreaterThan(cellBytes * 28 / 10);
    assertThat(length(compressed)).isLessThan(cellBytes * 12 / 10);
  }

  private long length(List<String> files) throws IOException {
    long sum = 0;
    for (String file : files) {
      sum += length(file);
    }
    return sum;
  }

  private long length(String file) throws IOException {
    return fs.getFileStatus(new org.apache.hadoop.fs.Path(store, file)).getLen();
  }

  /** A row has ten columns; a value is half text that repeats, half noise. */
  private String write(
      Compression.Algorithm compression, DataBlockEncoding encoding, int valueBytes, long version)
      throws IOException {
    String name = UUID.randomUUID().toString().replace("-", "");
    Random random = new Random(version);
    HFileContext context =
        new HFileContextBuilder()
            .withIncludesMvcc(true)
            .withCompression(compression)
            .withDataBlockEncoding(encoding)
            .build();
    StoreFileWriter writer =
        new StoreFileWriter.Builder(conf, new CacheConfig(conf), fs)
            .withFilePath(new org.apache.hadoop.fs.Path(store, name))
            .withBloomType(BloomType.ROW)
            .withMaxKeyCount(ROWS)
            .withFileContext(context)
            .build();
    for (int row = 0; row < ROWS; row++) {
      byte[] value = new byte[valueBytes];
      random.nextBytes(value);
      for (int i = 0; i < valueBytes / 2; i++) {
        value[i] = (byte) ('a' + i % 16);
      }
      KeyValue cell =
          new KeyValue(
              Bytes.toBytes(String.format("user%08d", row / 10)),
              Bytes.toBytes("f"),
              Bytes.toBytes("column" + row % 10),
              1_700_000_000_000L + version,
              value);
      cell.setSequenceId(version * ROWS + row);
      writer.append(cell);
    }
    writer.appendMetadata(version, false);
    writer.close();
    return name;
  }

  private long sent(List<String> files) throws IOException {
    CacheConfig cacheConfig = new CacheConfig(conf);
    HFileReaders readers = new HFileReaders(conf, fs, cacheConfig, 100, Duration.ofMinutes(1));
    ReadService service =
        new ReadService(
            readers,
            new Filters(conf),
            new DictionaryTrainer(
                DictionaryTrainer.SMALL_DICTIONARY_BYTES, Runnable::run, System::nanoTime),
            new org.apache.hadoop.fs.Path(root.toUri().getPath()),
            new Callers(conf, User.getCurrent()),
            4,
            1 << 20,
            TimeUnit.HOURS.toNanos(1),
            new AggregatePace(() -> 0, System::nanoTime, LockSupport::parkNanos),
            new DaemonMetrics(() -> 0, () -> 0));
    ReadRequest.Builder request =
        ReadRequest.newBuilder()
            .setVersion(Protocol.VERSION)
            .setDirectory(store.toUri().getPath())
            .addAllFile(files)
            .setReadPoint(Long.MAX_VALUE)
            .addRange(RowRange.getDefaultInstance())
            .setMaxBytes(1 << 20);
    long bytes = 0;
    while (true) {
      ReadResponse answer = service.read(null, Checksums.sealed(request.build()));
      assertThat(answer.getCode()).isEqualTo(Code.OK);
      bytes += answer.getSerializedSize();
      if (!answer.hasNext()) {
        readers.close();
        return bytes;
      }
      request.setFrom(answer.getNext());
    }
  }
}
