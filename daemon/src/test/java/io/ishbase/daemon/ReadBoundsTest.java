package io.ishbase.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.ishbase.core.AggregatePace;
import io.ishbase.core.Setting;
import io.ishbase.daemon.rpc.Callers;
import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.Busy;
import io.ishbase.protocol.CellBatch;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.DictionaryTrainer;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.FilterScope;
import io.ishbase.protocol.generated.IssnProtos.LineRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.BigDecimalComparator;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.BinaryComponentComparator;
import org.apache.hadoop.hbase.filter.ByteArrayComparable;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.LongComparator;
import org.apache.hadoop.hbase.filter.RegexStringComparator;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.SubstringComparator;
import org.apache.hadoop.hbase.filter.TimestampsFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.ByteBuffAllocator;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.ipc.RpcCall;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.ServiceException;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What one request may cost at most: bytes, time, and nobody else's files. */
class ReadBoundsTest {
  private static final int ASKED_BYTES = 16 << 10;
  private static final int VALUE_BYTES = 1000;
  private static final int CELL_BYTES = VALUE_BYTES + 100;
  private static final long LONG = TimeUnit.HOURS.toNanos(1);

  @TempDir private Path root;

  private final Configuration conf = HBaseConfiguration.create();
  private String directory;
  private FileSystem fs;
  private ByteBuffAllocator buffers;
  private CacheConfig cacheConfig;
  private HFileReaders readers;

  /** A declared filter that fails in a way of its own. */
  public static final class Failing extends FilterBase {
    private static volatile Throwable failure;

    @Override
    public ReturnCode filterCell(Cell cell) throws IOException {
      if (failure instanceof Error e) {
        throw e;
      }
      throw (IOException) failure;
    }

    @Override
    public byte[] toByteArray() {
      return new byte[0];
    }

    public static Failing parseFrom(byte[] bytes) {
      return new Failing();
    }
  }

  @BeforeEach
  void open() {
    conf.set(Setting.CELL_LOCAL_FILTERS.key(), Failing.class.getName());
    directory = root.toUri().getPath() + "data/f";
    fs = fileSystem();
    // As daemons read blocks: to pooled buffers off the heap, here small ones as well.
    conf.setInt(ByteBuffAllocator.MIN_ALLOCATE_SIZE_KEY, 1);
    buffers = ByteBuffAllocator.create(conf, true);
    cacheConfig = new CacheConfig(conf, null, null, buffers);
    readers = new HFileReaders(conf, fs, cacheConfig, 100, Duration.ofMinutes(1));
  }

  private FileSystem fileSystem() {
    try {
      return new HFileSystem(conf, false);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void close() {
    RpcServer.unsetCurrentCall();
    readers.close();
    assertThat(buffers.getFreeBufferCount()).isEqualTo(buffers.getUsedBufferCount());
  }

  private ReadService service(long maxBatchNanos) throws IOException {
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
        new AggregatePace(() -> 0, System::nanoTime, LockSupport::parkNanos),
        new DaemonMetrics(() -> 0, () -> 0));
  }

  private String write(List<KeyValue> cells) throws IOException {
    String name = String.format("%032x", cells.hashCode() & 0xffffffffL);
    StoreFileWriter writer =
        new StoreFileWriter.Builder(conf, cacheConfig, fs)
            .withFilePath(new org.apache.hadoop.fs.Path(directory, name))
            .withBloomType(BloomType.ROW)
            .withMaxKeyCount(cells.size())
            .withFileContext(
                new HFileContextBuilder().withBlockSize(4096).withIncludesMvcc(true).build())
            .build();
    for (KeyValue cell : cells) {
      writer.append(cell);
    }
    writer.appendMetadata(100, false);
    writer.close();
    return name;
  }

  private static KeyValue cell(String row, String qualifier, long timestamp, String value) {
    byte[] padded = new byte[VALUE_BYTES];
    Bytes.putBytes(padded, 0, Bytes.toBytes(value), 0, value.length());
    KeyValue cell =
        new KeyValue(
            Bytes.toBytes(row), Bytes.toBytes("f"), Bytes.toBytes(qualifier), timestamp, padded);
    cell.setSequenceId(1);
    return cell;
  }

  private static List<KeyValue> versions(String row, int count) {
    return IntStream.range(0, count).mapToObj(i -> cell(row, "q", count - i, "v" + i)).toList();
  }

  private static List<KeyValue> columns(String row, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> cell(row, String.format("q%05d", i), 1, "v"))
        .toList();
  }

