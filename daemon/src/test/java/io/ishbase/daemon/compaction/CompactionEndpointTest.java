package io.ishbase.daemon.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.compaction.ProcessorBudget;
import io.ishbase.daemon.rpc.Callers;
import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.AttemptDirectory;
import io.ishbase.protocol.MessageChecksum;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.WriterSettings;
import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.ishbase.protocol.generated.CompactionProtos.CompactionState;
import io.ishbase.protocol.generated.CompactionProtos.ProgressRequest;
import io.ishbase.protocol.generated.CompactionProtos.ProgressResponse;
import io.ishbase.protocol.generated.CompactionProtos.StoragePolicy;
import io.ishbase.protocol.generated.CompactionProtos.Stripes;
import io.ishbase.protocol.generated.CompactionProtos.Windows;
import io.ishbase.protocol.generated.CompactionProtos.WorkRequest;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.testing.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.shaded.protobuf.generated.HBaseProtos;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.util.Progressable;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.MoreExecutors;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests for compactions that no region server sends, and compactions that end badly. */
class CompactionEndpointTest {
  private static final String ATTEMPT = "0123456789abcdef".repeat(2);
  private static final byte[] FAMILY = Bytes.toBytes("f");

  @TempDir java.nio.file.Path temp;

  private final Configuration site = HBaseConfiguration.create();
  private final TableDescriptor table =
      TableDescriptorBuilder.newBuilder(TableName.valueOf("t"))
          .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
          .build();
  private final RegionInfo region = RegionInfoBuilder.newBuilder(table.getTableName()).build();
  private FileSystem fs;
  private Path root;
  private Path regionDirectory;
  private CompactionWorker worker;
  private CompactionEndpoint endpoint;

  @BeforeEach
  void start() throws IOException {
    root = new Path(temp.toUri());
    CommonFSUtils.setRootDir(site, root);
    fs = new HFileSystem(site, true);
    regionDirectory =
        new Path(CommonFSUtils.getTableDir(root, table.getTableName()), region.getEncodedName());
    fs.mkdirs(regionDirectory);
    worker = new CompactionWorker(site, fs, root, 2, 0, 0, 1, () -> {});
    endpoint = new CompactionEndpoint(worker, new Callers(site, User.getCurrent()), 30_000, 2);
  }

  @AfterEach
  void stop() {
    EnvironmentEdgeManager.reset();
    worker.close();
  }

  private CompactRequest.Builder request() throws IOException {
    return CompactRequest.newBuilder()
        .setVersion(Protocol.VERSION)
        .setAttempt(ATTEMPT)
        .setRegionServer("rs,1,1")
        .setTable(UnsafeByteOperations.unsafeWrap(TableDescriptorBuilder.toByteArray(table)))
        .setRegion(UnsafeByteOperations.unsafeWrap(RegionInfo.toByteArray(region)))
        .addFile("1".repeat(32))
        .setMajor(true)
        .setAllFiles(true)
        .setReadPoint(100)
        .setNow(System.currentTimeMillis())
        .setBytes(1)
        .setLeaseMillis(1000);
  }

  private void isRefused(UnaryOperator<CompactRequest.Builder> change) throws IOException {
    CompactRequest request = change.apply(request()).build();
    assertThat(endpoint.compact(null, MessageChecksum.sealed(request)).getCode())
        .as(request.toString())
        .isEqualTo(Code.BAD_REQUEST);
    assertThat(worker.jobs()).isEmpty();
    assertThat(worker.info().getRunning()).isZero();
  }

  @Test
  void namesThatLeaveTheStore() throws IOException {
    isRefused(request -> request.clearFile());
    isRefused(request -> request.addFile("../" + "1".repeat(32)));
    isRefused(request -> request.addFile(""));
    isRefused(request -> request.addFile("."));
    isRefused(request -> request.addFile(".."));
    isRefused(request -> request.setAttempt("../../../../../../../../../../x"));
    isRefused(request -> request.setAttempt(""));
    isRefused(request -> request.setTable(ByteString.EMPTY));
    isRefused(request -> request.setTable(ByteString.copyFromUtf8("PBUF")));
    isRefused(request -> request.setRegion(ByteString.copyFromUtf8("PBUF")));
    isRefused(request -> request.setRegion(ByteString.copyFromUtf8("garbage")));
  }

