package io.ishbase.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.ishbase.core.AggregatePace;
import io.ishbase.daemon.rpc.Callers;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.DictionaryTrainer;
import io.ishbase.protocol.MessageChecksum;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.IssnProtos.AggregateFunction;
import io.ishbase.protocol.generated.IssnProtos.AggregateRequest;
import io.ishbase.protocol.generated.IssnProtos.AggregateResponse;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.KeepDeleted;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import io.ishbase.protocol.generated.IssnProtos.ValueType;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.protobuf.generated.HBaseProtos.LongMsg;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Answers to aggregates of two files: 100 rows, of which the newer file deletes every tenth and
 * gives every third another value.
 */
class AggregatedFilesTest {
  private static final String OLDER = "a".repeat(32);
  private static final String NEWER = "b".repeat(32);
  private static final int ROWS = 100;
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final long READ_POINT = 5;
  private static final long LONG = TimeUnit.HOURS.toNanos(1);

  @TempDir private Path root;

  private final Configuration conf = HBaseConfiguration.create();
  private String directory;
  private FileSystem fs;
  private CacheConfig cacheConfig;
  private HFileReaders readers;

  @BeforeEach
  void writeFiles() throws IOException {
    directory = root.toUri().getPath() + "data/f";
    fs = new HFileSystem(conf, false);
    cacheConfig = new CacheConfig(conf);
    readers = new HFileReaders(conf, fs, cacheConfig, 100, Duration.ofMinutes(1));
    List<KeyValue> older = new ArrayList<>();
    List<KeyValue> newer = new ArrayList<>();
    for (int row = 0; row < ROWS; row++) {
      older.add(cell(row, 1, KeyValue.Type.Put, 1, Bytes.toBytes((long) row)));
      if (row % 10 == 0) {
        newer.add(cell(row, 3, KeyValue.Type.DeleteColumn, 2, new byte[0]));
      } else if (row % 3 == 0) {
        // Nobody sees it yet.
        newer.add(cell(row, 3, KeyValue.Type.Put, READ_POINT + 1, Bytes.toBytes(1L << 40)));
        newer.add(cell(row, 2, KeyValue.Type.Put, 2, Bytes.toBytes(1000L + row)));
      }
    }
    write(OLDER, older);
    write(NEWER, newer);
  }

  @AfterEach
  void close() {
    readers.close();
  }

  private static byte[] row(int number) {
    return Bytes.toBytes(String.format("row%03d", number));
  }

  private static KeyValue cell(
      int row, long timestamp, KeyValue.Type type, long sequenceId, byte[] value) {
    KeyValue cell = new KeyValue(row(row), FAMILY, Bytes.toBytes("q"), timestamp, type, value);
    cell.setSequenceId(sequenceId);
    return cell;
  }

  private void write(String name, List<KeyValue> cells) throws IOException {
    StoreFileWriter writer =
        new StoreFileWriter.Builder(conf, cacheConfig, fs)
            .withFilePath(new org.apache.hadoop.fs.Path(directory, name))
            .withBloomType(BloomType.NONE)
            .withMaxKeyCount(100)
            .withFileContext(
                new HFileContextBuilder().withBlockSize(256).withIncludesMvcc(true).build())
            .build();
    for (KeyValue cell : cells) {
      writer.append(cell);
    }
    writer.appendMetadata(100, false);
    writer.close();
  }

  private static long value(int row) {
    return row % 3 == 0 ? 1000 + row : row;
  }

  private static LongStream values(IntPredicate rows) {
    return IntStream.range(0, ROWS)
        .filter(row -> row % 10 != 0)
        .filter(rows)
        .mapToLong(AggregatedFilesTest::value);
  }

  private ReadService service(long maxBatchNanos) throws IOException {
    return service(
        maxBatchNanos, new AggregatePace(() -> 0, System::nanoTime, LockSupport::parkNanos));
  }

  private ReadService service(long maxBatchNanos, AggregatePace pace) throws IOException {
    return new ReadService(
        readers,
        new Filters(conf),
        new DictionaryTrainer(
            DictionaryTrainer.SMALL_DICTIONARY_BYTES, Runnable::run, System::nanoTime),
        new org.apache.hadoop.fs.Path(root.toUri().getPath()),
        new Callers(conf, User.getCurrent()),
        4,
        1 << 20,
        maxBatchNanos,
        pace,
        new DaemonMetrics(() -> 0, () -> 0));
  }