  private ReadRequest.Builder request(String file, Filter filter, FilterScope scope)
      throws IOException {
    return ReadRequest.newBuilder()
        .setVersion(Protocol.VERSION)
        .setDirectory(directory)
        .addFile(file)
        .setReadPoint(Long.MAX_VALUE)
        .addRange(RowRange.newBuilder())
        .setMaxBytes(ASKED_BYTES)
        .setFilter(UnsafeByteOperations.unsafeWrap(ProtobufUtil.toFilter(filter).toByteArray()))
        .setFilterScope(scope)
        .setFamilyVersions(Integer.MAX_VALUE)
        .setMaxVersions(Integer.MAX_VALUE);
  }

  private static Filter valueIs(String value) {
    byte[] padded = new byte[VALUE_BYTES];
    Bytes.putBytes(padded, 0, Bytes.toBytes(value), 0, value.length());
    return new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(padded));
  }

  private static List<KeyValue> cells(ReadResponse response) throws IOException {
    assertThat(response.getCode()).as(response.getMessage()).isEqualTo(Code.OK);
    List<KeyValue> cells = new ArrayList<>();
    CellBatch.Decoder decoder = new CellBatch.Decoder(response.getCells().toByteArray());
    while (decoder.hasNext()) {
      cells.add(decoder.next());
    }
    return cells;
  }

  private static ReadResponse ask(ReadService service, ReadRequest.Builder request) {
    return service.read(null, Checksums.sealed(request.build()));
  }

  /** All that comes; each answer is within its bounds and gets on. */
  private static List<KeyValue> readAll(ReadService service, ReadRequest.Builder request)
      throws IOException {
    List<KeyValue> all = new ArrayList<>();
    KeyValue last = null;
    for (int answers = 0; answers < 10_000; answers++) {
      ReadResponse response = ask(service, request);
      List<KeyValue> cells = cells(response);
      assertThat(response.getCells().size()).isLessThan(ASKED_BYTES + CELL_BYTES);
      for (KeyValue cell : cells) {
        assertThat(last == null || CellComparatorImpl.COMPARATOR.compare(last, cell) < 0)
            .as(last + " before " + cell)
            .isTrue();
        last = cell;
      }
      all.addAll(cells);
      if (!response.hasNext()) {
        return all;
      }
      assertThat(cells).isNotEmpty();
      request.setFrom(response.getNext());
    }
    throw new AssertionError("No end");
  }

  @Test
  void aColumnOfManyVersionsComesInAnswersOfTheSizeAskedFor() throws IOException {
    List<KeyValue> cells = versions("r", 3000);
    String file = write(cells);
    ReadService service = service(LONG);
    // Whether or not the reader returns what the filter leaves out, it counts as versions.
    assertThat(readAll(service, request(file, valueIs("nothing"), FilterScope.BY_VERSION)))
        .isEqualTo(cells);
    assertThat(readAll(service, request(file, valueIs("v2999"), FilterScope.BY_VERSION)))
        .isEqualTo(cells);
  }

  @Test
  void aColumnThatFitsIsJudgedWhole() throws IOException {
    String file = write(versions("r", 500));
    ReadService service = service(LONG);
    assertThat(readAll(service, request(file, valueIs("nothing"), FilterScope.BY_VERSION)))
        .isEmpty();
    assertThat(readAll(service, request(file, valueIs("v499"), FilterScope.BY_VERSION))).hasSize(1);
  }

  @Test
  void whatTheFilterIncludesOfAColumnEndsWithTheVersionsThatTheReaderReturns() throws IOException {
    String file = write(versions("r", 3000));
    ReadRequest.Builder request =
        request(
                file,
                new ValueFilter(CompareOperator.NOT_EQUAL, new BinaryComparator(new byte[0])),
                FilterScope.BY_VERSION)
            .setMaxVersions(2);
    ReadResponse response = ask(service(LONG), request);
    assertThat(cells(response)).hasSize(2);
    assertThat(response.hasNext()).isFalse();
  }

  @Test
  void aRowThatIsIncludedComesInAnswersOfTheSizeAskedFor() throws IOException {
    List<KeyValue> cells = new ArrayList<>();
    for (String row : List.of("a", "b", "c")) {
      cells.addAll(columns(row, 300));
    }
    String file = write(cells);
    Filter included =
        new SingleColumnValueFilter(
            Bytes.toBytes("f"), Bytes.toBytes("q00299"), CompareOperator.NOT_EQUAL, new byte[1]);
    assertThat(readAll(service(LONG), request(file, included, FilterScope.BY_ROW)))
        .isEqualTo(cells);
    Filter dropped =
        new SingleColumnValueFilter(
            Bytes.toBytes("f"), Bytes.toBytes("q00299"), CompareOperator.EQUAL, new byte[1]);
    assertThat(readAll(service(LONG), request(file, dropped, FilterScope.BY_ROW))).isEmpty();
  }

  @Test
  void aRowFilterIsShownNoMoreVersionsThanHBaseShowsIt() throws IOException {
    // HBase shows it one included version more than the read returns: here not the third.
    List<KeyValue> cells =
        List.of(cell("r", "q", 3, "good"), cell("r", "q", 2, "good"), cell("r", "q", 1, "bad"));
    Filter skip = new SkipFilter(valueIs("good"));
    String file = write(cells);
    ReadRequest.Builder request = request(file, skip, FilterScope.BY_ROW).setMaxVersions(1);
    assertThat(cells(ask(service(LONG), request))).isEqualTo(cells);
    request.setMaxVersions(2);
    assertThat(cells(ask(service(LONG), request))).isEmpty();
  }

  @Test
  void versionsThatAHintSeeksPastDoNotCount() throws IOException {
    List<KeyValue> cells = versions("r", 100);
    Filter hinting = new TimestampsFilter(List.of(10L, 50L), true);
    ReadRequest.Builder request =
        request(write(cells), hinting, FilterScope.BY_VERSION).setFamilyVersions(3);
    assertThat(readAll(service(LONG), request).stream().map(Cell::getTimestamp)).contains(10L, 50L);
  }

  @Test
  void anAnswerThatFoundNothingInItsTimeHasOneRealCell() throws IOException {
    List<KeyValue> cells = new ArrayList<>();
    for (String row : List.of("a", "b", "c")) {
      cells.addAll(columns(row, 5));
    }
    String file = write(cells);
    for (FilterScope scope : FilterScope.values()) {
      Filter none =
          scope == FilterScope.BY_COLUMN
              ? new ColumnPrefixFilter(Bytes.toBytes("x"))
              : valueIs("nothing");
      ReadService inNoTime = service(-LONG);
      ReadRequest.Builder request = request(file, none, scope);
      int answers = 0;
      for (ReadResponse response = ask(inNoTime, request);
          response.hasNext();
          response = ask(inNoTime, request)) {
        assertThat(cells(response)).as(scope + ", answer " + answers).hasSize(1);
        assertThat(cells).containsAll(cells(response));
        request.setFrom(response.getNext());
        answers++;
      }
      assertThat(answers).isBetween(1, cells.size());
    }
  }

  @Test
  void anAnswerIsMadeBeforeItsCallerHasGone() throws IOException {
    String file = write(columns("r", 5));
    ReadRequest.Builder request =
        request(file, new ColumnPrefixFilter(Bytes.toBytes("x")), FilterScope.BY_COLUMN);
    assertThat(ask(waitingUntil(Long.MAX_VALUE), request).hasNext()).isFalse();
    assertThat(ask(waitingUntil(0), request).hasNext()).isTrue();
  }

  /** Answers a call whose caller waits so long, in milliseconds of the epoch. */
  private ReadService waitingUntil(long deadline) throws IOException {
    RpcServer.setCurrentCall(
        (RpcCall)
            Proxy.newProxyInstance(
                RpcCall.class.getClassLoader(),
                new Class<?>[] {RpcCall.class},
                (call, method, arguments) ->
                    method.getName().equals("getDeadline")
                        ? (Object) deadline
                        : method.getReturnType() == Optional.class ? Optional.empty() : null));
    return service(LONG);
  }

  @Test
  void answersAreSmallWhileOthersAreNotTaken() throws IOException {
    List<KeyValue> cells = versions("r", 3000);
    ReadRequest.Builder request =
        request(write(cells), valueIs("v1"), FilterScope.BY_VERSION)
            .clearFilter()
            .clearFilterScope()
            .setMaxBytes(1 << 20);
    ReadService service = service(LONG);
    int usual = ask(service, request).getCells().size();
    service.sending(() -> Runtime.getRuntime().maxMemory() / 4);
    int few = ask(service, request).getCells().size();
    assertThat(usual).isGreaterThan(few);
    assertThat(few).isBetween(64 << 10, (64 << 10) + CELL_BYTES);
    service.sending(() -> Runtime.getRuntime().maxMemory() / 3);
    ReadResponse none = ask(service, request);
    assertThat(none.getCode()).isEqualTo(Code.BUSY);
    assertThat(Busy.millis(none.getMessage())).isPositive();
    assertThatThrownBy(() -> service.line(null, LineRequest.newBuilder().setBytes(1).build()))
        .isInstanceOf(ServiceException.class);
  }

  @Test
  void rowsThatAreAbsentTakeTime() throws IOException {
    String file = write(columns("r", 1));
    ReadRequest.Builder request =
        ReadRequest.newBuilder()
            .setVersion(Protocol.VERSION)
            .setDirectory(directory)
            .addFile(file)
            .setReadPoint(Long.MAX_VALUE);
    for (int row = 0; row < 100; row++) {
      ByteString key = ByteString.copyFromUtf8(String.format("absent%03d", row));
      request.addRange(RowRange.newBuilder().setStartRow(key).setStopRow(key).setIncludeStop(true));
    }
    ReadService inNoTime = service(-LONG);
    int answers = 1;
    for (ReadResponse response = ask(inNoTime, request);
        response.hasNext();
        response = ask(inNoTime, request)) {
      assertThat(cells(response)).isEmpty();
      assertThat(Positions.seekKey(response.getNext()).getRowArray()).isNotEmpty();
      request.setFrom(response.getNext());
      answers++;
    }
    assertThat(answers).isEqualTo(100);
  }

  @Test
  void aFailureOfTheFilterIsNotOneOfTheFiles() throws IOException {
    String file = write(columns("r", 3));
    ReadService service = service(LONG);
    for (Throwable failure :
        List.of(
            new StackOverflowError(),
            new NoClassDefFoundError("x"),
            new AssertionError(),
            new IOException("x"))) {
      Failing.failure = failure;
      ReadResponse response = ask(service, request(file, new Failing(), FilterScope.BY_VERSION));
      assertThat(response.getCode()).as("" + failure).isEqualTo(Code.FILTER_FAILED);
      assertThat(readers.size()).isEqualTo(1);
    }
  }

  /** Asks until the filter was shown a cell before the answer's time was over. */
  private Code codeOfFilter(ReadService service, ReadRequest.Builder request) throws IOException {
    ReadResponse response = ask(service, request.clone());
    for (int tries = 1; response.hasNext() && tries < 20; tries++) {
      response = ask(service, request.clone());
    }
    return response.getCode();
  }

  @Test
  void aRegularExpressionThatTakesForeverIsGivenUp() throws IOException {
    byte[] hard = Bytes.toBytes("a".repeat(100));
    KeyValue cell =
        new KeyValue(Bytes.toBytes("r"), Bytes.toBytes("f"), Bytes.toBytes("q"), 1, hard);
    Filter filter =
        new ValueFilter(CompareOperator.EQUAL, new RegexStringComparator("a*".repeat(12) + "b"));
    String file = write(List.of(cell));
    ReadService soon = service(TimeUnit.MILLISECONDS.toNanos(100));
    assertThat(codeOfFilter(soon, request(file, filter, FilterScope.BY_VERSION)))
        .isEqualTo(Code.FILTER_FAILED);
  }

  /** A client that makes its cells by hand can write them; a region server takes none of them. */
  @Test
  void aCellOfNoTypeIsItsFilesFault() throws IOException {
    KeyValue odd = cell("b", "q", 1, "v");
    for (byte type : new byte[] {1, 9, 13, 42}) {
      odd.getBuffer()[odd.getKeyOffset() + odd.getKeyLength() - 1] = type;
      String file = write(List.of(cell("a", "q", 1, "v"), odd));
      ReadResponse response =
          ask(service(LONG), request(file, valueIs("v"), FilterScope.BY_VERSION));
      assertThat(response.getCode()).as("type %d", type).isEqualTo(Code.FAILED);
      assertThat(response.hasFailedFile()).isTrue();
      assertThat(response.getMessage()).contains("which HBase does not know");
    }
  }

  private static KeyValue cell(byte[] value) {
    return new KeyValue(Bytes.toBytes("r"), Bytes.toBytes("f"), Bytes.toBytes("q"), 1, value);
  }

  private Code codeOf(byte[] value, ByteArrayComparable comparator) throws IOException {
    Filter filter = new ValueFilter(CompareOperator.EQUAL, comparator);
    ReadRequest.Builder request =
        request(write(List.of(cell(value))), filter, FilterScope.BY_VERSION);
    return assertTimeoutPreemptively(
        Duration.ofMinutes(1), () -> ask(service(LONG), request).getCode());
  }

  @Test
  void aSubstringThatIsNearlyEverywhereIsSoughtOnce() throws IOException {
    byte[] value = Bytes.toBytes("a".repeat(8 << 20));
    assertThat(codeOf(value, new SubstringComparator("A".repeat(500_000) + "b")))
        .isEqualTo(Code.OK);
  }

  @Test
  void aSubstringIsFoundAsByHBase() throws IOException {
    ReadService service = service(LONG);
    for (String text :
        List.of("", "ab", "aab".repeat(100), "a".repeat(99), "xA".repeat(30) + "aab".repeat(20))) {
      for (String wanted :
          List.of(
              "aB", "aab".repeat(12), "aab".repeat(12) + "b", "a".repeat(99), "xa".repeat(20))) {
        KeyValue cell = cell(Bytes.toBytes(text));
        Filter filter = new ValueFilter(CompareOperator.EQUAL, new SubstringComparator(wanted));
        boolean isIn = filter.filterCell(cell) == Filter.ReturnCode.INCLUDE;
        assertThat(
                cells(ask(service, request(write(List.of(cell)), filter, FilterScope.BY_VERSION))))
            .as(wanted + " in " + text)
            .hasSize(isIn ? 1 : 0);
      }
    }
  }

  @Test
  void aListOfManyComparatorsIsGivenUp() throws IOException {
    byte[] value = Bytes.toBytes("a".repeat(4 << 20));
    List<Filter> members = new ArrayList<>();
    for (int i = 0; i < 8_000; i++) {
      members.add(new ValueFilter(CompareOperator.EQUAL, new SubstringComparator("b" + i)));
    }
    Filter any = new FilterList(FilterList.Operator.MUST_PASS_ONE, members);
    ReadRequest.Builder request = request(write(List.of(cell(value))), any, FilterScope.BY_VERSION);
    assertThat(
            assertTimeoutPreemptively(
                Duration.ofMinutes(1),
                () -> codeOfFilter(service(TimeUnit.MILLISECONDS.toNanos(500)), request)))
        .isEqualTo(Code.FILTER_FAILED);
  }

  @Test
  void numbersThatNobodyMeansAreNotCompared() throws IOException {
    byte[] number = Bytes.toBytes(new BigDecimal("1.5"));
    byte[] huge = new byte[8 << 20];
    Arrays.fill(huge, (byte) 7);
    assertThat(codeOf(number, new BigDecimalComparator(new BigDecimal("1.50")))).isEqualTo(Code.OK);
    assertThat(codeOf(huge, new BigDecimalComparator(new BigDecimal("1.5"))))
        .isEqualTo(Code.FILTER_FAILED);
    assertThat(
            codeOf(
                number,
                new BigDecimalComparator(
                    new BigDecimal(new BigInteger(new byte[2000]).setBit(9999), 3))))
        .isEqualTo(Code.FILTER_FAILED);
  }

  /** HBase's own compares eight bytes whatever the length, where a cell is off the heap. */
  @Test
  void aNumberIsOfEightBytes() throws IOException {
    assertThat(codeOf(Bytes.toBytes(7L), new LongComparator(7))).isEqualTo(Code.OK);
    for (int length : new int[] {0, 4, 7, 9}) {
      assertThat(codeOf(new byte[length], new LongComparator(7))).isEqualTo(Code.FILTER_FAILED);
    }
  }

  @Test
  void aComponentLiesWithinTheValue() throws IOException {
    byte[] wanted = Bytes.toBytes("bc");
    assertThat(codeOf(Bytes.toBytes("abc"), new BinaryComponentComparator(wanted, 1)))
        .isEqualTo(Code.OK);
    for (String value : List.of("", "a", "ab")) {
      assertThat(codeOf(Bytes.toBytes(value), new BinaryComponentComparator(wanted, 1)))
          .isEqualTo(Code.FILTER_FAILED);
    }
    assertThat(codeOf(Bytes.toBytes("abc"), new BinaryComponentComparator(wanted, -1)))
        .isEqualTo(Code.FILTER_FAILED);
  }

  @Test
  void countsTheBlocksThatItReads() throws IOException {
    List<KeyValue> cells = columns("r", 100);
    ReadResponse response =
        ask(
            service(LONG),
            request(write(cells), new ColumnPrefixFilter(Bytes.toBytes("q")), FilterScope.BY_COLUMN)
                .setMaxBytes(1 << 20));
    // Four cells to a block.
    int blocks = response.getBlockCellCount();
    assertThat(blocks).isBetween(cells.size() / 5, cells.size() / 3);
    assertThat(response.getBlockCell(0)).isZero();
    assertThat(response.getBlockBytesList()).allMatch(bytes -> bytes > 4096 && bytes < 6000);
  }

  @Test
  void stepsIntoNoBlockThatItCanPassOver() throws IOException {
    ReadRequest.Builder request =
        request(
                write(columns("r", 100)),
                new ColumnPrefixFilter(Bytes.toBytes("q")),
                FilterScope.BY_COLUMN)
            .addColumn(ByteString.copyFromUtf8("q00001"))
            .addColumn(ByteString.copyFromUtf8("q00010"))
            .addColumn(ByteString.copyFromUtf8("q00090"));
    ReadResponse response = ask(service(LONG), request);
    assertThat(cells(response)).hasSize(3);
    // Four cells to a block: those of 0 to 3, of 8 to 11, and of 88 to 91.
    assertThat(response.getBlockBytesCount()).isEqualTo(3);
  }

  @Test
  void aBloomFilterThatNeverSaysNoIsAskedNowAndThen() throws Exception {
    String path = directory + "/" + write(columns("r", 1));
    Scan present = new Scan(new Get(Bytes.toBytes("r")));
    Scan absent = new Scan(new Get(Bytes.toBytes("absent")));
    HFileReaders.Lease lease = acquire(path);
    try {
      assertThat(lease.passesBloomFilter(absent, null)).isFalse();
      for (int get = 0; get < 300; get++) {
        assertThat(lease.passesBloomFilter(present, null)).isTrue();
      }
      long passed =
          IntStream.range(0, 100).filter(get -> lease.passesBloomFilter(absent, null)).count();
      assertThat(passed).as("before it was asked again").isBetween(1L, 15L);
      assertThat(lease.passesBloomFilter(absent, null)).isFalse();
    } finally {
      lease.release();
    }
  }

  @Test
  void openingAFileHoldsUpNoOther() throws Exception {
    String slow = write(columns("r", 1));
    CountDownLatch opening = new CountDownLatch(1);
    CountDownLatch mayGoOn = new CountDownLatch(1);
    FileSystem slowFs =
        new HFileSystem(conf, false) {
          @Override
          public FSDataInputStream open(org.apache.hadoop.fs.Path path, int buffer)
              throws IOException {
            if (path.getName().equals(slow)) {
              opening.countDown();
              try {
                mayGoOn.await();
              } catch (InterruptedException e) {
                throw new IOException(e);
              }
            }
            return super.open(path, buffer);
          }
        };
    readers.close();
    readers = new HFileReaders(conf, slowFs, cacheConfig, 100, Duration.ofMinutes(1));
    CompletableFuture<HFileReaders.Lease> first =
        CompletableFuture.supplyAsync(() -> acquire(directory + "/" + slow));
    assertThat(opening.await(1, TimeUnit.MINUTES)).isTrue();
    String neighbour = null;
    for (int i = 2; neighbour == null; i++) {
      String name = write(columns("r" + i, 1));
      neighbour = isInTheSameBin(directory + "/" + slow, directory + "/" + name) ? name : null;
    }
    String path = directory + "/" + neighbour;
    CompletableFuture.supplyAsync(() -> acquire(path)).get(1, TimeUnit.MINUTES).release();
    mayGoOn.countDown();
    first.get(1, TimeUnit.MINUTES).release();
  }

  private static boolean isInTheSameBin(String path, String other) {
    return (spread(path.hashCode()) & 15) == (spread(other.hashCode()) & 15);
  }

  // As ConcurrentHashMap does.
  private static int spread(int hash) {
    return hash ^ hash >>> 16;
  }

  private HFileReaders.Lease acquire(String path) {
    try {
      return readers.acquire(path);
    } catch (RequestException e) {
      throw new AssertionError(e);
    }
  }
}
