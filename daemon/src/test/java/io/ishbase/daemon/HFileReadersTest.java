package io.ishbase.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.daemon.rpc.RequestException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HFileReadersTest {
  private static final int FILES = 10;
  private static final int ROWS = 1_000;

  @TempDir private java.nio.file.Path directory;
  private final List<String> files = new ArrayList<>();
  private volatile long nanos;
  private Configuration conf;
  private FileSystem fs;

  @BeforeEach
  void write() throws IOException {
    conf = HBaseConfiguration.create();
    conf.set("fs.defaultFS", "file:///");
    fs = new HFileSystem(conf, false);
    for (int i = 0; i < FILES; i++) {
      Path file = new Path(directory.toString(), "0123456789abcdef0123456789abcde" + i);
      try (HFile.Writer writer =
          HFile.getWriterFactoryNoCache(conf)
              .withPath(fs, file)
              .withFileContext(new HFileContextBuilder().withBlockSize(64).build())
              .create()) {
        for (int row = 0; row < ROWS; row++) {
          byte[] key = Bytes.toBytes(String.format("row%06d", row));
          writer.append(new KeyValue(key, Bytes.toBytes("f"), key, 1, key));
        }
      }
      files.add(file.toString());
    }
  }

  private HFileReaders readers(long maxIndexBytes) {
    return readers(fs, maxIndexBytes, TimeUnit.MINUTES.toNanos(1));
  }

  private HFileReaders readers(FileSystem fs, long maxIndexBytes, long patienceNanos) {
    return new HFileReaders(
        conf,
        fs,
        new CacheConfig(conf),
        FILES,
        maxIndexBytes,
        Duration.ofMinutes(1),
        patienceNanos,
        () -> nanos);
  }

  /** Opens nothing while its NameNode is away. */
  private static final class Away extends FilterFileSystem {
    private final CountDownLatch back = new CountDownLatch(1);
    private volatile boolean isAway;

    Away(FileSystem fs) {
      super(fs);
    }

    @Override
    public FileStatus getFileStatus(Path file) throws IOException {
      await();
      return super.getFileStatus(file);
    }

    @Override
    public FSDataInputStream open(Path file, int bufferSize) throws IOException {
      await();
      return super.open(file, bufferSize);
    }

    private void await() throws IOException {
      while (isAway && back.getCount() > 0) {
        try {
          back.await();
        } catch (InterruptedException e) {
          throw new InterruptedIOException();
        }
      }
    }
  }

  /** What is open is read, and nobody waits for long for what is not. */
  @Test
  void theNameNodeIsAway() throws Exception {
    Away away = new Away(fs);
    HFileSystem hdfs =
        new HFileSystem(away) {
          @Override
          public FileSystem getNoChecksumFs() {
            return away;
          }
        };
    try (HFileReaders readers = readers(hdfs, 1 << 30, TimeUnit.MILLISECONDS.toNanos(50))) {
      HFileReaders.Lease before = null;
      while (before == null) {
        try {
          before = readers.acquire(files.get(0));
        } catch (RequestException e) {
          // Not in that time.
        }
      }
      before.release();
      away.isAway = true;
      assertThatThrownBy(() -> readers.acquire(files.get(0), false))
          .as("whether it is encrypted")
          .isInstanceOf(RequestException.class);
      // A request has waited for another of its files.
      long deadline = System.nanoTime();
      List<HFileReaders.Asked> several = files.stream().map(readers::ask).toList();
      int waited = 0;
      for (HFileReaders.Asked each : several) {
        try {
          readers.take(each, deadline).release();
        } catch (RequestException e) {
          waited++;
        }
      }
      assertThat(waited).isEqualTo(FILES - 1);
      for (int i = 0; i < 40; i++) {
        assertThatThrownBy(() -> readers.acquire(files.get(1)))
            .isInstanceOf(RequestException.class)
            .hasMessageContaining("HDFS does not open it in time");
      }
      for (int i = 0; i < 70; i++) {
        passSeconds(59);
        HFileReaders.Lease now = readers.acquire(files.get(0));
        assertThat(now).isSameAs(before);
        now.release();
      }
      away.back.countDown();
      HFileReaders.Lease next = before;
      while (next == before) {
        next = readers.acquire(files.get(0));
        next.release();
      }
      // Whoever has put the other in its place closes it.
      while (before.reader() != null) {
        Thread.onSpinWait();
      }
    }
  }

  /** It is read all the same. */
  @Test
  void anIndexThatIsLargerThanThereIsPlaceFor() throws Exception {
    try (HFileReaders readers = readers(1)) {
      HFileReaders.Lease lease = readers.acquire(files.get(0));
      assertThat(lease.reader().getEntries()).isEqualTo(ROWS);
      lease.release();
      assertThat(readers.opened()).isOne();
    }
  }

  private void passSeconds(long seconds) {
    nanos = nanos + TimeUnit.SECONDS.toNanos(seconds);
  }

  /** A file's opener tells the cache what it takes after others have it, at a time read before. */
  private static void awaitWeighed(HFileReaders readers) {
    while (readers.opening() > 0) {
      Thread.onSpinWait();
    }
  }

  private void readAll(HFileReaders readers) throws RequestException {
    for (String file : files) {
      readers.acquire(file).release();
    }
  }

  @Test
  void filesStayOpenWhileTheirIndexesFit() throws Exception {
    try (HFileReaders readers = readers(1 << 30)) {
      readAll(readers);
      readAll(readers);
      assertThat(readers.size()).isEqualTo(FILES);
      assertThat(readers.opened()).isEqualTo(FILES);
    }
  }

  /** HDFS's stream of one that is open may read from another DataNode than it did at first. */
  @Test
  void aFileThatIsReadAllTheTimeIsOpenedAnewSometimes() throws Exception {
    try (HFileReaders readers = readers(1 << 30)) {
      readers.acquire(files.get(0)).release();
      awaitWeighed(readers);
      for (int minute = 0; minute < 40; minute++) {
        readers.acquire(files.get(0)).release();
        passSeconds(59);
      }
      assertThat(readers.opened()).isOne();
      for (int minute = 0; minute < 40; minute++) {
        readers.acquire(files.get(0)).release();
        awaitWeighed(readers);
        passSeconds(59);
      }
      while (readers.opened() == 1) { // By a thread of its own.
        readers.acquire(files.get(0)).release();
      }
      assertThat(readers.opened()).isEqualTo(2);
      awaitWeighed(readers);
      passSeconds(61);
      readers.acquire(files.get(0)).release();
      assertThat(readers.opened()).isEqualTo(3);
    }
  }

  @Test
  void ofLargeIndexesFewerStayOpen() throws Exception {
    long indexBytes;
    try (HFileReaders readers = readers(1 << 30)) {
      HFileReaders.Lease lease = readers.acquire(files.get(0));
      indexBytes = lease.reader().indexSize();
      lease.release();
    }
    assertThat(indexBytes).isGreaterThan(10_000);
    try (HFileReaders readers = readers(4 * indexBytes)) {
      readAll(readers);
      awaitWeighed(readers);
      readAll(readers);
      awaitWeighed(readers);
      assertThat(readers.size()).isBetween(1L, 4L);
      assertThat(readers.opened()).isGreaterThan(FILES);
      // What somebody reads stays open for him.
      HFileReaders.Lease first = readers.acquire(files.get(0));
      readAll(readers);
      assertThat(first.reader().getEntries()).isEqualTo(ROWS);
      first.release();
    }
  }
}
