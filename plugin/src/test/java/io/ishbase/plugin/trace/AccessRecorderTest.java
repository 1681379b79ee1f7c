package io.ishbase.plugin.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.trace.TraceEntry;
import io.ishbase.core.trace.TraceEntry.Operation;
import io.ishbase.plugin.metrics.TraceMetrics;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedAction;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.Progressable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How recorded operations are written: bounds, a full or failing file system, order. */
class AccessRecorderTest {
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);
  private static final String SERVER = "host,16020,77";

  /** Fails to write while it is told to. */
  public static final class FailingFileSystem extends RawLocalFileSystem {
    private static volatile boolean isFailing;
    private static volatile String user;

    @Override
    public void initialize(URI uri, Configuration conf) throws IOException {
      user = UserGroupInformation.getCurrentUser().getUserName();
      super.initialize(uri, conf);
    }

    @Override
    public FSDataOutputStream create(
        org.apache.hadoop.fs.Path file,
        FsPermission rights,
        boolean overwrite,
        int bufferBytes,
        short replication,
        long blockBytes,
        Progressable progress)
        throws IOException {
      FSDataOutputStream whole =
          super.create(file, rights, overwrite, bufferBytes, replication, blockBytes, progress);
      return new FSDataOutputStream(
          new OutputStream() {
            @Override
            public void write(int value) throws IOException {
              if (isFailing) {
                throw new IOException("no space left");
              }
              whole.write(value);
            }

            @Override
            public void flush() throws IOException {
              whole.flush();
            }

            @Override
            public void close() throws IOException {
              whole.close();
            }
          },
          null);
    }
  }

  @TempDir private Path dir;
  private final long recorded = TraceMetrics.get().recorded();
  private final long dropped = TraceMetrics.get().dropped();
  private final Configuration conf = HBaseConfiguration.create();

  @BeforeEach
  void start() {
    FailingFileSystem.isFailing = false;
    conf.set("fs.defaultFS", "file:///");
    conf.set("fs.file.impl", FailingFileSystem.class.getName());
    conf.setBoolean("fs.file.impl.disable.cache", true);
    conf.set("hbase.rootdir", dir.toUri().toString());
    AtomicLong millis = new AtomicLong(1000);
    EnvironmentEdgeManager.injectEdge(millis::incrementAndGet);
  }

  @AfterEach
  void reset() {
    EnvironmentEdgeManager.reset();
  }

  private static void add(AccessRecorder recorder, int first, int count) {
    for (int i = first; i < first + count; i++) {
      recorder.add(new TraceEntry(i, Operation.GET, "t", "row", 1, 1, 10));
    }
  }

  private long newlyRecorded() {
    return TraceMetrics.get().recorded() - recorded;
  }

  private long newlyDropped() {
    return TraceMetrics.get().dropped() - dropped;
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(dir.resolve(TraceOutput.DIRECTORY))) {
      return files.sorted().toList();
    }
  }

  private List<String> times() throws IOException {
    List<String> times = new ArrayList<>();
    for (Path file : files()) {
      Files.readAllLines(file).stream()
          .filter(line -> line.contains("\t") && !line.startsWith("#"))
          .forEach(line -> times.add(line.substring(0, line.indexOf('\t'))));
    }
    return times;
  }

  @Test
  void timesNeverGoBack() throws IOException {
    AccessRecorder recorder = new AccessRecorder(conf, SERVER, 10_000);
    add(recorder, 5, 2);
    add(recorder, 3, 1);
    add(recorder, 7, 1);
    recorder.tick(0);
    add(recorder, 2, 1);
    recorder.tick(1);
    assertThat(times()).containsExactly("5", "6", "6", "7", "7");
    assertThat(newlyRecorded()).isEqualTo(5);
    assertThat(newlyDropped()).isZero();
  }

  /** Those of another port, or another host whose name begins alike, are others. */
  @Test
  void allFilesOfTheServerShareABound() throws IOException {
    Path directory = Files.createDirectories(dir.resolve(TraceOutput.DIRECTORY));
    Path old = Files.write(directory.resolve("host,16020,33-9.trace"), new byte[9_000]);
    Files.write(directory.resolve("host,1602,33-9.trace"), new byte[9_000]);
    Files.write(directory.resolve("host2,16020,33-9.trace"), new byte[9_000]);
    AccessRecorder recorder = new AccessRecorder(conf, SERVER, 10_000);
    add(recorder, 0, 5);
    recorder.tick(0);
    assertThat(newlyRecorded()).isEqualTo(5);
    add(recorder, 5, 50);
    recorder.tick(1);
    assertThat(newlyRecorded()).isEqualTo(5);
    assertThat(newlyDropped()).isEqualTo(50);
    // Somebody makes room; it looks again after a minute.
    Files.delete(old);
    add(recorder, 55, 3);
    recorder.tick(MINUTE);
    assertThat(newlyDropped()).isEqualTo(53);
    add(recorder, 58, 2);
    recorder.tick(MINUTE + 1);
    assertThat(newlyRecorded()).isEqualTo(7);
    assertThat(newlyDropped()).isEqualTo(53);
    assertThat(times()).containsExactly("0", "1", "2", "3", "4", "58", "59");
    long bytes = 0;
    for (Path file : files()) {
      bytes += file.getFileName().toString().startsWith("host,16020,") ? Files.size(file) : 0;
    }
    assertThat(bytes).isLessThanOrEqualTo(10_000);
  }

  /** The header fits, what was recorded does not. */
  @Test
  void nearTheBoundThereIsNoFileEachMinute() throws IOException {
    AccessRecorder recorder = new AccessRecorder(conf, SERVER, 1_000);
    for (int minute = 0; minute < 5; minute++) {
      add(recorder, 0, 100);
      recorder.tick(minute * MINUTE);
    }
    assertThat(newlyDropped()).isEqualTo(500);
    assertThat(dir).isEmptyDirectory();
  }

  /** A handler that works as somebody else starts the thread. */
  @Test
  void filesAreTheServersWhoeverIsServed() throws Exception {
    AccessRecorder recorder = new AccessRecorder(conf, SERVER, 10_000);
    add(recorder, 0, 5);
    UserGroupInformation.createRemoteUser("alice")
        .doAs(
            (PrivilegedAction<Void>)
                () -> {
                  recorder.tick(0);
                  return null;
                });
    assertThat(newlyRecorded()).isEqualTo(5);
    assertThat(FailingFileSystem.user).isEqualTo(UserGroupInformation.getLoginUser().getUserName());
  }

  /** HDFS as it knows a file whose writer was killed. */
  private static final class HdfsOfTheDead extends DistributedFileSystem {
    private final FileStatus open = file(0);
    private final FileStatus closed = file(5_000);
    private int asked;

    private static FileStatus file(long bytes) {
      return new FileStatus(
          bytes,
          false,
          3,
          1 << 20,
          0,
          new org.apache.hadoop.fs.Path("/hbase/.ishbase-trace/host,16020,33-9.trace"));
    }

    @Override
    public FileStatus[] listStatus(org.apache.hadoop.fs.Path directory) {
      return new FileStatus[] {open};
    }

    @Override
    public FileStatus getFileStatus(org.apache.hadoop.fs.Path file) {
      return asked < 2 ? open : closed;
    }

    @Override
    public boolean recoverLease(org.apache.hadoop.fs.Path file) {
      return ++asked > 1;
    }
  }

  @Test
  void theFileOfADeadServerCountsWithAllItsBytes() throws IOException {
    HdfsOfTheDead hdfs = new HdfsOfTheDead();
    org.apache.hadoop.fs.Path root = new org.apache.hadoop.fs.Path("/hbase");
    assertThatThrownBy(() -> TraceOutput.open(hdfs, root, SERVER, 5_100, 10))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("host,16020,33-9.trace");
    assertThat(TraceOutput.open(hdfs, root, SERVER, 5_100, 10)).isNull();
  }

  @Test
  void withoutRoomThereIsNoFile() {
    AccessRecorder recorder = new AccessRecorder(conf, SERVER, 0);
    add(recorder, 0, 5);
    recorder.tick(0);
    assertThat(newlyDropped()).isEqualTo(5);
    assertThat(dir).isEmptyDirectory();
  }

  @Test
  void whatTheFileSystemDoesNotTakeIsDropped() throws IOException {
    AccessRecorder recorder = new AccessRecorder(conf, SERVER, 10_000);
    FailingFileSystem.isFailing = true;
    add(recorder, 0, 5);
    recorder.tick(0);
    assertThat(newlyDropped()).isEqualTo(5);
    FailingFileSystem.isFailing = false;
    add(recorder, 5, 5);
    recorder.tick(MINUTE - 1);
    assertThat(newlyDropped()).isEqualTo(10);
    add(recorder, 10, 5);
    recorder.tick(MINUTE);
    assertThat(newlyRecorded()).isEqualTo(5);
    assertThat(newlyDropped()).isEqualTo(10);
    assertThat(times()).containsExactly("10", "11", "12", "13", "14");
  }

  /** What waits is bounded while nobody writes. */
  @Test
  void whatHasNoRoomInMemoryIsDropped() throws IOException {
    AccessRecorder recorder = new AccessRecorder(conf, SERVER, 100 << 20);
    add(recorder, 0, 100_000);
    recorder.tick(0);
    assertThat(newlyRecorded()).isBetween(10_000L, 50_000L);
    assertThat(newlyRecorded() + newlyDropped()).isEqualTo(100_000);
    assertThat(Files.readString(files().get(0))).contains("\n# dropped " + newlyDropped() + "\n");
    assertThat(times()).hasSize((int) newlyRecorded());
  }
}