  /** HBase keeps each name of a table that its parsers have met. */
  @Test
  void namesOfTablesThatAreNotThereAreNotKept() throws Exception {
    Field kept = TableName.class.getDeclaredField("tableCache");
    kept.setAccessible(true);
    for (Map.Entry<String, Code> name :
        Map.of("absent", Code.NO_FILE, "x".repeat(256), Code.BAD_REQUEST, "..", Code.BAD_REQUEST)
            .entrySet()) {
      HBaseProtos.TableName table =
          HBaseProtos.TableName.newBuilder()
              .setNamespace(ByteString.copyFromUtf8("default"))
              .setQualifier(ByteString.copyFromUtf8(name.getKey()))
              .build();
      CompactRequest request =
          request()
              .setTable(withMagic(HBaseProtos.TableSchema.newBuilder().setTableName(table).build()))
              .setRegion(
                  withMagic(
                      HBaseProtos.RegionInfo.newBuilder()
                          .setRegionId(1)
                          .setTableName(table)
                          .build()))
              .build();
      assertThat(endpoint.compact(null, MessageChecksum.sealed(request)).getCode())
          .as(name.getKey())
          .isEqualTo(name.getValue());
      assertThat((Set<?>) kept.get(null))
          .extracting(Object::toString)
          .doesNotContain(name.getKey())
          .contains("t");
    }
  }

  private static ByteString withMagic(Message message) {
    return UnsafeByteOperations.unsafeWrap(ProtobufUtil.prependPBMagic(message.toByteArray()));
  }

  /** They would be kept as long as the attempt, shown, and written into the log. */
  @Test
  void namesThatAreTooLong() throws IOException {
    isRefused(request -> request.setRegionServer("r".repeat(1 << 20)));
    isRefused(request -> request.setRegionServer("rs,1,1\nAccess allowed"));
    isRefused(request -> request.addFile("1".repeat(256)));
  }

  /** Slots would be lost with each one that the machine could not give, and the sweep with it. */
  @Test
  void aThreadThatCannotBeMadeCostsNoSlot() throws IOException {
    worker.close();
    AtomicInteger asked = new AtomicInteger();
    ExecutorService threads =
        new ThreadPoolExecutor(0, 10, 1, TimeUnit.SECONDS, new SynchronousQueue<>()) {
          @Override
          public void execute(Runnable task) {
            int before = asked.getAndIncrement();
            // The first job's, and the second's first sweep's.
            if (before == 0 || before == 2) {
              throw new OutOfMemoryError("unable to create native thread");
            }
            super.execute(task);
          }
        };
    worker = new CompactionWorker(site, fs, root, 1, 0, 0, 1, () -> {}, threads);
    ClockCheck clocks = new ClockCheck(System.currentTimeMillis(), 30_000);
    CompactRequest request = request().setLeaseMillis(1).build();
    assertThatThrownBy(() -> worker.start(request, "rs", clocks))
        .isInstanceOf(OutOfMemoryError.class);
    assertThat(worker.info().getRunning()).isZero();
    assertThat(worker.jobs()).isEmpty();
    worker.start(request, "rs", clocks);
    Await.until("a later sweep", () -> worker.jobs().isEmpty());
    assertThat(asked).hasValueGreaterThan(3);
  }

  /**
   * What a worker says of its work stands in its registration. With a sum that cannot be, region
   * servers ignore the daemon, for reads, too.
   */
  @Test
  void countsThatCannotBe() throws IOException {
    isRefused(request -> request.setBytes(-1));
    isRefused(request -> request.setBytes(Long.MAX_VALUE));
    isRefused(request -> request.setReadPoint(-1));
    isRefused(request -> request.setLeaseMillis(0));
    isRefused(request -> request.setLeaseMillis(-1));
    isRefused(request -> request.setMaxBytesPerSecond(-1));
    isRefused(request -> request.setPressure(Double.NaN));
  }

