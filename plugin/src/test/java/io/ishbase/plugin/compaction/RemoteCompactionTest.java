package io.ishbase.plugin.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ishbase.core.compaction.LocalReason;
import io.ishbase.plugin.node.Reports;
import io.ishbase.plugin.node.StorageNode;
import io.ishbase.plugin.node.StorageNodes;
import io.ishbase.protocol.MessageChecksum;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.ishbase.protocol.generated.CompactionProtos.CompactResponse;
import io.ishbase.protocol.generated.CompactionProtos.CompactionService;
import io.ishbase.protocol.generated.CompactionProtos.CompactionState;
import io.ishbase.protocol.generated.CompactionProtos.FetchRequest;
import io.ishbase.protocol.generated.CompactionProtos.FetchResponse;
import io.ishbase.protocol.generated.CompactionProtos.Mob;
import io.ishbase.protocol.generated.CompactionProtos.ProgressRequest;
import io.ishbase.protocol.generated.CompactionProtos.ProgressResponse;
import io.ishbase.protocol.generated.CompactionProtos.WorkRequest;
import io.ishbase.protocol.generated.CompactionProtos.WorkResponse;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.testing.Await;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.io.Reference;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.ipc.FifoRpcScheduler;
import org.apache.hadoop.hbase.ipc.RpcServer.BlockingServiceAndInterface;
import org.apache.hadoop.hbase.ipc.RpcServerFactory;
import org.apache.hadoop.hbase.ipc.RpcServerInterface;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionProgress;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.wal.WALFactory;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.RpcController;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A worker that says whatever it likes, over a real socket, and a clock that runs by its answers.
 */
class RemoteCompactionTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final String NEW_FILE = "0123456789abcdef0123456789abcdef";
  private static final int LEASE_MILLIS = 20_000;
  private static final long ANSWER_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long SEQUENCE_ID = 7;
  private static final String INPUT_FILE = "fedcba9876543210fedcba9876543210";
  private static final CompactionInput INPUT =
      new CompactionInput(1000, 100_000, SEQUENCE_ID, cell(100), cell(1099));

  @TempDir private Path directory;
  private final Configuration conf = HBaseConfiguration.create();
  private final AtomicLong nanos = new AtomicLong();
  private final AtomicInteger answers = new AtomicInteger();
  private final AtomicBoolean cancelled = new AtomicBoolean();
  private ProgressResponse.Builder lie;
  private boolean makesWay;
  private int writtenCells;
  private int firstRow = 100;
  private boolean hasMetadata = true;
  private long sequenceId = SEQUENCE_ID;
  private Set<String> standsFor = Set.of(INPUT_FILE);
  private boolean isOpenedElsewhere;
  private RemoteCompaction.Inspection inspection = results -> {};
  private @Nullable Path written;
  private volatile List<String> foundDirectories = List.of();
  private final CompactRequest.Builder request = CompactRequest.newBuilder().addFile(INPUT_FILE);
  private double pressure;
  private HRegion region;
  private RpcServerInterface worker;

  /** Whose NameNode may refuse to move a result. */
  public static final class SafeModeFileSystem extends LocalFileSystem {
    private static volatile boolean isOn;

    /** What who makes an attempt's directory, or reads the result, is told; null: nothing. */
    private static volatile @Nullable IOException interruption;

    @Override
    public boolean mkdirs(org.apache.hadoop.fs.Path path) throws IOException {
      if (path.toString().contains("ishbase-compaction")
          && interruption instanceof InterruptedIOException now) {
        throw now;
      }
      return super.mkdirs(path);
    }

    @Override
    public FSDataInputStream open(org.apache.hadoop.fs.Path path, int bytes) throws IOException {
      IOException now = interruption;
      if (path.getName().equals(NEW_FILE)
          && now != null
          && !(now instanceof InterruptedIOException)) {
        Thread.currentThread().interrupt();
        throw now;
      }
      return super.open(path, bytes);
    }

    @Override
    public boolean rename(org.apache.hadoop.fs.Path source, org.apache.hadoop.fs.Path destination)
        throws IOException {
      if (isOn) {
        throw new RemoteException("org.apache.hadoop.hdfs.server.namenode.SafeModeException", "");
      }
      return super.rename(source, destination);
    }
  }

  private final class Liar implements CompactionService.BlockingInterface {
    @Override
    public CompactResponse compact(RpcController controller, CompactRequest request) {
      Path attempt =
          Path.of(region.getRegionFileSystem().getRegionDir().toUri())
              .resolve(".tmp/ishbase-compaction-" + request.getAttempt());
      foundDirectories =
          Stream.of("f", ".mob").filter(name -> Files.isDirectory(attempt.resolve(name))).toList();
      if (isOpenedElsewhere) {
        empty(attempt.getParent());
      }
      if (writtenCells > 0) {
        written = attempt.resolve("f").resolve(NEW_FILE);
        write(written);
      }
      return MessageChecksum.sealed(CompactResponse.newBuilder().setCode(Code.OK).build());
    }

    private void empty(Path temp) {
      try {
        region.getFilesystem().delete(new org.apache.hadoop.fs.Path(temp.toUri()), true);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void write(Path file) {
      try {
        StoreFileWriter writer =
            new StoreFileWriter.Builder(conf, new CacheConfig(conf), region.getFilesystem())
                .withFilePath(new org.apache.hadoop.fs.Path(file.toUri()))
                .withFileContext(new HFileContextBuilder().build())
                .build();
        for (int row = 0; row < writtenCells; row++) {
          writer.append(cell(firstRow + row));
        }
        if (hasMetadata) {
          writer.appendMetadata(sequenceId, false);
        }
        writer.appendFileInfo(
            HStoreFile.COMPACTION_EVENT_KEY, ProtobufUtil.toCompactionEventTrackerBytes(standsFor));
        writer.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public ProgressResponse progress(RpcController controller, ProgressRequest request) {
      int answer = answers.incrementAndGet();
      if (request.getCancel()) {
        cancelled.set(true);
      }
      long now = nanos.addAndGet(ANSWER_NANOS);
      if (makesWay) {
        lie.setHeldBackMillis(TimeUnit.NANOSECONDS.toMillis(now));
      }
      return MessageChecksum.sealed(lie.setActivity(answer).build());
    }

    @Override
    public WorkResponse work(RpcController controller, WorkRequest request) {
      return WorkResponse.getDefaultInstance();
    }

    @Override
    public FetchResponse fetch(RpcController controller, FetchRequest request) {
      return FetchResponse.getDefaultInstance();
    }
  }

  @BeforeEach
  void start() throws IOException {
    Protocol.register();
    conf.setClass("fs.file.impl", SafeModeFileSystem.class, FileSystem.class);
    conf.setBoolean("fs.file.impl.disable.cache", true);
    conf.setInt("ishbase.rpc.timeout", 60_000);
    region = OneFamily.region(conf, directory, ColumnFamilyDescriptorBuilder.of(FAMILY));
    worker =
        RpcServerFactory.createRpcServer(
            null,
            "liar",
            List.of(
                new BlockingServiceAndInterface(
                    CompactionService.newReflectiveBlockingService(new Liar()),
                    CompactionService.BlockingInterface.class)),
            new InetSocketAddress("127.0.0.1", 0),
            conf,
            new FifoRpcScheduler(conf, 2));
    worker.start();
    StorageNodes.useFixed(
        List.of(ServerName.valueOf("127.0.0.1", worker.getListenerAddress().getPort(), 1)));
    lie = ProgressResponse.newBuilder().setState(CompactionState.RUNNING);
  }

  @AfterEach
  void stop() throws IOException {
    Reports.gone(conf);
    worker.stop();
    region.close();
  }

  private RemoteCompaction compaction() {
    StorageNodes nodes = StorageNodes.of(conf);
    StorageNode liar = nodes.live().get(0);
    return new RemoteCompaction(
        region.getStore(FAMILY),
        nodes,
        liar,
        request
            .setVersion(Protocol.VERSION)
            .setAttempt("0123456789abcdef0123456789abcdef")
            .setRegionServer("rs")
            .setTable(ByteString.EMPTY)
            .setRegion(ByteString.EMPTY)
            .setMajor(false)
            .setAllFiles(false)
            .setReadPoint(1)
            .setNow(1)
            .setBytes(1)
            .setLeaseMillis(LEASE_MILLIS)
            .build(),
        INPUT,
        () -> 0,
        new Pressure(() -> pressure, () -> 0),
        new CompactionProgress(0),
        inspection,
        nanos::get);
  }

  private OffloadException failure() throws IOException {
    OffloadException failure = catchThrowableOfType(compaction()::run, OffloadException.class);
    // Nobody waits for the answer to that.
    Await.until("the question that cancels", cancelled::get);
    try (Stream<Path> files = Files.walk(directory)) {
      assertThat(files).noneMatch(file -> file.toString().contains("ishbase-compaction"));
    }
    return failure;
  }

  @Test
  void aWorkerThatSaysForEverThatItGetsOnIsLeft() throws IOException {
    assertThat(failure().reason()).isEqualTo(LocalReason.STALLED);
    assertThat(TimeUnit.NANOSECONDS.toMinutes(nanos.get())).isBetween(4L, 5L);
  }

  @Test
  void thatItMakesWayIsBelievedForLonger() throws IOException {
    makesWay = true;
    assertThat(failure().reason()).isEqualTo(LocalReason.STALLED);
    assertThat(TimeUnit.NANOSECONDS.toMinutes(nanos.get())).isBetween(136L, 137L);
  }

  @Test
  void butNotWhileAStoreBlocksWrites() throws IOException {
    makesWay = true;
    pressure = 1;
    assertThat(failure().reason()).isEqualTo(LocalReason.STALLED);
    assertThat(TimeUnit.NANOSECONDS.toMinutes(nanos.get())).isBetween(4L, 5L);
  }

  @Test
  void moreCellsThanThereAreItCannotHaveWritten() throws IOException {
    lie.setCells(INPUT.cells() + 1);
    assertThat(failure().reason()).isEqualTo(LocalReason.BAD_ANSWER);
    assertThat(answers).as("and the one that cancels").hasValue(2);
  }

  @Test
  void norDoesItHaveAResultOfMoreCells() throws IOException {
    lie.setState(CompactionState.DONE).setCells(INPUT.cells() + 1);
    assertThat(failure().reason()).isEqualTo(LocalReason.BAD_ANSWER);
  }

  /** Of what it says that it wrote, something may be lost on its way to the file. */
  @Test
  void aFileHasAsManyCellsAsItSays() throws IOException {
    writtenCells = 10;
    for (int said : new int[] {9, 11}) {
      lie.clear().setState(CompactionState.DONE).addOutput("f/" + NEW_FILE).setCells(said);
      OffloadException failure = catchThrowableOfType(compaction()::run, OffloadException.class);
      assertThat(failure.reason()).isEqualTo(LocalReason.BAD_ANSWER);
      try (Stream<Path> files = Files.walk(directory)) {
        assertThat(files).noneMatch(file -> file.endsWith(NEW_FILE));
      }
    }
    lie.setCells(writtenCells);
    assertThat(compaction().run())
        .singleElement()
        .satisfies(file -> assertThat(file.getName()).isEqualTo(NEW_FILE))
        .satisfies(file -> assertThat(region.getFilesystem().exists(file)).isTrue());
  }

  private static KeyValue cell(int row) {
    return new KeyValue(Bytes.toBytes(row), FAMILY, FAMILY, 1, FAMILY);
  }

  /** HBase would skip edits of the log, or throw away files. */
  @Test
  void aFileThatCannotHaveComeOfTheInputIsNotTaken() throws IOException {
    writtenCells = 10;
    lie.setState(CompactionState.DONE).addOutput("f/" + NEW_FILE).setCells(writtenCells);
    hasMetadata = false;
    assertNotTaken("sequence id is missing");
    hasMetadata = true;
    for (long other : new long[] {SEQUENCE_ID - 1, SEQUENCE_ID + 1, Long.MAX_VALUE}) {
      sequenceId = other;
      assertNotTaken("sequence id is " + other);
    }
    sequenceId = SEQUENCE_ID;
    standsFor = Set.of(INPUT_FILE, "0000456789abcdef0123456789abcdef");
    assertNotTaken("stands for 0000456789abcdef0123456789abcdef");
    request.addCompacted("0000456789abcdef0123456789abcdef");
    firstRow = 99;
    assertNotTaken("keys lie outside");
    firstRow = 1091;
    assertNotTaken("keys lie outside");
    firstRow = 1090;
    assertThat(compaction().run()).hasSize(1);
  }

  @Test
  void norIsOneWithOtherCellsThanHBasesRulesKeep() throws IOException {
    writesTen();
    inspection =
        results -> {
          throw new OffloadException(LocalReason.WRONG_CELLS, "They are wrong");
        };
    assertNotTaken(LocalReason.WRONG_CELLS, "They are wrong");
  }

  @Test
  void norWhileAnotherWasWrong() throws IOException {
    writesTen();
    inspection = results -> StorageNodes.of(conf).health().compactedWrongly();
    assertNotTaken(LocalReason.DOUBTED, "while this one was under way");
  }

  @Test
  void whatIsLookedAtLiesWhereTheWorkerDoesNotWrite() throws IOException {
    writesTen();
    inspection = results -> assertThat(written).doesNotExist();
    assertThat(compaction().run()).hasSize(1);
  }

  private void writesTen() {
    writtenCells = 10;
    lie.setState(CompactionState.DONE).addOutput("f/" + NEW_FILE).setCells(writtenCells);
  }

  private void assertNotTaken(String why) throws IOException {
    assertNotTaken(LocalReason.BAD_ANSWER, why);
  }

  private void assertNotTaken(LocalReason reason, String why) throws IOException {
    OffloadException failure = catchThrowableOfType(compaction()::run, OffloadException.class);
    assertThat(failure.reason()).isEqualTo(reason);
    assertThat(failure).hasMessageContaining(why);
    try (Stream<Path> files = Files.walk(directory)) {
      assertThat(files).noneMatch(file -> file.endsWith(NEW_FILE));
    }
  }

  @Test
  void itIsNotBlamedForTheNameNode() throws IOException {
    writtenCells = 10;
    lie.setState(CompactionState.DONE).addOutput("f/" + NEW_FILE).setCells(writtenCells);
    SafeModeFileSystem.isOn = true;
    try {
      OffloadException failure = catchThrowableOfType(compaction()::run, OffloadException.class);
      assertThat(failure.reason()).isEqualTo(LocalReason.HERE);
    } finally {
      SafeModeFileSystem.isOn = false;
    }
    assertThat(compaction().run()).hasSize(1);
  }

  /** As HBase does with compactions when they are switched off. */
  @Test
  void whoIsInterruptedDoesNotCompactHereNorBlameAnybody() throws IOException {
    for (IOException interruption :
        List.of(
            new InterruptedIOException("Call interrupted"),
            new ClosedByInterruptException(),
            // As HBase's scanners of files say it.
            new IOException("Could not reseek", new ClosedByInterruptException()))) {
      writtenCells = 10;
      lie.clear().setState(CompactionState.DONE).addOutput("f/" + NEW_FILE).setCells(writtenCells);
      SafeModeFileSystem.interruption = interruption;
      try {
        assertThatThrownBy(compaction()::run).isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isFalse();
      } finally {
        SafeModeFileSystem.interruption = null;
      }
      try (Stream<Path> files = Files.walk(directory)) {
        assertThat(files).noneMatch(file -> file.toString().contains("ishbase-compaction"));
      }
    }
  }

  /** Whoever opens a region empties its {@code .tmp}, so that nobody else commits to it. */
  @Test
  void whereTheRegionIsOpenElsewhereNobodyElseIsToDoIt() {
    isOpenedElsewhere = true;
    for (CompactionState state : List.of(CompactionState.ENDED, CompactionState.DONE)) {
      lie.clear().setState(state);
      assertThatThrownBy(compaction()::run)
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(OffloadException.class)
          .hasMessageContaining("open at another region server");
    }
  }

  /** What a worker makes as another user, HBase's could not delete, and the region not open. */
  @Test
  void itWritesIntoADirectoryOfTheRegionServer() throws IOException {
    lie.setState(CompactionState.ENDED);
    assertThat(failure().reason()).isEqualTo(LocalReason.FAILED);
    assertThat(foundDirectories).containsExactly("f");
    request.setMob(Mob.newBuilder().setTimeZone("UTC"));
    assertThat(failure().reason()).isEqualTo(LocalReason.FAILED);
    assertThat(foundDirectories).containsExactly("f", ".mob");
  }

  /** A daughter's first compaction writes most of a file of which HBase guesses that it is half. */
  @Test
  void ofHalfAFileThereAreAtMostAllCells() throws IOException {
    for (int row = 0; row < 100; row++) {
      byte[] key = Bytes.toBytes(String.format(Locale.ROOT, "%02d", row));
      region.put(new Put(key).addColumn(FAMILY, FAMILY, key));
    }
    region.flush(true);
    RegionInfo parent = region.getRegionInfo();
    byte[] middle = Bytes.toBytes("10");
    RegionInfo daughter =
        RegionInfoBuilder.newBuilder(parent.getTable())
            .setRegionId(parent.getRegionId() + 1)
            .setStartKey(middle)
            .build();
    String file = region.getStore(FAMILY).getStorefiles().iterator().next().getPath().getName();
    Reference.createTopReference(middle)
        .write(
            region.getFilesystem(),
            new org.apache.hadoop.fs.Path(
                region.getRegionFileSystem().getTableDir(),
                daughter.getEncodedName() + "/f/" + file + "." + parent.getEncodedName()));
    region.close();
    region =
        HRegion.openHRegion(
            conf,
            region.getFilesystem(),
            CommonFSUtils.getRootDir(conf),
            daughter,
            region.getTableDescriptor(),
            new WALFactory(conf, "local").getWAL(daughter));
    CompactionInput input =
        CompactionInput.of(
            new CompactionRequestImpl(region.getStore(FAMILY).getStorefiles()),
            CellComparator.getInstance());
    assertThat(input.cells()).isGreaterThanOrEqualTo(90);
    assertThat(input.bytes()).isGreaterThan(90 * 20);
  }
}
