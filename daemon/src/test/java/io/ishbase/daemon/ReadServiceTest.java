package io.ishbase.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.AggregatePace;
import io.ishbase.core.metric.Metric;
import io.ishbase.daemon.rpc.Callers;
import io.ishbase.protocol.CellBatch;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.DictionaryTrainer;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.Spans;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import io.ishbase.protocol.generated.IssnProtos.SharedReadRequest;
import io.ishbase.testing.Seed;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The scan service on real HFiles, against a merge that the test makes itself. */
class ReadServiceTest {
  private static final int FILES = 4;
  private static final long READ_POINT = 60;

  /** A cell and the file that it was written to. */
  private record Placed(KeyValue cell, int file) {}

  @RegisterExtension
  static final OpenTelemetryExtension TELEMETRY = OpenTelemetryExtension.create();

  @TempDir private Path root;

  private final Configuration conf = HBaseConfiguration.create();
  private final List<Placed> all = new ArrayList<>();
  private final List<String> files = new ArrayList<>();
  private String directory;
  private final DaemonMetrics metrics = new DaemonMetrics(() -> 0, () -> 0);
  private HFileReaders readers;
  private ReadService service;

  @BeforeEach
  void writeFiles() throws IOException {
    Random random = new Random(Seed.get());
    FileSystem fs = new HFileSystem(conf, false);
    org.apache.hadoop.fs.Path store =
        new org.apache.hadoop.fs.Path(root.toUri().getPath() + "data/f");
    directory = store.toUri().getPath();
    CacheConfig cacheConfig = new CacheConfig(conf);
    for (int file = 0; file < FILES; file++) {
      String name = UUID.randomUUID().toString().replace("-", "");
      write(
          fs,
          new org.apache.hadoop.fs.Path(store, name),
          cacheConfig,
          file,
          randomCells(random),
          512);
      files.add(name);
    }
    all.sort(
        Comparator.comparing(Placed::cell, CellComparatorImpl.COMPARATOR)
            .thenComparing(Comparator.comparingInt(Placed::file).reversed()));
    readers = new HFileReaders(conf, fs, cacheConfig, 100, Duration.ofMinutes(1));
    service =
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
            metrics);
  }

  // Few keys and sequence ids, so that cells that are equal in all but their file are common.
  private static List<KeyValue> randomCells(Random random) {
    List<KeyValue> cells = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      int kind = random.nextInt(12);
      KeyValue.Type type =
          kind == 0
              ? KeyValue.Type.DeleteFamily
              : kind == 1 ? KeyValue.Type.DeleteColumn : KeyValue.Type.Put;
      byte[] qualifier =
          type == KeyValue.Type.DeleteFamily || random.nextInt(9) == 0
              ? new byte[0]
              : Bytes.toBytes("q" + random.nextInt(3));
      KeyValue cell =
          new KeyValue(
              row(random.nextInt(40)),
              Bytes.toBytes("f"),
              qualifier,
              random.nextInt(4),
              type,
              new byte[random.nextInt(50)]);
      cell.setSequenceId(random.nextInt(2) == 0 ? 0 : random.nextInt(100));
      cells.add(cell);
    }
    cells.sort(CellComparatorImpl.COMPARATOR);
    return cells;
  }

  private void write(
      FileSystem fs,
      org.apache.hadoop.fs.Path path,
      CacheConfig cacheConfig,
      int file,
      List<KeyValue> cells,
      int blockSize)
      throws IOException {
    HFileContext context =
        new HFileContextBuilder().withBlockSize(blockSize).withIncludesMvcc(true).build();
    StoreFileWriter writer =
        new StoreFileWriter.Builder(conf, cacheConfig, fs)
            .withFilePath(path)
            .withBloomType(BloomType.ROW)
            .withMaxKeyCount(300)
            .withFileContext(context)
            .build();
    KeyValue previous = null;
    for (KeyValue cell : cells) {
      if (previous == null || CellComparatorImpl.COMPARATOR.compare(previous, cell) != 0) {
        writer.append(cell);
        all.add(new Placed(cell, file));
        previous = cell;
      }
    }
    writer.appendMetadata(100, false);
    writer.close();
  }

  private static byte[] row(int number) {
    return Bytes.toBytes(String.format("row%03d", number));
  }

  @AfterEach
  void close() {
    readers.close();
  }

  private ReadRequest.Builder request() {
    return ReadRequest.newBuilder()
        .setVersion(Protocol.VERSION)
        .setDirectory(directory)
        .addAllFile(files)
        .setReadPoint(READ_POINT);
  }

  private static RowRange.Builder range(int from, int to) {
    return RowRange.newBuilder()
        .setStartRow(ByteString.copyFrom(row(from)))
        .setStopRow(ByteString.copyFrom(row(to)));
  }

  private List<String> expected(Predicate<KeyValue> wanted) {
    return all.stream()
        .filter(placed -> placed.cell.getSequenceId() <= READ_POINT && wanted.test(placed.cell))
        .map(placed -> text(placed.cell, placed.file))
        .toList();
  }

  private static int rowNumber(KeyValue cell) {
    return Integer.parseInt(Bytes.toString(CellUtil.cloneRow(cell)).substring(3));
  }

  private static String text(KeyValue cell, int file) {
    return cell + "/value" + Bytes.toStringBinary(CellUtil.cloneValue(cell)) + "/file" + file;
  }

  private static List<String> decode(ReadResponse response) throws IOException {
    assertThat(response.getCode()).as(response.getMessage()).isEqualTo(Code.OK);
    byte[] bytes = response.getCells().toByteArray();
    assertThat(Checksums.isIntact(response)).isTrue();
    CellBatch.Decoder decoder = new CellBatch.Decoder(bytes);
    List<String> cells = new ArrayList<>();
    while (decoder.hasNext()) {
      KeyValue cell = decoder.next();
      cells.add(text(cell, decoder.file()));
    }
    assertThat(cells).hasSize(response.getCellCount());
    return cells;
  }

  private ReadResponse ask(ReadRequest.Builder request) {
    return service.read(null, Checksums.sealed(request.build()));
  }

  private List<String> readAll(ReadRequest.Builder request) throws IOException {
    List<String> cells = new ArrayList<>();
    for (int answers = 0; answers < 10_000; answers++) {
      ReadResponse response = ask(request);
      cells.addAll(decode(response));
      if (!response.hasNext()) {
        return cells;
      }
      request.setFrom(response.getNext());
    }
    throw new AssertionError("No end");
  }

  @Test
  void mergesAllFilesUpToTheReadPoint() throws IOException {
    assertThat(readAll(request().addRange(RowRange.newBuilder())))
        .isEqualTo(expected(cell -> true));
  }

  @Test
  void continuesExactlyWhereABatchEnded() throws IOException {
    for (int maxBytes : new int[] {1, 100, 1000, 10_000}) {
      assertThat(readAll(request().addRange(RowRange.newBuilder()).setMaxBytes(maxBytes)))
          .isEqualTo(expected(cell -> true));
    }
    for (int maxRows : new int[] {1, 2, 7}) {
      assertThat(readAll(request().addRange(RowRange.newBuilder()).setMaxRows(maxRows)))
          .isEqualTo(expected(cell -> true));
    }
  }

  @Test
  void endsABatchOneCellAfterTheRowsOfTheHint() throws IOException {
    ReadResponse response = ask(request().addRange(RowRange.newBuilder()).setMaxRows(3));
    List<String> rows = decode(response).stream().map(cell -> cell.substring(0, 6)).toList();
    assertThat(rows.stream().distinct()).hasSize(4);
    assertThat(rows.stream().filter(rows.get(rows.size() - 1)::equals)).hasSize(1);
    assertThat(response.hasNext()).isTrue();
  }

  @Test
  void readsRowsInDescendingOrder() throws IOException {
    List<String> descending =
        all.stream()
            .filter(
                placed ->
                    placed.cell.getSequenceId() <= READ_POINT
                        && rowNumber(placed.cell) <= 30
                        && rowNumber(placed.cell) > 10)
            // Stable: the cells of a row stay in the order of the merge.
            .sorted(Comparator.comparingInt(placed -> -rowNumber(placed.cell)))
            .map(placed -> text(placed.cell, placed.file))
            .toList();
    for (int maxBytes : new int[] {1, 100, 1000, 100_000}) {
      assertThat(readAll(request().addRange(range(30, 10)).setReversed(true).setMaxBytes(maxBytes)))
          .isEqualTo(descending);
    }
    assertThat(readAll(request().addRange(RowRange.newBuilder()).setReversed(true)))
        .hasSize(expected(cell -> true).size());
  }

  /** However many answers there are, as HBase's scanner does, which stays where it is. */
  @Test
  void eachBlockIsCountedOnce() throws IOException {
    for (boolean reversed : new boolean[] {false, true}) {
      ReadRequest.Builder read =
          request().addRange(reversed ? range(30, 5) : range(5, 30)).setReversed(reversed);
      checkBlocks(read, 1);
      // Behind a cell that nobody wants the next answer looks at others that a longer one skips.
      checkBlocks(read.addColumn(ByteString.copyFromUtf8("no such column")), 2);
    }
  }

  /** An answer that finds nothing ends behind a cell, which may be its block's last one. */
  @Test
  void eachBlockOfOneCellIsCountedOnce() throws IOException {
    List<KeyValue> cells = new ArrayList<>();
    for (int row = 0; row < 40; row++) {
      cells.add(new KeyValue(row(row), Bytes.toBytes("f"), Bytes.toBytes("q"), 1, new byte[99]));
    }
    String name = UUID.randomUUID().toString().replace("-", "");
    write(
        new HFileSystem(conf, false),
        new org.apache.hadoop.fs.Path(directory, name),
        new CacheConfig(conf),
        FILES,
        cells,
        1);
    ReadRequest.Builder read = request().clearFile().addFile(name).addRange(range(0, 40));
    checkBlocks(read, 1);
    checkBlocks(read.addColumn(ByteString.copyFromUtf8("no such column")), 1);
  }

  /**
   * @param most times what one answer counts
   */
  private void checkBlocks(ReadRequest.Builder read, int most) throws IOException {
    long blockBytes = bytesOfBlocks(ask(read.clone()));
    assertThat(blockBytes).isPositive();
    for (ReadRequest.Builder part :
        List.of(
            read.clone().setMaxBytes(1),
            read.clone().setMaxBytes(1000),
            read.clone().setMaxRows(1),
            read.clone().setMaxRows(7),
            read.clone().setMaxBlockBytes(1),
            read.clone().setMaxBlockBytes(1000))) {
      long counted = 0;
      ReadResponse answer;
      do {
        answer = ask(part);
        counted += bytesOfBlocks(answer);
        part.setFrom(answer.getNext());
      } while (answer.hasNext());
      assertThat(counted).as("%s", part).isBetween(blockBytes, most * blockBytes);
    }
  }

  /** Also where nothing is found: HBase looks at its limits then. */
  @Test
  void anAnswerEndsOnceSoManyBytesOfBlocksWereRead() throws IOException {
    ReadRequest.Builder all = request().addRange(range(0, 40));
    long read = ask(all.clone()).getBlockBytesList().stream().mapToLong(bytes -> bytes).sum();
    ReadRequest.Builder none =
        all.clone().addColumn(ByteString.copyFromUtf8("no such column")).setMaxBlockBytes(read / 2);
    ReadResponse response = ask(none);
    assertThat(response.hasNext()).isTrue();
    assertThat(response.getBlockBytesList().stream().mapToLong(bytes -> bytes).sum())
        .isBetween(read / 2, read - 1);
    // Each block of a file is counted once, however many answers there are.
    String file = all.getFile(0);
    ReadRequest.Builder ofFile = all.clone().clearFile().addFile(file);
    read = ask(ofFile.clone()).getBlockBytesList().stream().mapToLong(bytes -> bytes).sum();
    for (long most : new long[] {1, read / 3, read}) {
      assertThat(readAll(all.clone().setMaxBlockBytes(most))).isEqualTo(readAll(all.clone()));
      ReadRequest.Builder part = ofFile.clone().setMaxBlockBytes(most);
      long counted = 0;
      do {
        response = ask(part);
        counted += response.getBlockBytesList().stream().mapToLong(bytes -> bytes).sum();
        part.setFrom(response.getNext());
      } while (response.hasNext());
      assertThat(counted).as("at most %d", most).isEqualTo(read);
    }
  }

  @Test
  void whatAGapLeavesOutCanBeFetchedFromItsPlace() throws IOException {
    ReadRequest.Builder trimmed = request().addRange(range(0, 40)).setTrimColumns(1);
    ReadResponse response = ask(trimmed);
    CellBatch.Decoder decoder = new CellBatch.Decoder(response.getCells().toByteArray());
    List<String> cells = new ArrayList<>();
    int gaps = 0;
    while (decoder.hasNext()) {
      KeyValue cell = decoder.next();
      cells.add(text(cell, decoder.file()));
      if (decoder.gap() != CellBatch.Gap.NONE) {
        gaps++;
        int row = rowNumber(cell);
        cells.addAll(
            readAll(
                request()
                    .addRange(range(row, row).setIncludeStop(true))
                    .setFrom(Positions.afterCell(cell, decoder.file()))));
      }
    }
    assertThat(gaps).isPositive();
    assertThat(cells).isEqualTo(expected(cell -> true));
  }

  @Test
  void keepsToItsRanges() throws IOException {
    assertThat(
            readAll(
                request()
                    .addRange(range(3, 3).setIncludeStop(true))
                    .addRange(range(5, 9).setIncludeStart(false))
                    .addRange(range(20, 22))
                    .setMaxBytes(200)))
        .isEqualTo(
            expected(
                cell -> {
                  int row = rowNumber(cell);
                  return row == 3 || row > 5 && row < 9 || row >= 20 && row < 22;
                }));
  }

  /** Scanners go on from one range to the next, where that lies behind. */
  @Test
  void rangesAreReadAndCountedAsEachAlone() throws IOException {
    Random random = new Random(Seed.get());
    for (int trial = 0; trial < 300; trial++) {
      ReadRequest.Builder like = request().setReversed(random.nextInt(8) == 0);
      if (random.nextInt(3) == 0) {
        like.addColumn(ByteString.copyFromUtf8("q1"));
      }
      if (random.nextInt(4) == 0) {
        like.setTrimVersions(1);
      }
      ReadRequest.Builder together = like.clone();
      List<String> cells = new ArrayList<>();
      long blockBytes = 0;
      boolean isOrdered = random.nextBoolean();
      int row = 0;
      for (int i = 0; i < 1 + random.nextInt(12); i++) {
        row = isOrdered ? row + random.nextInt(4) : random.nextInt(41);
        // Some end before they begin.
        int last = Math.max(0, row + (random.nextBoolean() ? 0 : random.nextInt(11) - 3));
        RowRange.Builder range = like.getReversed() ? range(last, row) : range(row, last);
        range.setIncludeStop(random.nextBoolean());
        range.setIncludeStart(random.nextInt(3) > 0);
        row = isOrdered ? last : row;
        together.addRange(range);
        ReadResponse alone = ask(like.clone().addRange(range));
        cells.addAll(decode(alone));
        blockBytes += bytesOfBlocks(alone);
      }
      ReadResponse answer = ask(together);
      assertThat(decode(answer)).as("trial %d: %s", trial, together).isEqualTo(cells);
      assertThat(bytesOfBlocks(answer)).as("trial %d: %s", trial, together).isEqualTo(blockBytes);
    }
  }

  private static long bytesOfBlocks(ReadResponse response) {
    return response.getBlockBytesList().stream().mapToLong(Integer::longValue).sum();
  }

  @Test
  void leavesOutWhatHasExpiredAndNothingElse() throws IOException {
    for (long oldest = 0; oldest <= 4; oldest++) {
      long least = oldest;
      assertThat(readAll(request().addRange(RowRange.newBuilder()).setOldestUnexpired(oldest)))
          .isEqualTo(expected(cell -> cell.getTimestamp() >= least));
    }
  }

  /** Of delete markers outside of it some are sent. */
  @Test
  void leavesOutPutsOutsideOfTheTimeRange() throws IOException {
    for (long min = 0; min <= 3; min++) {
      for (long max = min + 1; max <= 4; max++) {
        long from = min;
        long to = max;
        assertThat(
                readAll(
                        request()
                            .addRange(RowRange.newBuilder())
                            .setMinTimestamp(min)
                            .setMaxTimestamp(max))
                    .stream()
                    .filter(cell -> cell.contains("/Put/")))
            .isEqualTo(
                expected(
                    cell ->
                        cell.getTypeByte() == KeyValue.Type.Put.getCode()
                            && cell.getTimestamp() >= from
                            && cell.getTimestamp() < to));
      }
    }
  }

  @Test
  void leavesOutColumnsButNoDeleteFamilyMarker() throws IOException {
    assertThat(
            readAll(
                request().addRange(RowRange.newBuilder()).addColumn(ByteString.copyFromUtf8("q1"))))
        .isEqualTo(
            expected(
                cell ->
                    Bytes.toString(CellUtil.cloneQualifier(cell)).equals("q1")
                        || cell.getTypeByte() == KeyValue.Type.DeleteFamily.getCode()));
  }

  @Test
  void beginsAtAKey() throws IOException {
    Position from =
        Positions.atKey(
            new KeyValue(
                row(10), Bytes.toBytes("f"), Bytes.toBytes("q1"), 2, KeyValue.Type.Maximum));
    assertThat(readAll(request().addRange(range(5, 15)).setFrom(from)))
        .isEqualTo(
            expected(
                cell ->
                    rowNumber(cell) < 15
                        && rowNumber(cell) >= 10
                        && CellComparatorImpl.COMPARATOR.compare(cell, Positions.seekKey(from))
                            >= 0));
  }

  private Code code(ReadRequest.Builder request) {
    ReadResponse response = ask(request);
    if (response.getCode() != Code.OK) {
      assertThat(response.getMessage()).isNotEmpty();
      assertThat(response.getCells().size()).isZero();
    }
    return response.getCode();
  }

  /** Not of what another test has left. */
  private static List<SpanData> spans() {
    return TELEMETRY.getSpans().stream()
        .filter(span -> span.getName().startsWith("Issn."))
        .toList();
  }

  @Test
  void aRecordedReadSaysWhatItTook() throws IOException {
    ReadRequest.Builder everything = request().addRange(RowRange.newBuilder());
    int cells = decode(ask(everything)).size();
    assertThat(spans()).as("of what nobody records").isEmpty();
    Span caller = TELEMETRY.getOpenTelemetry().getTracer("test").spanBuilder("test").startSpan();
    ReadResponse response;
    try (Scope ignored = caller.makeCurrent()) {
      response = ask(everything);
      assertThat(code(request().addRange(range(0, 1)).addFile("0123456789abcdef0123456789abcdef")))
          .isEqualTo(Code.NO_FILE);
    }
    List<SpanData> spans = spans();
    assertThat(spans).extracting(SpanData::getName).containsExactly("Issn.read", "Issn.read");
    assertThat(spans.get(0).getParentSpanId()).isEqualTo(caller.getSpanContext().getSpanId());
    Attributes read = spans.get(0).getAttributes();
    assertThat(read.get(Spans.CODE)).isEqualTo("ok");
    assertThat(read.get(Spans.FILES)).isEqualTo(FILES);
    assertThat(read.get(Spans.CELLS)).isEqualTo(cells);
    assertThat(read.get(Spans.EXAMINED)).isEqualTo(cells);
    assertThat(read.get(Spans.BYTES)).isEqualTo(response.getCells().size());
    assertThat(read.get(Spans.BLOCKS)).isGreaterThan(FILES);
    assertThat(read.get(Spans.BLOCK_BYTES))
        .isEqualTo(response.getBlockBytesList().stream().mapToLong(Integer::longValue).sum());
    assertThat(spans.get(1).getAttributes().get(Spans.CODE)).isEqualTo("no_file");
    assertThat(spans.get(1).getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
  }

  @Test
  void refusesWhatItMustNotDo() throws IOException {
    RowRange.Builder everything = RowRange.newBuilder();
    assertThat(code(request().addRange(everything).setVersion(Protocol.VERSION + 1)))
        .isEqualTo(Code.VERSION);
    assertThat(code(request())).isEqualTo(Code.BAD_REQUEST);
    assertThat(code(request().addRange(everything).clearFile())).isEqualTo(Code.BAD_REQUEST);
    assertThat(code(request().addRange(everything).addFile("../x"))).isEqualTo(Code.BAD_REQUEST);
    assertThat(code(request().addRange(everything).setDirectory("/etc"))).isEqualTo(Code.REFUSED);
    assertThat(code(request().addRange(everything).setDirectory(directory + "/../../..")))
        .isEqualTo(Code.REFUSED);
    assertThat(code(request().addRange(everything).addFile("0123456789abcdef0123456789abcdef")))
        .isEqualTo(Code.NO_FILE);
    assertThat(code(request().addRange(everything).addFile("passwd.txt")))
        .isEqualTo(Code.UNSUPPORTED);
    service.stop();
    assertThat(code(request().addRange(everything))).isEqualTo(Code.STOPPING);
  }

  @Test
  void noBitOfARequestCanFlipUnnoticed() throws IOException {
    ReadRequest.Builder request =
        request()
            .addRange(range(3, 9).setIncludeStop(true))
            .setFrom(
                Positions.atKey(
                    new KeyValue(row(4), Bytes.toBytes("f"), new byte[0], 2, KeyValue.Type.Put)))
            .addColumn(ByteString.copyFromUtf8("q1"))
            .setOldestUnexpired(2);
    ReadRequest truth = Checksums.sealed(request.build());
    byte[] bytes = truth.toByteArray();
    for (int bit = 0; bit < 8 * bytes.length; bit++) {
      byte[] flipped = bytes.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      ReadRequest other;
      try {
        other = ReadRequest.parseFrom(flipped);
      } catch (InvalidProtocolBufferException e) {
        continue;
      }
      // Of true there are more encodings than one.
      if (other.equals(truth)) {
        continue;
      }
      assertThat(service.read(null, other).getCode())
          .as("bit " + bit)
          .isIn(Code.BAD_REQUEST, Code.VERSION);
    }
  }

  /**
   * Flips bits of a byte of the first file.
   *
   * @param at which; from the end if it is negative
   */
  private Code codeOfDamaged(int at) throws IOException {
    Path file = Path.of(directory, files.get(0));
    byte[] bytes = Files.readAllBytes(file);
    bytes[Math.floorMod(at, bytes.length)] ^= 0x55;
    Files.write(file, bytes);
    return code(request().addRange(RowRange.newBuilder()));
  }

  @Test
  void saysThatAFileIsCorrupt() throws IOException {
    // The magic of the trailer, which takes the last 4 KB.
    assertThat(codeOfDamaged(-4096)).isEqualTo(Code.CORRUPT);
  }

  /** HBase's reader has no exception of its own for a block that is none. */
  @Test
  void saysThatABlockCannotBeRead() throws IOException {
    assertThat(codeOfDamaged(0)).isEqualTo(Code.FAILED);
  }

  private long counted(Code code) {
    return metrics
        .exposition()
        .now(Metric.DAEMON_ANSWERS)
        .get(code.name().toLowerCase(Locale.ROOT))
        .longValue();
  }

  @Test
  void whatIsPutOffIsCounted() throws Exception {
    long ok = counted(Code.OK);
    long later = counted(Code.LATER);
    ReadRequest read = Checksums.sealed(request().addRange(RowRange.newBuilder()).build());
    SharedReadRequest.Builder shared = SharedReadRequest.newBuilder();
    for (int i = 0; i < Protocol.MAX_SHARED_READS; i++) {
      shared.addRead(read);
    }
    List<Code> codes =
        service.sharedRead(null, shared.build()).getAnswerList().stream()
            .map(ReadResponse::getCode)
            .toList();
    assertThat(codes).contains(Code.OK, Code.LATER);
    assertThat(counted(Code.OK) - ok).isEqualTo(Collections.frequency(codes, Code.OK));
    assertThat(counted(Code.LATER) - later).isEqualTo(Collections.frequency(codes, Code.LATER));
  }
}