  @Test
  void windowsAndStripesThatCannotBe() throws IOException {
    isRefused(request -> request.setWindows(Windows.getDefaultInstance()));
    isRefused(
        request ->
            request.setWindows(
                Windows.newBuilder()
                    .addFrom(Long.MIN_VALUE)
                    .addPolicy(
                        StoragePolicy.newBuilder()
                            .setFrom(Long.MIN_VALUE)
                            .setName("/../../../../../x"))));
    isRefused(request -> request.setStripes(Stripes.getDefaultInstance()));
    isRefused(request -> request.setStripes(Stripes.newBuilder().addBoundary(ByteString.EMPTY)));
  }

  @Test
  void aRateThatCannotBeStopsNoCompaction() {
    ProgressResponse answer =
        endpoint.progress(
            null,
            MessageChecksum.sealed(
                ProgressRequest.newBuilder()
                    .setVersion(Protocol.VERSION)
                    .setAttempt(ATTEMPT)
                    .setMaxBytesPerSecond(-1)
                    .build()));
    assertThat(answer.getState()).isEqualTo(CompactionState.UNKNOWN);
    assertThat(answer.getCode()).isEqualTo(Code.BAD_REQUEST);
  }

  @Test
  void clocksThatAreFarApart() throws IOException {
    for (long now : new long[] {0, Long.MAX_VALUE, Long.MIN_VALUE, -1}) {
      assertThat(
              endpoint
                  .compact(null, MessageChecksum.sealed(request().setNow(now).build()))
                  .getCode())
          .as("" + now)
          .isEqualTo(Code.REFUSED);
    }
    // The difference is the one number that has no absolute value.
    EnvironmentEdgeManager.injectEdge(() -> 1000);
    CompactRequest request = request().setNow(Long.MIN_VALUE + 1000).build();
    assertThat(endpoint.compact(null, MessageChecksum.sealed(request)).getCode())
        .isEqualTo(Code.REFUSED);
  }

  @Test
  void withSecurityOnlyRegionServersAsk() throws IOException {
    Configuration secure = new Configuration(site);
    secure.set("hbase.security.authentication", "kerberos");
    secure.set("hadoop.security.authentication", "kerberos");
    CompactionEndpoint guarded =
        new CompactionEndpoint(worker, new Callers(secure, User.getCurrent()), 30_000, 2);
    assertThat(guarded.compact(null, MessageChecksum.sealed(request().build())).getCode())
        .isEqualTo(Code.REFUSED);
    assertThat(
            guarded
                .progress(
                    null,
                    MessageChecksum.sealed(
                        ProgressRequest.newBuilder()
                            .setVersion(Protocol.VERSION)
                            .setAttempt(ATTEMPT)
                            .setCancel(true)
                            .build()))
                .getCode())
        .isEqualTo(Code.REFUSED);
    assertThat(
            guarded
                .work(
                    null,
                    MessageChecksum.sealed(
                        WorkRequest.newBuilder()
                            .setVersion(Protocol.VERSION)
                            .setDrain(true)
                            .build()))
                .getCode())
        .isEqualTo(Code.REFUSED);
    assertThat(worker.info().getDraining()).isFalse();
  }

  /** As a codec does of which half is missing. */
  private final class FailingLate extends HFileSystem {
    FailingLate() throws IOException {
      super(site, true);
    }

    @Override
    public FSDataOutputStream create(
        Path path,
        FsPermission permission,
        boolean overwrite,
        int bufferSize,
        short replication,
        long blockSize,
        Progressable progress)
        throws IOException {
      OutputStream failing =
          new OutputStream() {
            private boolean began;

            @Override
            public void write(int value) {
              write(new byte[1], 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
              if (began) {
                throw new NoClassDefFoundError("codec");
              }
              began = true;
            }
          };
      return new FSDataOutputStream(failing, null);
    }
  }

