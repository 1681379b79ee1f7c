package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Reason;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.protocol.CellBatch;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.ReadSet;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.FilterScope;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.SharedReadResponse;
import io.ishbase.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Daemons that answer with garbage, too much, too late, or in another version of the protocol. */
@OwnJvm
class LyingDaemonTest {
  private static final int TIMEOUT_MILLIS = 4_000;

  /** A scan that has been lied to goes on over HBase's path. */
  private static final int MOST_LIES = 20;

  private static final int MUCH = 20_000;

  /** Several times as many as requests that are under way before reads wait. */
  private static final int READERS = Math.max(16, 4 * Runtime.getRuntime().availableProcessors());

  private static final int SHARED_LIES = 10;

  private static MiniCluster cluster;
  private static LyingDaemon daemon;
  private static KnownTable table;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        MiniCluster.start(
            conf -> {
              conf.setInt("hbase.regionserver.handler.count", READERS);
              conf.setInt("ishbase.rpc.timeout", TIMEOUT_MILLIS);
              conf.setInt("ishbase.batch.first.bytes", 1024);
              conf.setInt("ishbase.batch.max.bytes", 4096);
              conf.setBoolean("hbase.table.sanity.checks", false);
            });
    daemon =
        new LyingDaemon(
            cluster, cluster.util.getDFSCluster().getDataNodes().get(0), Protocol.VERSION);
    table = new KnownTable(cluster, "lies");
  }

  @AfterAll
  static void stop() throws Exception {
    table.close();
    daemon.close();
    cluster.close();
  }

  @BeforeEach
  void tellTheTruth() {
    daemon.tell((request, truth) -> truth);
    table.awaitInStorage();
  }

  @AfterEach
  void nothingIsHeld() {
    cluster.awaitNothingHeld();
  }

  private record Decoded(int file, KeyValue cell) {}

  private static List<Decoded> decode(ReadResponse answer) throws IOException {
    List<Decoded> cells = new ArrayList<>();
    CellBatch.Decoder decoder = new CellBatch.Decoder(answer.getCells().toByteArray());
    while (decoder.hasNext()) {
      KeyValue cell = decoder.next();
      cells.add(new Decoded(decoder.file(), cell));
    }
    return cells;
  }

  /** The answer with other cells; checksum and count are right. */
  private static ReadResponse with(ReadResponse answer, List<Decoded> cells) {
    CellBatch.Encoder encoder = new CellBatch.Encoder(1024);
    cells.forEach(decoded -> encoder.add(decoded.file, decoded.cell));
    return with(answer, ByteString.copyFrom(encoder.array(), 0, encoder.size()), cells.size());
  }

  private static ReadResponse with(ReadResponse answer, ByteString cells, int count) {
    return answer.toBuilder().setCells(cells).setCellCount(count).build();
  }

  private static ReadResponse reversed(ReadResponse truth) throws IOException {
    List<Decoded> cells = decode(truth);
    Collections.reverse(cells);
    return cells.size() < 2 ? with(truth, ByteString.copyFromUtf8("?"), 1) : with(truth, cells);
  }

  private static ReadResponse newerThanReadPoint(ReadRequest request, ReadResponse truth)
      throws IOException {
    List<Decoded> cells = decode(truth);
    cells.forEach(decoded -> decoded.cell.setSequenceId(request.getReadPoint() + 1));
    return with(truth, cells);
  }

  private static ReadResponse ofNoFile(ReadRequest request, ReadResponse truth) throws IOException {
    return with(
        truth,
        decode(truth).stream()
            .map(decoded -> new Decoded(request.getFileCount(), decoded.cell))
            .toList());
  }

  private static ReadResponse tooMuch(ReadResponse truth) throws IOException {
    if (truth.hasNext()) {
      return truth;
    }
    List<Decoded> cells = decode(truth);
    byte[] value = new byte[1000];
    for (int i = 0; i < MUCH; i++) {
      cells.add(
          new Decoded(
              0,
              new KeyValue(
                  Bytes.toBytes(String.format("row~%08d", i)),
                  Bytes.toBytes("f"),
                  Bytes.toBytes("q"),
                  1,
                  value)));
    }
    return with(truth, cells);
  }

  private static ReadResponse garbage(ReadResponse truth, int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return with(truth, ByteString.copyFrom(bytes), 10);
  }

  private static ReadResponse backToTheStart(ReadResponse truth) {
    return truth.toBuilder()
        .setNext(Positions.atKey(PrivateCellUtil.createFirstOnRow(Bytes.toBytes("row00000"))))
        .build();
  }

  private static ReadResponse noProgress(ReadRequest request, ReadResponse truth) {
    return with(truth, ByteString.EMPTY, 0).toBuilder()
        .setNext(
            request.hasFrom()
                ? request.getFrom()
                : Positions.atKey(
                    PrivateCellUtil.createFirstOnRow(
                        request.getRange(0).getStartRow().toByteArray())))
        .build();
  }

  private static ReadResponse cellsBehind(ReadRequest request, ReadResponse truth)
      throws IOException {
    if (!request.hasFrom()) {
      return truth;
    }
    List<Decoded> cells = decode(truth);
    cells.add(
        0,
        new Decoded(
            0,
            new KeyValue(
                Bytes.toBytes("row00000"),
                Bytes.toBytes("f"),
                Bytes.toBytes("q"),
                1,
                new byte[9])));
    return with(truth, cells);
  }

  // A scan from the table's start gets ever further and never to the first row.
  private static ReadResponse creeping(ReadRequest request, ReadResponse truth) {
    byte[] row =
        request.hasFrom()
            ? CellUtil.cloneRow(Positions.seekKey(request.getFrom()))
            : request.getRange(0).getStartRow().toByteArray();
    if (row.length > 0 && row[0] != 0) {
      return truth;
    }
    return with(truth, ByteString.EMPTY, 0).toBuilder()
        .setNext(
            Positions.atKey(
                PrivateCellUtil.createFirstOnRow(Arrays.copyOf(row, row.length % 30_000 + 1))))
        .build();
  }

  private static ReadResponse refusal(Code code) {
    return Checksums.sealed(ReadResponse.newBuilder().setCode(code).setMessage("a lie").build());
  }

  private static Arguments lie(String name, Reason reason, LyingDaemon.Lie lie) {
    return Arguments.of(name, reason, lie);
  }

  static Stream<Arguments> lies() {
    return Stream.of(
        lie(
            "wrong checksum",
            Reason.BAD_ANSWER,
            (request, truth) -> truth.toBuilder().setCrc32C(truth.getCrc32C() + 1).build()),
        lie(
            "no checksum",
            Reason.BAD_ANSWER,
            (request, truth) -> truth.toBuilder().clearCrc32C().build()),
        lie(
            "fewer cells than it says",
            Reason.BAD_ANSWER,
            (request, truth) -> truth.toBuilder().setCellCount(truth.getCellCount() + 1).build()),
        lie(
            "more cells than it says",
            Reason.BAD_ANSWER,
            (request, truth) -> truth.toBuilder().setCellCount(0).build()),
        lie(
            "a count beyond all memory",
            Reason.BAD_ANSWER,
            (request, truth) -> truth.toBuilder().setCellCount(Integer.MAX_VALUE).build()),
        lie(
            "a negative count",
            Reason.BAD_ANSWER,
            (request, truth) -> truth.toBuilder().setCellCount(-1).build()),
        lie("garbage", Reason.BAD_ANSWER, (request, truth) -> garbage(truth, 1000)),
        lie("much garbage", Reason.BAD_ANSWER, (request, truth) -> garbage(truth, 32 << 20)),
        lie(
            "cells that end too early",
            Reason.BAD_ANSWER,
            (request, truth) ->
                with(
                    truth,
                    truth.getCells().substring(0, Math.max(1, truth.getCells().size()) - 1),
                    truth.getCellCount())),
        lie("cells out of order", Reason.BAD_ANSWER, (request, truth) -> reversed(truth)),
        lie(
            "cells newer than the read point",
            Reason.BAD_ANSWER,
            LyingDaemonTest::newerThanReadPoint),
        lie("cells of a file that is not read", Reason.BAD_ANSWER, LyingDaemonTest::ofNoFile),
        lie(
            "a next place that lies behind",
            Reason.BAD_ANSWER,
            (request, truth) -> backToTheStart(truth)),
        lie(
            "another next place",
            Reason.BAD_ANSWER,
            (request, truth) -> truth.toBuilder().clearNext().setCrc32C(0).build()),
        lie("no progress", Reason.BAD_ANSWER, LyingDaemonTest::noProgress),
        lie(
            "a next place that is none",
            Reason.BAD_ANSWER,
            (request, truth) ->
                truth.toBuilder()
                    .setNext(Position.newBuilder().setKey(ByteString.copyFromUtf8("?")))
                    .build()),
        lie("cells that lie behind", Reason.BAD_ANSWER, LyingDaemonTest::cellsBehind),
        lie("next places that creep", Reason.BAD_ANSWER, LyingDaemonTest::creeping),
        lie("rows beyond the range", null, (request, truth) -> tooMuch(truth)),
        lie("busy", Reason.BUSY, (request, truth) -> refusal(Code.BUSY)),
        lie("stopping", Reason.STOPPING, (request, truth) -> refusal(Code.STOPPING)),
        lie("another version", Reason.VERSION, (request, truth) -> refusal(Code.VERSION)),
        lie("bad request", Reason.BAD_REQUEST, (request, truth) -> refusal(Code.BAD_REQUEST)),
        lie("refused", Reason.REFUSED, (request, truth) -> refusal(Code.REFUSED)),
        lie("no file", Reason.NO_FILE, (request, truth) -> refusal(Code.NO_FILE)),
        lie("unsupported", Reason.UNSUPPORTED, (request, truth) -> refusal(Code.UNSUPPORTED)),
        lie("corrupt", Reason.CORRUPT_FILE, (request, truth) -> refusal(Code.CORRUPT)),
        lie("failed", Reason.FAILED, (request, truth) -> refusal(Code.FAILED)),
        lie(
            "an exception",
            Reason.NO_ANSWER,
            (request, truth) -> {
              throw new IOException("a lie");
            }),
        lie(
            "a defect",
            Reason.NO_ANSWER,
            (request, truth) -> {
              throw new IllegalStateException("a lie");
            }),
        lie(
            "too late",
            Reason.TIMEOUT,
            (request, truth) -> {
              LockSupport.parkNanos(2_000_000L * TIMEOUT_MILLIS);
              return truth;
            }));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("lies")
  void isNotBelieved(String name, Reason reason, LyingDaemon.Lie lie) throws Exception {
    InStorageMetrics metrics = InStorageMetrics.get();
    long before = reason == null ? 0 : metrics.fallbacks(reason);
    try (ResultScanner scanner = table.scanner(MiniCluster.IN_STORAGE)) {
      String last = table.checkNext(scanner, null, 200);
      daemon.tell(lie);
      table.checkGets(10);
      table.checkNext(scanner, last, Integer.MAX_VALUE);
    }
    long lies = daemon.lies();
    table.checkScan();
    assertThat(daemon.lies()).as("lies told").isPositive();
    if (reason != null) {
      assertThat(daemon.lies() - lies).as("lies told to one scan").isLessThan(MOST_LIES);
      // One that has not answered in time is not asked for a while.
      MiniCluster.await(
          "a fallback by " + reason,
          () -> {
            NodesBean.forgetFailures();
            try {
              table.checkGets(1);
              table.checkScan();
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
            return metrics.fallbacks(reason) > before;
          });
    }
  }

  /** The same read of all files but the oldest, which another handle stands for. */
  private static ReadRequest ofOtherFiles(ReadRequest full) {
    ReadRequest.Builder other = full.toBuilder().clearCrc32C().clearFile();
    full.getFileList().stream().skip(1).forEach(other::addFile);
    ReadRequest sealed = Checksums.sealed(other.build());
    return ReadSet.of(sealed).taughtBy(sealed);
  }

  @Test
  void theFilesOfAnotherHandleAreNotBelieved() throws Exception {
    InStorageMetrics metrics = InStorageMetrics.get();
    Map<Long, ReadSet> told = new ConcurrentHashMap<>();
    AtomicInteger mixedUp = new AtomicInteger();
    LyingDaemon.Lie remember =
        (request, truth) -> {
          if (request.hasHandle() && !ReadSet.isShort(request)) {
            told.put(request.getHandle(), ReadSet.of(request));
          }
          return truth;
        };
    daemon.tell(remember);
    daemon.saysOfHandles(true);
    try {
      MiniCluster.await(
          "a read by its handle",
          () -> {
            try {
              table.checkGets(1);
              return !told.isEmpty();
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          });
      table.checkGets(10);
      long before = metrics.fallbacks(Reason.BAD_ANSWER);
      daemon.tell(
          (request, truth) -> {
            ReadSet set = ReadSet.isShort(request) ? told.get(request.getHandle()) : null;
            if (set == null || set.expanded(request).getFileCount() < 2) {
              return remember.answer(request, truth);
            }
            mixedUp.incrementAndGet();
            return daemon.truth(ofOtherFiles(set.expanded(request)));
          });
      table.checkGets(10);
      NodesBean.forgetFailures();
      table.checkGets(10);
      table.checkScan();
      assertThat(mixedUp.get()).isPositive();
      assertThat(metrics.fallbacks(Reason.BAD_ANSWER)).isGreaterThan(before);
    } finally {
      daemon.saysOfHandles(false);
    }
  }

  private static SharedReadResponse of(List<ReadResponse> answers) {
    return SharedReadResponse.newBuilder().addAllAnswer(answers).build();
  }

  private static Arguments sharedLie(String name, UnaryOperator<List<ReadResponse>> lie) {
    LyingDaemon.SharedLie told =
        (request, truth) -> of(lie.apply(new ArrayList<>(truth.getAnswerList())));
    return Arguments.of(name, told);
  }

  static Stream<Arguments> sharedLies() {
    List<ReadResponse> old = Collections.synchronizedList(new ArrayList<>());
    return Stream.of(
        sharedLie(
            "each has another's answer",
            answers -> {
              Collections.rotate(answers, 1);
              return answers;
            }),
        sharedLie(
            "two have the same answer",
            answers -> {
              answers.set(0, answers.get(1));
              return answers;
            }),
        sharedLie("one answer is missing", answers -> answers.subList(1, answers.size())),
        sharedLie(
            "one answer comes twice",
            answers -> {
              answers.add(answers.get(0));
              return answers;
            }),
        sharedLie("there are no answers", answers -> List.of()),
        sharedLie(
            "the first answers again",
            answers -> {
              old.addAll(answers);
              return List.copyOf(old).subList(0, answers.size());
            }),
        sharedLie(
            "no answer says to what it is one",
            answers ->
                answers.stream()
                    .map(answer -> Checksums.sealed(answer.toBuilder().clearAsked().build()))
                    .toList()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("sharedLies")
  void isNotBelievedOfReadsThatShareARequest(String name, LyingDaemon.SharedLie lie)
      throws Exception {
    InStorageMetrics metrics = InStorageMetrics.get();
    daemon.saysOfSharedReads(Protocol.MAX_SHARED_READS);
    try {
      daemon.tellOfShared((request, truth) -> truth);
      long before = metrics.fallbacks(Reason.BAD_ANSWER);
      Readers.readDuring(
          cluster,
          READERS,
          i -> () -> table.checkGets(10),
          () -> {
            MiniCluster.await("reads to share requests", () -> daemon.shared() > SHARED_LIES);
            assertThat(metrics.fallbacks(Reason.BAD_ANSWER)).isEqualTo(before);
            daemon.tellOfShared(lie);
            MiniCluster.await(
                "lies",
                () -> {
                  NodesBean.forgetFailures();
                  return daemon.shared() > SHARED_LIES;
                });
          });
      assertThat(metrics.fallbacks(Reason.BAD_ANSWER)).isGreaterThan(before);
    } finally {
      daemon.tellOfShared((request, truth) -> truth);
      daemon.saysOfSharedReads(0);
      NodesBean.forgetFailures();
    }
  }

  @Test
  void readsThatArePutOffForEverAreAskedAlone() throws Exception {
    InStorageMetrics metrics = InStorageMetrics.get();
    daemon.saysOfSharedReads(Protocol.MAX_SHARED_READS);
    try {
      long again = metrics.readsAgain();
      long fallbacks = metrics.fallbacks(Reason.BAD_ANSWER);
      daemon.tellOfShared(
          (request, truth) ->
              of(
                  truth.getAnswerList().stream()
                      .map(answer -> answer.toBuilder().setCode(Code.LATER).build())
                      .map(Checksums::sealed)
                      .toList()));
      Readers.readDuring(
          cluster,
          READERS,
          i -> () -> table.checkGets(10),
          () -> MiniCluster.await("lies", () -> daemon.shared() > SHARED_LIES));
      assertThat(metrics.readsAgain() - again).isGreaterThan(SHARED_LIES);
      assertThat(metrics.fallbacks(Reason.BAD_ANSWER)).isEqualTo(fallbacks);
    } finally {
      daemon.tellOfShared((request, truth) -> truth);
      daemon.saysOfSharedReads(0);
    }
  }

  @Test
  void anotherVersionIsNotAsked() throws Exception {
    try (LyingDaemon newer =
        new LyingDaemon(
            cluster, cluster.util.getDFSCluster().getDataNodes().get(1), Protocol.VERSION + 1)) {
      table.checkGets(50);
      table.checkScan();
      assertThat(newer.lies()).isZero();
    }
  }

  @Test
  void aBusyDaemonIsLeftAloneForAWhile() throws Exception {
    daemon.tell((request, truth) -> refusal(Code.BUSY));
    long start = System.nanoTime();
    table.checkGets(100);
    assertThat(daemon.lies()).isBetween(1, triesSince(start));
    // On a busy machine it may just be the time for another try.
    Await.until("it is left alone", this::isLeftAloneAfterAGet);
    // When it is not busy any more it is found out before long; here an operator knows at once.
    Map<Reason, Long> fallbacks;
    int tries = 0;
    do {
      daemon.tell((request, truth) -> truth);
      NodesBean.forgetFailures();
      assertThat(NodesBean.quarantined()).isEmpty();
      fallbacks = ReadCheck.fallbacks();
      table.checkGets(10);
      // A machine that is busy with others may take longer than the deadline.
    } while (!ReadCheck.since(fallbacks).isEmpty() && ++tries < 5);
    assertThat(daemon.lies()).as("answers").isEqualTo(10);
  }

  private boolean isLeftAloneAfterAGet() {
    try {
      table.checkGets(1);
      return NodesBean.quarantined().stream().anyMatch(name -> name.startsWith("127.0.0.1,"));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aBusyDaemonIsAskedAgain() throws Exception {
    daemon.tell((request, truth) -> refusal(Code.BUSY));
    table.checkGets(1);
    daemon.tell((request, truth) -> truth);
    table.awaitInStorage();
    table.checkGets(10);
    assertThat(daemon.lies()).as("answers").isGreaterThanOrEqualTo(10);
  }

  @Test
  void aFilterThatTheDaemonDoesNotUseIsNotSentForAWhile() throws Exception {
    InStorageMetrics metrics = InStorageMetrics.get();
    Filter filter = new ColumnPrefixFilter(Bytes.toBytes("q"));
    daemon.tell((request, truth) -> request.hasFilter() ? refusal(Code.FILTER) : truth);
    long fallbacks = metrics.fallbacks(Reason.FILTER);
    long cells = metrics.cells();
    long start = System.nanoTime();
    for (int scan = 0; scan < 50; scan++) {
      table.checkFiltered(filter);
    }
    assertThat(metrics.fallbacks(Reason.FILTER) - fallbacks)
        .isBetween(1L, (long) triesSince(start));
    assertThat(metrics.cells()).as("the daemon still reads").isGreaterThan(cells + 50 * 10);
    // Not while it is tried again.
    MiniCluster.await(
        "the filter to be left out",
        () -> {
          try {
            table.checkFiltered(filter);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          return NodesBean.quarantined().stream()
              .anyMatch(name -> name.startsWith(filter.getClass().getName()));
        });
    // Once a try has succeeded it is sent with every request again.
    daemon.tell((request, truth) -> truth);
    MiniCluster.await(
        "the filter to be tried again",
        () -> {
          try {
            table.checkFiltered(filter);
            return NodesBean.quarantined().isEmpty();
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
    long pushed = metrics.pushedFilters(FilterScope.BY_COLUMN);
    for (int scan = 0; scan < 20; scan++) {
      table.checkFiltered(filter);
    }
    assertThat(metrics.pushedFilters(FilterScope.BY_COLUMN)).isEqualTo(pushed + 20);
  }

  /** How often something that fails each time may have been tried: after 0, 1, 3, 7, ... s. */
  private static int triesSince(long startNanos) {
    long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNanos);
    return 64 - Long.numberOfLeadingZeros(seconds + 1);
  }
}