  private ReadRequest.Builder read() {
    return ReadRequest.newBuilder()
        .setVersion(Protocol.VERSION)
        .setDirectory(directory)
        .addFile(OLDER)
        .addFile(NEWER)
        .setReadPoint(READ_POINT)
        .setFamilyVersions(1)
        .setMaxVersions(1)
        .addRange(RowRange.newBuilder());
  }

  private static RowRange range(int from, int to) {
    return RowRange.newBuilder()
        .setStartRow(ByteString.copyFrom(row(from)))
        .setStopRow(ByteString.copyFrom(row(to)))
        .build();
  }

  private static AggregateRequest.Builder request(AggregateFunction function) {
    return AggregateRequest.newBuilder()
        .setFamily(ByteString.copyFrom(FAMILY))
        .setFunction(function)
        .setValueType(ValueType.LONG)
        .setTtl(Long.MAX_VALUE)
        .setNow(1_000_000);
  }

  private static AggregateRequest sealed(
      AggregateRequest.Builder request, ReadRequest.Builder read) {
    return MessageChecksum.sealed(request.setRead(Checksums.sealed(read.build())).build());
  }

  private AggregateResponse ask(AggregateRequest.Builder request, ReadRequest.Builder read)
      throws IOException {
    return ask(service(LONG), request, read);
  }

  private static AggregateResponse ask(
      ReadService service, AggregateRequest.Builder request, ReadRequest.Builder read) {
    AggregateRequest sealed = sealed(request, read);
    AggregateResponse response = service.aggregate(null, sealed);
    assertThat(MessageChecksum.isIntact(response)).isTrue();
    assertThat(response.getAsked()).isEqualTo(sealed.getCrc32C());
    return response;
  }

  private static long number(AggregateResponse response) throws IOException {
    assertThat(response.getCode()).as(response.getMessage()).isEqualTo(Code.OK);
    return LongMsg.parseFrom(response.getValue().toByteArray()).getLongMsg();
  }

  @Test
  void areOfWhatAReaderSees() throws IOException {
    AggregateResponse rows = ask(request(AggregateFunction.ROWS), read());
    assertThat(rows.getRows()).isEqualTo(values(row -> true).count());
    assertThat(rows.hasValue()).isFalse();
    assertThat(rows.hasNextRow()).isFalse();
    assertThat(rows.getBlockBytes()).isPositive();
    assertThat(number(ask(request(AggregateFunction.SUM), read())))
        .isEqualTo(values(row -> true).sum());
    assertThat(number(ask(request(AggregateFunction.MIN), read()))).isEqualTo(1);
    assertThat(number(ask(request(AggregateFunction.MAX), read()))).isEqualTo(1099);
  }

  /** Where the next column would be a put has that very key: no seek gets past it. */
  @Test
  void passOverManyPutsOfAnEmptyQualifierThatHaveExpired() throws IOException {
    List<KeyValue> cells = new ArrayList<>();
    for (int number = 10; number > 0; number--) {
      KeyValue.Type type = number == 10 ? KeyValue.Type.Delete : KeyValue.Type.Put;
      KeyValue cell = new KeyValue(row(0), FAMILY, new byte[0], 5, type, Bytes.toBytes(1L));
      cell.setSequenceId(number);
      cells.add(cell);
    }
    String expired = "c".repeat(32);
    write(expired, cells);
    AggregateResponse rows =
        assertTimeoutPreemptively(
            Duration.ofMinutes(1),
            () ->
                ask(
                    request(AggregateFunction.ROWS).setTtl(1000),
                    read().clearFile().addFile(expired).setReadPoint(100)));
    assertThat(rows.getCode()).as(rows.getMessage()).isEqualTo(Code.OK);
    assertThat(rows.getRows()).isZero();
  }

  @Test
  void keepToRangeColumnsAndTimes() throws IOException {
    assertThat(
            number(
                ask(request(AggregateFunction.SUM), read().clearRange().addRange(range(15, 42)))))
        .isEqualTo(values(row -> row >= 15 && row < 42).sum());
    AggregateResponse ofOther =
        ask(request(AggregateFunction.SUM), read().addColumn(ByteString.copyFromUtf8("z")));
    assertThat(ofOther.getRows()).isZero();
    assertThat(ofOther.hasValue()).isFalse();
    // Markers lie outside the time range and count all the same.
    assertThat(number(ask(request(AggregateFunction.SUM), read().setMaxTimestamp(2))))
        .isEqualTo(IntStream.range(0, ROWS).filter(row -> row % 10 != 0).sum());
    assertThat(number(ask(request(AggregateFunction.SUM).setTtl(100).setNow(102), read())))
        .as("those of the older file have expired")
        .isEqualTo(values(row -> row % 3 == 0).sum());
  }