  private void writeFile() throws IOException {
    String file = "1".repeat(32);
    StoreFileWriter writer =
        new StoreFileWriter.Builder(site, new CacheConfig(site), fs)
            .withFilePath(new Path(new Path(regionDirectory, "f"), file))
            .withFileContext(new HFileContextBuilder().withIncludesMvcc(true).build())
            .build();
    KeyValue cell = new KeyValue(FAMILY, FAMILY, FAMILY, 1, FAMILY);
    cell.setSequenceId(1);
    writer.append(cell);
    writer.appendMetadata(1, false);
    writer.close();
  }

  private CompactionJob job(CompactRequest request, FileSystem target, RemoteCache cache)
      throws IOException {
    return new CompactionJob(
        request,
        new StoreCompaction(request, WriterSettings.without(site), target, root, cache),
        "rs",
        new ProcessorBudget(1, 1, () -> 0, () -> 0, () -> 1, System::nanoTime),
        new ClockCheck(request.getNow(), 30_000),
        1000);
  }

  /** What cannot be done ends at once and is known for a lease: one asks for it all the time. */
  @Test
  void whoAsksForTooMuchKeepsNobodyElseOut() throws IOException {
    worker.close();
    worker = new CompactionWorker(site, fs, root, 1, 0, 0, 1, () -> {}, noThreads());
    ClockCheck clocks = new ClockCheck(System.currentTimeMillis(), 30_000);
    for (int i = 0; i < 2_000; i++) {
      begin(i, "one", clocks);
    }
    assertThatThrownBy(() -> begin(2_000, "one", clocks))
        .isInstanceOfSatisfying(
            RequestException.class, e -> assertThat(e.code()).isEqualTo(Code.BUSY))
        .hasMessageContaining("some are forgotten");
    begin(2_001, "other", clocks);
    assertThat(worker.jobs()).hasSize(2_001);
  }

  private void begin(int number, String caller, ClockCheck clocks) throws IOException {
    String attempt = String.format("%032x", number);
    worker.start(request().setAttempt(attempt).setLeaseMillis(60_000).build(), caller, clocks);
  }

  /** They run at once: there is no file. */
  private static ExecutorService noThreads() {
    return MoreExecutors.newDirectExecutorService();
  }

  @Test
  void aClockThatJumpsMeanwhileSpoilsTheResult() throws Exception {
    writeFile();
    CompactRequest request = request().build();
    Path attempt = AttemptDirectory.of(regionDirectory, ATTEMPT);
    fs.mkdirs(attempt);
    CompactionJob job = job(request, fs, new RemoteCache(0));
    EnvironmentEdgeManager.injectEdge(() -> request.getNow() + 60_000);
    job.run();
    assertThat(job.progress().getCode()).isEqualTo(Code.REFUSED);
    assertThat(job.progress().getOutputList()).isEmpty();
    assertThat(fs.listStatus(attempt)).isEmpty();
  }

  @Test
  void aClockThatGoesAsTheOtherDoesNot() throws Exception {
    writeFile();
    fs.mkdirs(AttemptDirectory.of(regionDirectory, ATTEMPT));
    CompactionJob job = job(request().build(), fs, new RemoteCache(0));
    job.run();
    assertThat(job.isDone()).isTrue();
    assertThat(job.progress().getOutputList()).hasSize(1);
  }

  @Test
  void aCompactionThatEndsWithAnErrorLeavesNothing() throws Exception {
    writeFile();
    Path attempt = AttemptDirectory.of(regionDirectory, ATTEMPT);
    fs.mkdirs(attempt);
    RemoteCache cache = new RemoteCache(64 << 20);
    CompactRequest request = request().setKeep(true).build();
    CompactionJob job = job(request, new FailingLate(), cache);
    assertThatThrownBy(job::run).isInstanceOf(NoClassDefFoundError.class);
    assertThat(job.hasEnded()).isTrue();
    assertThat(cache.usedBytes()).isZero();
    assertThat(fs.listStatus(attempt)).isEmpty();
  }
}
