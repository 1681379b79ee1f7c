package io.ishbase.daemon;

import static java.util.Collections.nCopies;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.AggregatePace;
import io.ishbase.daemon.rpc.Callers;
import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.DictionaryTrainer;
import io.ishbase.protocol.MessageChecksum;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.ReadSet;
import io.ishbase.protocol.generated.IssnProtos.AggregateFunction;
import io.ishbase.protocol.generated.IssnProtos.AggregateRequest;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.FilterScope;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FuzzyRowFilter;
import org.apache.hadoop.hbase.filter.MultiRowRangeFilter;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests with the right checksum that no region server sends: refused, and no file suffers. */
class HostileRequestsTest {
  private static final String OLDER = "a".repeat(32);
  private static final String NEWER = "b".repeat(32);

  @TempDir private Path root;

  private final Configuration conf = HBaseConfiguration.create();
  private String directory;
  private FileSystem fs;
  private CacheConfig cacheConfig;
  private HFileReaders readers;

  @BeforeEach
  void open() throws IOException {
    directory = root.toUri().getPath() + "data/f";
    fs = new HFileSystem(conf, false);
    cacheConfig = new CacheConfig(conf);
    readers = new HFileReaders(conf, fs, cacheConfig, 100, Duration.ofMinutes(1));
    write(OLDER);
    write(NEWER);
  }

  @AfterEach
  void close() {
    readers.close();
  }

  private void write(String name) throws IOException {
    StoreFileWriter writer =
        new StoreFileWriter.Builder(conf, cacheConfig, fs)
            .withFilePath(new org.apache.hadoop.fs.Path(directory, name))
            .withBloomType(BloomType.NONE)
            .withMaxKeyCount(100)
            .withFileContext(
                new HFileContextBuilder().withBlockSize(256).withIncludesMvcc(true).build())
            .build();
    for (int row = 0; row < 100; row++) {
      KeyValue cell =
          new KeyValue(
              Bytes.toBytes(String.format("row%03d", row)),
              Bytes.toBytes("f"),
              Bytes.toBytes("q"),
              1,
              new byte[10]);
      cell.setSequenceId(1);
      writer.append(cell);
    }
    writer.appendMetadata(100, false);
    writer.close();
  }

  private ReadService service(Configuration callers) throws IOException {
    return new ReadService(
        readers,
        new Filters(conf),
        new DictionaryTrainer(
            DictionaryTrainer.SMALL_DICTIONARY_BYTES, Runnable::run, System::nanoTime),
        new org.apache.hadoop.fs.Path(root.toUri().getPath()),
        new Callers(callers, User.getCurrent()),
        4,
        1 << 20,
        TimeUnit.HOURS.toNanos(1),
        new AggregatePace(() -> 0, System::nanoTime, LockSupport::parkNanos),
        new DaemonMetrics(() -> 0, () -> 0));
  }

  private ReadRequest.Builder request() {
    return ReadRequest.newBuilder()
        .setVersion(Protocol.VERSION)
        .setDirectory(directory)
        .addFile(OLDER)
        .addFile(NEWER)
        .setReadPoint(Long.MAX_VALUE)
        .addRange(RowRange.newBuilder());
  }

  private ReadResponse ask(ReadRequest.Builder request) throws IOException {
    return service(conf).read(null, Checksums.sealed(request.build()));
  }