  @Test
  void goOnWhereAnAnswerEnds() throws IOException {
    ReadService hasty = service(0);
    for (AggregateFunction function : List.of(AggregateFunction.ROWS, AggregateFunction.SUM)) {
      RowRange rest = RowRange.getDefaultInstance();
      long rows = 0;
      long sum = 0;
      int answers = 0;
      while (rest != null) {
        AggregateResponse answer =
            ask(
                hasty,
                request(function)
                    .addExceptRow(ByteString.copyFrom(row(33)))
                    .addExceptRow(ByteString.copyFrom(row(34))),
                read().clearRange().addRange(rest));
        rows += answer.getRows();
        sum += answer.hasValue() ? number(answer) : 0;
        answers++;
        if (answer.hasNextRow()) {
          byte[] next = answer.getNextRow().toByteArray();
          assertThat(Bytes.compareTo(next, rest.getStartRow().toByteArray())).isPositive();
          rest = RowRange.newBuilder().setStartRow(answer.getNextRow()).build();
        } else {
          rest = null;
        }
      }
      assertThat(answers).isGreaterThan(3);
      IntPredicate wanted = row -> row != 33 && row != 34;
      assertThat(rows).isEqualTo(values(wanted).count());
      if (function == AggregateFunction.SUM) {
        assertThat(sum).isEqualTo(values(wanted).sum());
      }
    }
  }

  /** Each look at the clock is a millisecond after the one before. */
  @Test
  void giveWayToReads() throws IOException {
    AtomicLong nanos = new AtomicLong(System.nanoTime());
    AtomicInteger rests = new AtomicInteger();
    AggregatePace pace =
        new AggregatePace(
            () -> 0, () -> nanos.addAndGet(1_000_000), rest -> rests.incrementAndGet());
    ReadService service = service(LONG, pace);
    AggregateRequest.Builder request = request(AggregateFunction.SUM);
    long sum = values(row -> true).sum();
    assertThat(number(ask(service, request, read()))).isEqualTo(sum);
    assertThat(rests).as("alone").hasValue(0);
    pace.readBegun();
    assertThat(number(ask(service, request, read()))).isEqualTo(sum);
    assertThat(rests.getAndSet(0)).as("rests in " + 2 * ROWS + " cells").isBetween(5, 20);
    pace.readEnded();
    assertThat(number(ask(service, request, read()))).isEqualTo(sum);
    assertThat(rests).as("alone again").hasValue(0);
    assertThat(service.read(null, Checksums.sealed(read().build())).getCode()).isEqualTo(Code.OK);
    pace.turn().giveWay(Long.MAX_VALUE);
    assertThat(rests).as("for a read that is answered").hasValue(0);
  }

  @Test
  void leaveOutRows() throws IOException {
    AggregateRequest.Builder request = request(AggregateFunction.SUM);
    // Some are not there.
    for (int row : new int[] {0, 1, 2, 50, 51, 99, 150}) {
      request.addExceptRow(ByteString.copyFrom(row(row)));
    }
    assertThat(number(ask(request, read())))
        .isEqualTo(values(row -> row > 2 && row != 50 && row != 51 && row != 99).sum());
    AggregateRequest.Builder ofNone = request(AggregateFunction.SUM);
    IntStream.range(0, ROWS).forEach(row -> ofNone.addExceptRow(ByteString.copyFrom(row(row))));
    AggregateResponse none = ask(ofNone, read());
    assertThat(none.getCode()).isEqualTo(Code.OK);
    assertThat(none.getRows()).isZero();
    assertThat(none.hasValue()).isFalse();
  }

  private void isRefused(
      UnaryOperator<AggregateRequest.Builder> change, UnaryOperator<ReadRequest.Builder> ofRead)
      throws IOException {
    AggregateResponse response =
        ask(change.apply(request(AggregateFunction.SUM)), ofRead.apply(read()));
    assertThat(response.getCode()).as(response.getMessage()).isEqualTo(Code.BAD_REQUEST);
    assertThat(response.getMessage()).isNotEmpty();
    assertThat(response.hasFailedFile()).isFalse();
    assertThat(response.hasValue()).isFalse();
  }

  @Test
  void refuseWhatIsNoAggregate() throws IOException {
    UnaryOperator<AggregateRequest.Builder> sound = request -> request;
    UnaryOperator<ReadRequest.Builder> soundRead = read -> read;
    isRefused(sound, read -> read.addRange(range(1, 2)));
    isRefused(sound, ReadRequest.Builder::clearRange);
    isRefused(sound, read -> read.setReversed(true));
    isRefused(sound, read -> read.setFilter(ByteString.copyFromUtf8("?")));
    isRefused(sound, ReadRequest.Builder::clearMaxVersions);
    isRefused(sound, ReadRequest.Builder::clearFamilyVersions);
    isRefused(sound, read -> read.setMinTimestamp(-1));
    isRefused(sound, read -> read.setMinTimestamp(3).setMaxTimestamp(2));
    isRefused(request -> request.setMinVersions(-1), soundRead);
    isRefused(request -> request.setValueType(ValueType.DOUBLE), soundRead);
    isRefused(
        request -> {
          IntStream.rangeClosed(0, Protocol.MAX_EXCEPT_ROWS)
              .forEach(row -> request.addExceptRow(ByteString.copyFrom(row(row))));
          return request;
        },
        soundRead);
    assertThat(readers.size()).as("files that stay open").isLessThanOrEqualTo(2);
  }

  /** Whatever is asked of sound files, it is answered, or whoever asks is to blame. */
  @Test
  void blameNoFileForAStrangeRequest() throws IOException {
    Random random = new Random(Seed.get());
    ReadService service = service(LONG);
    int answered = 0;
    for (int i = 0; i < 3_000; i++) {
      AggregateRequest.Builder request = strangeRequest(random);
      ReadRequest.Builder read = strangeRead(random);
      AggregateResponse response = ask(service, request, read);
      assertThat(response.getCode())
          .as("%s, %s: %s", read, request, response.getMessage())
          .isIn(Code.OK, Code.BAD_REQUEST);
      assertThat(response.hasFailedFile()).isFalse();
      answered += response.getCode() == Code.OK ? 1 : 0;
    }
    assertThat(answered).isGreaterThan(300);
    assertThat(number(ask(service, request(AggregateFunction.SUM), read())))
        .isEqualTo(values(row -> true).sum());
  }

  @SafeVarargs
  private static <T> T any(Random random, T... choices) {
    return choices[random.nextInt(choices.length)];
  }

  private static ByteString anyBytes(Random random) {
    return ByteString.copyFrom(
        any(
            random,
            new byte[0],
            new byte[] {0},
            new byte[] {-1},
            FAMILY,
            Bytes.toBytes("q"),
            new byte[200],
            new byte[40_000],
            row(random.nextInt(ROWS)),
            row(random.nextInt(ROWS))));
  }

  private static AggregateRequest.Builder strangeRequest(Random random) {
    AggregateRequest.Builder request =
        AggregateRequest.newBuilder()
            .setFamily(random.nextBoolean() ? ByteString.copyFrom(FAMILY) : anyBytes(random))
            .setFunction(any(random, AggregateFunction.values()))
            .setValueType(any(random, ValueType.values()))
            .setKeepDeleted(any(random, KeepDeleted.values()))
            .setTtl(any(random, Long.MAX_VALUE, Long.MIN_VALUE, -1L, 0L, 1L, 1_000_000L))
            .setNow(any(random, Long.MAX_VALUE, Long.MIN_VALUE, -1L, 0L, 3L, 1_000_000L))
            .setMinVersions(any(random, 0, 0, 1, Integer.MAX_VALUE, -1));
    for (int row = random.nextInt(4); row > 0; row--) {
      request.addExceptRow(anyBytes(random));
    }
    return request;
  }