  private void isRefused(UnaryOperator<ReadRequest.Builder> change) throws IOException {
    assertThat(ask(request()).getCode()).isEqualTo(Code.OK);
    ReadResponse response = ask(change.apply(request()));
    assertThat(response.getCode()).as(response.getMessage()).isEqualTo(Code.BAD_REQUEST);
    assertThat(response.getMessage()).isNotEmpty();
    assertThat(readers.size()).as("files that stay open").isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "?",
        // A row that is longer than the key, and one of a negative length.
        "\u007f\u007frow\u0001f        \u0004",
        "\uffff\uffffrow\u0001f        \u0004",
        // A family that is longer than the key.
        "\u0000\u0003row\u007ff        \u0004",
        // A type that no cell has: whoever prints such a key fails.
        "\u0000\u0003row\u0001f        \u0013"
      })
  void aPlaceThatIsNone(String key) throws IOException {
    byte[] bytes = new byte[key.length()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) key.charAt(i);
    }
    isRefused(request -> request.setFrom(Position.newBuilder().setKey(ByteString.copyFrom(bytes))));
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "-1, 1", "1, 0", "1, -2147483648"})
  void gapsBeforeTheFirstCell(int versions, int columns) throws IOException {
    isRefused(request -> request.setTrimVersions(versions).setTrimColumns(columns));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "/", "a/b", "../f/a"})
  void namesOfNoFile(String name) throws IOException {
    isRefused(request -> request.addFile(name));
  }

  @Test
  void rowsThatNoTableHas() throws IOException {
    ByteString tooLong = ByteString.copyFrom(new byte[Short.MAX_VALUE + 1]);
    isRefused(request -> request.addRange(RowRange.newBuilder().setStartRow(tooLong)));
    isRefused(request -> request.addRange(RowRange.newBuilder().setStopRow(tooLong)));
  }

  private static ReadRequest sealed(ReadRequest.Builder request) {
    return Checksums.sealed(request.build());
  }

  /** The short form of {@code request}, whose handle {@code service} knows. */
  private static ReadRequest known(ReadService service, ReadRequest request) {
    ReadSet set = ReadSet.of(request);
    assertThat(service.read(null, set.taughtBy(request)).getCode()).isEqualTo(Code.OK);
    ReadRequest shortForm = set.shortened(request);
    ReadResponse response = service.read(null, shortForm);
    assertThat(response.getCode()).as(response.getMessage()).isEqualTo(Code.OK);
    assertThat(response.getAsked()).isEqualTo(request.getCrc32C());
    return shortForm;
  }

  @Test
  void aHandleThatNobodyHasTold() throws IOException {
    ReadService service = service(conf);
    ReadRequest request = sealed(request());
    ReadSet set = ReadSet.of(request);
    ReadRequest shortForm = set.shortened(request);
    for (int i = 0; i < 2; i++) {
      ReadResponse response = service.read(null, shortForm);
      assertThat(response.getCode()).isEqualTo(Code.UNKNOWN_HANDLE);
      assertThat(response.getAsked()).isEqualTo(request.getCrc32C());
      assertThat(Checksums.isIntact(response)).isTrue();
    }
    known(service, request);
    // Another daemon, or the same one after a restart.
    assertThat(service(conf).read(null, shortForm).getCode()).isEqualTo(Code.UNKNOWN_HANDLE);
  }

  @Test
  void aHandleThatIsNotThatOfWhatIsRead() throws IOException {
    ReadService service = service(conf);
    ReadRequest mine = sealed(request());
    ReadRequest forged = sealed(request().clearFile().addFile(NEWER));
    ReadRequest lie = ReadSet.of(mine).taughtBy(forged);
    ReadRequest shortForm = ReadSet.of(mine).shortened(mine);
    assertThat(service.read(null, lie).getCode()).isEqualTo(Code.BAD_REQUEST);
    assertThat(service.read(null, shortForm).getCode()).isEqualTo(Code.UNKNOWN_HANDLE);
    known(service, mine);
    assertThat(service.read(null, lie).getCode()).isEqualTo(Code.BAD_REQUEST);
    assertThat(service.read(null, shortForm).getCode()).isEqualTo(Code.OK);
  }

  /** The checksum is that of the read that is meant. */
  @Test
  void aHandleOfOtherFiles() throws IOException {
    ReadService service = service(conf);
    ReadRequest mine = sealed(request());
    ReadRequest other = sealed(request().clearFile().addFile(NEWER));
    ReadRequest shortForm = known(service, mine);
    known(service, other);
    ReadResponse response =
        service.read(null, shortForm.toBuilder().setHandle(ReadSet.of(other).handle()).build());
    assertThat(response.getCode()).isEqualTo(Code.BAD_REQUEST);
    assertThat(response.getMessage()).contains("checksum");
  }

  @Test
  void aHandleAndAPartOfWhatItStandsFor() throws IOException {
    ReadService service = service(conf);
    ReadRequest shortForm = known(service, sealed(request().addRange(RowRange.newBuilder())));
    List<UnaryOperator<ReadRequest.Builder>> parts =
        List.of(
            request -> request.setVersion(Protocol.VERSION),
            request -> request.addFile(OLDER),
            request -> request.setTrimVersions(2),
            request -> request.setPack(true),
            request -> request.setDictionary(2),
            request -> request.addRow(ByteString.copyFromUtf8("row010")),
            request -> {
              request.clearRange();
              for (int row = 0; row <= Protocol.MAX_RANGES; row++) {
                request.addRow(ByteString.EMPTY);
              }
              return request;
            });
    for (UnaryOperator<ReadRequest.Builder> part : parts) {
      ReadResponse response = service.read(null, part.apply(shortForm.toBuilder()).build());
      assertThat(response.getCode()).isEqualTo(Code.BAD_REQUEST);
      assertThat(response.getMessage()).doesNotContain("checksum");
    }
    // Of what it may say, what it says is covered.
    assertThat(service.read(null, shortForm.toBuilder().setReadPoint(3).build()).getCode())
        .isEqualTo(Code.BAD_REQUEST);
  }

  @Test
  void aDirectoryByAnotherName() throws IOException {
    for (String other :
        List.of(
            directory + "/",
            directory + "/.",
            directory + ":q",
            directory + "//",
            directory.replaceFirst("/([^/]+)$", "//$1"),
            directory.replaceFirst("/([^/]+)$", "/./$1"))) {
      isRefused(request -> request.setDirectory(other));
    }
  }

  /** HBase's wrapper asks it about cells only. */
  @Test
  void aFilterThatGivesNoAnswer() throws IOException {
    Filter rows = new MultiRowRangeFilter(new byte[][] {Bytes.toBytes("row")});
    ByteString filter =
        ByteString.copyFrom(ProtobufUtil.toFilter(new SkipFilter(rows)).toByteArray());
    assertThat(ask(request().setFilter(filter).setFilterScope(FilterScope.BY_VERSION)).getCode())
        .isEqualTo(Code.FILTER_FAILED);
  }

  @Test
  void rowsInPlaceOfRangesWithoutAHandle() throws IOException {
    isRefused(request -> request.addRow(ByteString.copyFromUtf8("row010")));
    isRefused(ReadRequest.Builder::clearReadPoint);
  }

  /** Of what may not be read no handle is known, and none gives a right. */
  @Test
  void aHandleOfADirectoryOutsideOfTheRoot() throws IOException {
    ReadService service = service(conf);
    for (String outside : List.of("/etc", directory + "/../../..", "")) {
      ReadRequest request = sealed(request().setDirectory(outside));
      ReadSet set = ReadSet.of(request);
      assertThat(service.read(null, set.taughtBy(request)).getCode()).isEqualTo(Code.REFUSED);
      assertThat(service.read(null, set.shortened(request)).getCode())
          .isEqualTo(Code.UNKNOWN_HANDLE);
    }
    Configuration secure = new Configuration(conf);
    secure.set("hbase.security.authentication", "kerberos");
    secure.set("hadoop.security.authentication", "kerberos");
    ReadRequest request = sealed(request());
    assertThat(service(secure).read(null, ReadSet.of(request).shortened(request)).getCode())
        .as("whether a handle is known is told to nobody who may not ask")
        .isEqualTo(Code.REFUSED);
  }

  @Test
  void aHandleOfTooMuch() throws IOException {
    ReadRequest request = sealed(request().addFile("f".repeat(Protocol.MAX_HANDLE_BYTES)));
    ReadResponse response = service(conf).read(null, ReadSet.of(request).taughtBy(request));
    assertThat(response.getCode()).isEqualTo(Code.BAD_REQUEST);
  }

  @Test
  void anAggregateByAHandle() throws IOException {
    ReadService service = service(conf);
    ReadRequest shortForm = known(service, sealed(request()));
    AggregateRequest aggregate =
        AggregateRequest.newBuilder()
            .setRead(shortForm)
            .setFamily(ByteString.copyFromUtf8("f"))
            .setFunction(AggregateFunction.ROWS)
            .setTtl(Long.MAX_VALUE)
            .setNow(1)
            .build();
    assertThat(service.aggregate(null, MessageChecksum.sealed(aggregate)).getCode())
        .isEqualTo(Code.BAD_REQUEST);
  }

  @Test
  void numbersBeyondReasonChangeNothing() throws IOException {
    ReadResponse sound = ask(request());
    assertThat(
            ask(request()
                    .setMaxBytes(-1)
                    .setMinTimestamp(Long.MIN_VALUE)
                    .setMaxTimestamp(Long.MAX_VALUE)
                    .setOldestUnexpired(-1)
                    .setFamilyVersions(-1)
                    .setTrimVersions(Integer.MAX_VALUE)
                    .setTrimColumns(Integer.MAX_VALUE)
                    .setTrimBehindColumns(true)
                    .setMaxBlockBytes(-1))
                .getCells())
        .isEqualTo(sound.getCells());
    assertThat(ask(request().setReadPoint(-1)).getCellCount()).isZero();
    assertThat(ask(request().setMaxRows(-1)).getCode()).isEqualTo(Code.OK);
  }

  @Test
  void rangesThatContradictThemselves() throws IOException {
    ByteString first = ByteString.copyFromUtf8("row010");
    ByteString last = ByteString.copyFromUtf8("row020");
    ReadResponse backwards =
        ask(
            request()
                .clearRange()
                .addRange(RowRange.newBuilder().setStartRow(last).setStopRow(first)));
    assertThat(backwards.getCode()).isEqualTo(Code.OK);
    assertThat(backwards.getCellCount()).isZero();
    ReadResponse behindItsEnd =
        ask(
            request()
                .clearRange()
                .addRange(RowRange.newBuilder().setStopRow(first))
                .setFrom(
                    Positions.atKey(
                        new KeyValue(
                            last.toByteArray(),
                            Bytes.toBytes("f"),
                            Bytes.toBytes("q"),
                            1,
                            KeyValue.Type.Put))));
    assertThat(behindItsEnd.getCode()).isEqualTo(Code.OK);
    assertThat(behindItsEnd.getCellCount()).isZero();
    assertThat(behindItsEnd.hasNext()).isFalse();
  }

  /** A greeting learns of it, which asks for nothing and carries no checksum of an old release. */
  @Test
  void whoMayNotAskIsToldSoBeforeAllElse() throws IOException {
    Configuration secure = new Configuration(conf);
    secure.set("hbase.security.authentication", "kerberos");
    secure.set("hadoop.security.authentication", "kerberos");
    ReadService service = service(secure);
    assertThat(service.read(null, Checksums.sealed(request().build())).getCode())
        .isEqualTo(Code.REFUSED);
    assertThat(service.read(null, request().build()).getCode()).isEqualTo(Code.REFUSED);
  }

  /** With HBase at the root of HDFS a directory may look like an authority. Nobody waits for it. */
  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aPathThatIsNone() {
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> readers.acquire("//[x/" + OLDER))
          .isInstanceOf(RequestException.class);
    }
    assertThat(readers.size()).isZero();
  }

  private void damage(String file) throws IOException {
    Path path = Path.of(directory, file);
    byte[] bytes = Files.readAllBytes(path);
    bytes[bytes.length / 4] ^= 0x55;
    Files.write(path, bytes);
  }

  @Test
  void aFileThatIsNotThereIsNamed() throws IOException {
    for (int index = 0; index < 3; index++) {
      List<String> files = new ArrayList<>(List.of(OLDER, NEWER));
      files.add(index, "c".repeat(32));
      ReadResponse response = ask(request().clearFile().addAllFile(files));
      assertThat(response.getCode()).isEqualTo(Code.NO_FILE);
      assertThat(response.getFailedFile()).isEqualTo(index);
    }
  }

  @Test
  void aDamagedFileLeavesTheOthersOpen() throws IOException {
    damage(NEWER);
    ReadResponse response = ask(request());
    assertThat(response.getCode()).isIn(Code.CORRUPT, Code.FAILED);
    assertThat(response.getFailedFile()).isEqualTo(1);
    assertThat(readers.size()).isEqualTo(1);
  }

  /** Nobody sends one with a reverse scan: the hint of one may lead back. */
  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aFilterThatSeeksInAReverseScan() throws IOException {
    Filter filter =
        new FuzzyRowFilter(
            new ArrayList<>(List.of(new Pair<>(Bytes.toBytes("row010"), new byte[6]))));
    ReadResponse response =
        ask(
            request()
                .setReversed(true)
                .setFilter(ByteString.copyFrom(ProtobufUtil.toFilter(filter).toByteArray()))
                .clearRange()
                .addRange(RowRange.newBuilder().setStartRow(ByteString.copyFromUtf8("row005"))));
    assertThat(response.getCode()).as(response.getMessage()).isEqualTo(Code.OK);
    assertThat(response.hasNext()).isFalse();
  }

  @Test
  void countedFilesAreFilesOfTheRequest() throws IOException {
    KeyValue at =
        new KeyValue(
            Bytes.toBytes("row050"), Bytes.toBytes("f"), Bytes.toBytes("q"), 1, new byte[0]);
    ReadRequest.Builder request = request();
    int files = request.getFileCount();
    for (List<Integer> counted : List.of(List.of(files), List.of(-1), nCopies(files + 1, 0))) {
      assertThat(
              ask(request
                      .clone()
                      .setFrom(Positions.atCell(at, 0).toBuilder().addAllCountedFile(counted)))
                  .getCode())
          .isEqualTo(Code.BAD_REQUEST);
    }
  }
}