  private ReadRequest.Builder strangeRead(Random random) {
    ReadRequest.Builder read =
        read()
            .setReadPoint(any(random, READ_POINT, 0L, 1L, -1L, Long.MIN_VALUE, Long.MAX_VALUE))
            .setMaxVersions(any(random, 1, 2, Integer.MAX_VALUE, 0))
            .setFamilyVersions(any(random, 1, 2, Integer.MAX_VALUE, 0))
            .setCacheBlocks(random.nextBoolean());
    if (random.nextInt(4) == 0) {
      read.setMinTimestamp(any(random, 0L, 1L, 2L, Long.MAX_VALUE, -1L));
    }
    if (random.nextInt(4) == 0) {
      read.setMaxTimestamp(any(random, 0L, 2L, 3L, Long.MAX_VALUE, Long.MIN_VALUE));
    }
    for (int column = random.nextInt(4); column > 0; column--) {
      read.addColumn(anyBytes(random));
    }
    if (random.nextBoolean()) {
      read.clearRange()
          .addRange(
              RowRange.newBuilder()
                  .setStartRow(anyBytes(random))
                  .setStopRow(anyBytes(random))
                  .setIncludeStart(random.nextBoolean())
                  .setIncludeStop(random.nextBoolean()));
    }
    return read;
  }

  @Test
  void noBitOfARequestCanFlipUnnoticed() throws IOException {
    AggregateRequest truth =
        sealed(
            request(AggregateFunction.SUM).addExceptRow(ByteString.copyFrom(row(3))),
            read().addColumn(ByteString.copyFromUtf8("q")));
    ReadService service = service(LONG);
    byte[] bytes = truth.toByteArray();
    for (int bit = 0; bit < 8 * bytes.length; bit++) {
      byte[] flipped = bytes.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      AggregateRequest other;
      try {
        other = AggregateRequest.parseFrom(flipped);
      } catch (InvalidProtocolBufferException e) {
        continue;
      }
      if (!other.equals(truth)) {
        assertThat(service.aggregate(null, other).getCode())
            .as("bit " + bit)
            .isIn(Code.BAD_REQUEST, Code.VERSION);
      }
    }
  }

  @Test
  void sayWhoseFaultItIs() throws IOException {
    AggregateRequest.Builder request = request(AggregateFunction.SUM);
    AggregateResponse missing = ask(request, read().addFile("c".repeat(32)));
    assertThat(missing.getCode()).isEqualTo(Code.NO_FILE);
    assertThat(missing.getFailedFile()).isEqualTo(2);
    assertThat(ask(request, read().setDirectory("/etc")).getCode()).isEqualTo(Code.REFUSED);
    assertThat(ask(request, read().setVersion(Protocol.VERSION + 1)).getCode())
        .isEqualTo(Code.VERSION);
    readers.close();
    readers = new HFileReaders(conf, fs, cacheConfig, 100, Duration.ofMinutes(1));
    Path file = Path.of(directory, NEWER);
    byte[] bytes = Files.readAllBytes(file);
    bytes[0] ^= 0x55;
    Files.write(file, bytes);
    AggregateResponse damaged = ask(request, read());
    assertThat(damaged.getCode()).isEqualTo(Code.FAILED);
    assertThat(damaged.getFailedFile()).isEqualTo(1);
    ReadService stopping = service(LONG);
    stopping.stop();
    assertThat(ask(stopping, request, read()).getCode()).isEqualTo(Code.STOPPING);
  }

  @Test
  void giveUpValuesThatTakeLong() throws IOException {
    String name = "c".repeat(32);
    write(
        name,
        List.of(
            cell(
                0,
                1,
                KeyValue.Type.Put,
                1,
                Bytes.toBytes(new BigDecimal(BigInteger.ONE, 1_000_000_000)))));
    AggregateResponse response =
        ask(
            request(AggregateFunction.SUM).setValueType(ValueType.BIG_DECIMAL),
            read().clearFile().addFile(name));
    assertThat(response.getCode()).isEqualTo(Code.BAD_REQUEST);
  }

  @Test
  void giveUpARowThatTakesLong() throws IOException {
    String name = "c".repeat(32);
    List<KeyValue> cells = new ArrayList<>();
    for (int version = 100; version > 0; version--) {
      cells.add(cell(0, version, KeyValue.Type.Put, 1, Bytes.toBytes(1L)));
    }
    write(name, cells);
    ReadRequest.Builder read =
        read().clearFile().addFile(name).setMaxVersions(1000).setFamilyVersions(1000);
    // A row has a second, in which no class is to be loaded.
    for (long nanos : new long[] {TimeUnit.HOURS.toNanos(1), 0}) {
      assertThat(number(ask(service(nanos), request(AggregateFunction.SUM), read.clone())))
          .isEqualTo(100);
    }
    AggregateResponse late =
        ask(service(-TimeUnit.HOURS.toNanos(1)), request(AggregateFunction.SUM), read);
    assertThat(late.getCode()).isEqualTo(Code.BAD_REQUEST);
  }
}
