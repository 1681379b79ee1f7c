package io.ishbase.plugin.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.Reason;
import io.ishbase.core.Topology;
import io.ishbase.core.Wait;
import io.ishbase.core.WriteTargets;
import io.ishbase.core.compaction.Worker;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.plugin.node.DaemonException;
import io.ishbase.plugin.node.FileLocations;
import io.ishbase.plugin.node.NodeHealth;
import io.ishbase.plugin.node.ReadBuffers;
import io.ishbase.plugin.node.ReadCall;
import io.ishbase.plugin.node.ReadClient;
import io.ishbase.plugin.node.StorageNode;
import io.ishbase.plugin.node.WaitBudget;
import io.ishbase.protocol.CellBatch;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.Spans;
import io.ishbase.protocol.generated.IssnProtos.AggregateRequest;
import io.ishbase.protocol.generated.IssnProtos.AggregateResponse;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two storage nodes hold the files, and answer when they are told to. Nobody waits for time. */
class HedgedReadTest {
  private static final StorageNode FIRST = node(1);
  private static final StorageNode OTHER = node(2);
  private static final String FILE = "/hbase/data/t/r/f/1";
  private static final ReadRequest REQUEST =
      ReadRequest.newBuilder()
          .setVersion(Protocol.VERSION)
          .setDirectory("/hbase/data/t/r/f")
          .addFile("1")
          .setReadPoint(Long.MAX_VALUE)
          .setMaxBytes(1000)
          .addRange(RowRange.getDefaultInstance())
          .build();

  /** What happens while a reader waits. */
  private interface Event {
    void happen(ScriptedCall call);
  }

  /** A call whose events are told instead of waited for; each step takes the next one. */
  private final class ScriptedCall extends ReadCall {
    private final StorageNode node;

    /** The span of which it is a part. */
    private final String traced = Span.current().getSpanContext().getSpanId();

    private int step;
    private boolean isAskedAgain;

    /** Events happen once its reader knows; of the other one once it is waited for. */
    private boolean isLate;

    private ScriptedCall(StorageNode node) {
      this.node = node;
      this.isLate = node.equals(OTHER);
    }

    @Override
    public Wait beginWait() {
      return new Wait(1, silentNanos, 0, 0);
    }

    @Override
    protected long answers() {
      // Asked for behind each step.
      if (isLate && step < events.size()) {
        events.get(step++).happen(this);
      }
      return 0;
    }

    @Override
    protected void silent() {
      completeExceptionally(new DaemonException(Reason.SILENT, "as told"));
    }

    @Override
    public boolean askAgain(Wait wait) {
      isAskedAgain = true;
      isLate = true;
      return false;
    }

    @Override
    public boolean withdraw() {
      return isUnsent && node.equals(FIRST);
    }

    @Override
    public boolean mayGoElsewhere() {
      isLate = true;
      return allowance-- > 0;
    }
  }

  @RegisterExtension
  static final OpenTelemetryExtension TELEMETRY = OpenTelemetryExtension.create();

  private final List<ScriptedCall> calls = new ArrayList<>();
  private final List<ServerName> reconnected = new ArrayList<>();
  private final NodeHealth health = new NodeHealth(reconnected::add);
  private List<String> holders = List.of(FIRST.dataNodeIp(), OTHER.dataNodeIp());
  private List<Event> events = List.of();
  private ReadRequest request = REQUEST;
  private int allowance = 1;
  private boolean isUnsent;
  private long silentNanos = Long.MAX_VALUE;
  private long nowMillis = 1_000_000;

  @BeforeEach
  void setClock() {
    EnvironmentEdgeManager.injectEdge(() -> nowMillis);
  }

  @AfterEach
  void resetClock() {
    EnvironmentEdgeManager.reset();
  }

  private static StorageNode node(int number) {
    ServerName address = ServerName.valueOf("host" + number, 16, number);
    String dataNode = "10.0.0." + number + ":9866";
    Worker none = new Worker(address.toString(), 0, 0, 0, 0, 0, 0, 0, false, 0);
    return new StorageNode(address, dataNode, dataNode, number, true, none, 0, false, false);
  }

  private final class Client implements ReadClient {
    @Override
    public ReadCall read(ServerName daemon, ReadRequest request) {
      ScriptedCall call = new ScriptedCall(daemon.equals(FIRST.address()) ? FIRST : OTHER);
      calls.add(call);
      return call;
    }

    @Override
    public AggregateResponse aggregate(ServerName daemon, AggregateRequest request) {
      throw new AssertionError("Nobody asked for it");
    }
  }

  private HedgedRead read(boolean mayGoHome) {
    FileLocations locations =
        new FileLocations(
            () -> List.of(FIRST, OTHER),
            health,
            new Topology(Set.of(), () -> {}),
            new WriteTargets(),
            node -> 0,
            node -> false,
            node -> 1);
    RawLocalFileSystem fs =
        new RawLocalFileSystem() {
          @Override
          public BlockLocation[] getFileBlockLocations(Path path, long start, long bytes) {
            String[] names = holders.toArray(String[]::new);
            return new BlockLocation[] {new BlockLocation(names, null, 0, 1)};
          }
        };
    for (String name : request.getFileList()) {
      Path file = new Path(request.getDirectory(), name);
      assertThat(locations.nodeFor(fs, file, Set.of(), new WaitBudget())).isEqualTo(FIRST);
    }
    ReadContext context =
        new ReadContext(
            new Client(), health, locations, new ReadBuffers(0), null, null, 1, bytes -> {});
    return new HedgedRead(context, FIRST, request, mayGoHome);
  }

  /** A cell that says whose it is. */
  private static ReadResponse answer(StorageNode from) {
    CellBatch.Encoder cells = new CellBatch.Encoder(16);
    byte[] empty = new byte[0];
    cells.add(0, new KeyValue(Bytes.toBytes(from.name()), empty, empty, 1, empty));
    return Checksums.sealed(
        ReadResponse.newBuilder()
            .setCode(Code.OK)
            .setCellCount(1)
            .setCells(UnsafeByteOperations.unsafeWrap(cells.array(), 0, cells.size()))
            .build());
  }

  private static ReadResponse refusal(Code code) {
    return Checksums.sealed(ReadResponse.newBuilder().setCode(code).build());
  }

  /** Its time is over, whoever else was asked; a filter may be to blame, as its reader knows. */
  @Test
  void aTimeOutEndsTheReadAndIsToldByItsReader() {
    events =
        List.of(
            call ->
                calls.get(0).completeExceptionally(new DaemonException(Reason.TIMEOUT, "as told")),
            this::theOtherAnswers);
    HedgedRead read = read(false);
    assertThat(failure(read)).isEqualTo(Reason.TIMEOUT);
    assertThat(read.node()).isEqualTo(FIRST);
    assertThat(calls).hasSize(2);
    assertNothingUnderWay();
    assertThat(health.quarantined()).isEmpty();
    assertThat(reconnected).isEmpty();
  }

  /** Once it is waited for. */
  private void theOtherAnswers(ScriptedCall call) {
    if (call.node.equals(OTHER)) {
      answers(OTHER);
    }
  }

  private void answers(StorageNode node) {
    calls.stream()
        .filter(call -> call.node.equals(node))
        .forEach(call -> call.complete(answer(node)));
  }

  private static void assertAnswered(HedgedRead read, StorageNode by) throws IOException {
    NodeBatch batch = read.await(CellComparator.getInstance());
    assertThat(read.node()).isEqualTo(by);
    assertThat(Bytes.toString(CellUtil.cloneRow(batch.cell(0)))).isEqualTo(by.name());
  }

  private static Reason failure(HedgedRead read) {
    try {
      read.await(CellComparator.getInstance());
      throw new AssertionError("It was answered");
    } catch (DaemonException e) {
      return e.reason();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void assertNothingUnderWay() {
    assertThat(calls).allMatch(Future::isDone);
  }

  @Test
  void anAnswerThatIsThereCostsNothingMore() throws Exception {
    HedgedRead read = read(true);
    answers(FIRST);
    assertAnswered(read, FIRST);
    assertThat(calls).hasSize(1);
    assertThat(allowance).isEqualTo(1);
  }

  @Test
  void ofALateAnswerAndThatOfAnotherHolderTheFirstIsTaken() throws Exception {
    long won = InStorageMetrics.get().hedgesWon();
    for (StorageNode faster : List.of(FIRST, OTHER)) {
      calls.clear();
      allowance = 1;
      events = List.of(call -> answers(faster));
      assertAnswered(read(false), faster);
      assertThat(calls).hasSize(2);
      assertNothingUnderWay();
    }
    assertThat(InStorageMetrics.get().hedgesWon() - won).isEqualTo(1);
    assertThat(health.quarantined()).as("the one that was late").isEmpty();
  }

  @Test
  void whatWasNotSentYetGoesToAnotherHolderInstead() throws Exception {
    long hedges = InStorageMetrics.get().hedges();
    // It is no extra request.
    allowance = 0;
    isUnsent = true;
    events = List.of(this::theOtherAnswers);
    assertAnswered(read(false), OTHER);
    assertThat(calls).hasSize(2);
    assertNothingUnderWay();
    assertThat(InStorageMetrics.get().hedges()).isEqualTo(hedges);
    assertThat(health.quarantined()).isEmpty();
  }

  @Test
  void inATraceItIsOneSpanWhoeverAnswers() throws Exception {
    Span reader = TELEMETRY.getOpenTelemetry().getTracer("test").spanBuilder("test").startSpan();
    try (Scope ignored = reader.makeCurrent()) {
      events = List.of(call -> answers(OTHER));
      assertAnswered(read(false), OTHER);
      holders = List.of(FIRST.dataNodeIp());
      HedgedRead failed = read(false);
      calls.get(2).completeExceptionally(new DaemonException(Reason.UNREACHABLE, "as told"));
      assertThat(failure(failed)).isEqualTo(Reason.UNREACHABLE);
      HedgedRead abandoned = read(false);
      abandoned.ahead();
      abandoned.abandon();
    }
    // What another test has left may call its daemon still.
    List<SpanData> spans =
        TELEMETRY.getSpans().stream()
            .filter(span -> span.getTraceId().equals(reader.getSpanContext().getTraceId()))
            .toList();
    assertThat(spans).hasSize(3);
    for (SpanData span : spans) {
      assertThat(span.getName()).isEqualTo("InStorage.read");
      assertThat(span.getParentSpanId()).isEqualTo(reader.getSpanContext().getSpanId());
      assertThat(span.getAttributes().get(Spans.FILES)).isEqualTo(1);
    }
    SpanData hedged = spans.get(0);
    assertThat(hedged.getAttributes().get(Spans.NODE)).isEqualTo(OTHER.name());
    assertThat(hedged.getAttributes().get(Spans.CELLS)).isEqualTo(1);
    assertThat(hedged.getEvents()).extracting(EventData::getName).containsExactly("hedge");
    assertThat(calls.get(0).traced).isEqualTo(hedged.getSpanId()).isEqualTo(calls.get(1).traced);
    assertThat(spans.get(1).getAttributes().get(Spans.FALLBACK)).isEqualTo("unreachable");
    assertThat(spans.get(1).getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    assertThat(spans.get(2).getAttributes().get(Spans.AHEAD)).isTrue();
    assertThat(spans.get(2).getAttributes().get(Spans.ABANDONED)).isTrue();
  }

  /** The first one will never be answered. */
  @Test
  void whatFailsAtTheOneToWhichItWentHasFailed() {
    allowance = 0;
    isUnsent = true;
    events =
        List.of(
            call -> call.completeExceptionally(new DaemonException(Reason.UNREACHABLE, "as told")));
    HedgedRead read = read(false);
    assertThat(failure(read)).isEqualTo(Reason.UNREACHABLE);
    assertThat(read.node()).isEqualTo(OTHER);
  }

  @Test
  void whoMayNotAskElsewhereWaitsOn() throws Exception {
    allowance = 0;
    events = List.of(call -> answers(FIRST));
    assertAnswered(read(true), FIRST);
    assertThat(calls).hasSize(1);
  }

  @Test
  void whereNobodyElseHoldsTheFilesAGetGoesHome() {
    holders = List.of(FIRST.dataNodeIp());
    HedgedRead read = read(true);
    assertThat(failure(read)).isEqualTo(Reason.LATE);
    assertThat(calls.get(0).isAskedAgain).isTrue();
    read.abandon();
    assertNothingUnderWay();
    assertThat(health.quarantined()).isEmpty();
  }

  @Test
  void whereNobodyElseHoldsTheFilesAScanWaitsOn() throws Exception {
    holders = List.of(FIRST.dataNodeIp());
    events = List.of(call -> answers(FIRST));
    assertAnswered(read(false), FIRST);
    assertThat(calls).hasSize(1);
    assertThat(allowance).isEqualTo(1);
  }

  @Test
  void whoWaitsForASilentNodeGoesToAnotherInAnyCase() throws Exception {
    allowance = 0;
    silentNanos = 1;
    events = List.of(this::theOtherAnswers);
    HedgedRead read = read(false);
    assertAnswered(read, OTHER);
    assertThat(calls).hasSize(2);
    assertThat(health.quarantined()).containsExactly(FIRST.name());
    assertThat(reconnected).containsExactly(FIRST.address());
  }

  @Test
  void whatWasAtANodeThatIsAwayGoesToAnotherInAnyCase() throws Exception {
    for (Consumer<ScriptedCall> end :
        List.<Consumer<ScriptedCall>>of(
            call -> call.completeExceptionally(new DaemonException(Reason.UNREACHABLE, "as told")),
            call -> call.complete(refusal(Code.STOPPING)))) {
      calls.clear();
      health.succeeded(FIRST, List::of, nowMillis);
      allowance = 0;
      events = List.of(this::theOtherAnswers);
      HedgedRead read = read(false);
      long moved = InStorageMetrics.get().movedReads();
      end.accept(calls.get(0));
      assertAnswered(read, OTHER);
      assertThat(InStorageMetrics.get().movedReads() - moved).isEqualTo(1);
      assertThat(calls).hasSize(2);
      assertThat(health.quarantined()).containsExactly(FIRST.name());
      nowMillis += TimeUnit.HOURS.toMillis(1);
    }
  }

  /** The node may have begun again since, and others are reading from it. */
  @Test
  void whatFailedLongAgoBlamesNobody() throws Exception {
    events = List.of(this::theOtherAnswers);
    HedgedRead read = read(false);
    calls.get(0).completeExceptionally(new DaemonException(Reason.UNREACHABLE, "as told"));
    nowMillis += TimeUnit.MINUTES.toMillis(1);
    assertAnswered(read, OTHER);
    assertThat(health.quarantined()).isEmpty();
    assertThat(reconnected).isEmpty();
  }

  @Test
  void whatIsWrongWithAFileOrAReadIsNotAskedOfAnother() {
    for (Code code : List.of(Code.NO_FILE, Code.BUSY, Code.REFUSED, Code.FILTER)) {
      calls.clear();
      HedgedRead read = read(false);
      calls.get(0).complete(refusal(code));
      assertThat(failure(read)).isNotNull();
      assertThat(calls).hasSize(1);
    }
  }

  @Test
  void aSilentNodeWhoseFilesNobodyElseHoldsFailsTheRead() {
    holders = List.of(FIRST.dataNodeIp());
    silentNanos = 1;
    assertThat(failure(read(false))).isEqualTo(Reason.SILENT);
    assertThat(calls).hasSize(1);
  }

  @Test
  void oneThatIsLeftAloneIsNotAskedInAnothersPlace() {
    HedgedRead read = read(true);
    health.failed(OTHER, List.of(), Reason.UNREACHABLE);
    assertThat(failure(read)).isEqualTo(Reason.LATE);
    assertThat(calls).hasSize(1);
  }

  @Test
  void theOthersFailureIsNotThatOfTheRead() throws Exception {
    for (Event failure :
        List.<Event>of(
            call -> calls.get(1).complete(refusal(Code.NO_FILE)),
            call ->
                calls
                    .get(1)
                    .completeExceptionally(new DaemonException(Reason.UNREACHABLE, "as told")))) {
      calls.clear();
      allowance = 1;
      events = List.of(failure, call -> answers(FIRST));
      assertAnswered(read(false), FIRST);
      assertThat(calls).hasSize(2);
    }
    assertThat(health.quarantined()).as("it is not asked by the next one").contains(OTHER.name());
    calls.clear();
    allowance = 1;
    events = List.of(call -> answers(FIRST));
    HedgedRead next = read(false);
    answers(FIRST);
    assertAnswered(next, FIRST);
    assertThat(calls).hasSize(1);
  }

  /** Nobody else is known to hold the files then, and a Get is not to wait for the deadline. */
  @Test
  void whereTheOtherFailsAnAnswerThatIsStillLateSendsAGetHome() {
    allowance = 2;
    events =
        List.of(
            call -> calls.get(1).complete(refusal(Code.NO_FILE)),
            call -> {},
            call -> {},
            call -> answers(FIRST));
    assertThat(failure(read(true))).isEqualTo(Reason.LATE);
    assertThat(calls).hasSize(2);
    assertThat(allowance).isZero();
  }

  /** Whatever its code says. */
  @Test
  void aRefusalThatIsNotIntactBlamesTheNodeWhileTheOtherIsWaitedFor() throws Exception {
    ReadResponse flipped = refusal(Code.CORRUPT).toBuilder().setMessage("?").build();
    events = List.of(call -> calls.get(0).complete(flipped), this::theOtherAnswers);
    assertAnswered(read(false), OTHER);
    assertThat(health.quarantined()).containsExactly(FIRST.name());
  }

  @Test
  void aRefusalBlamesTheFileThatItNames() throws Exception {
    ReadResponse corrupt =
        Checksums.sealed(ReadResponse.newBuilder().setCode(Code.CORRUPT).setFailedFile(1).build());
    request = REQUEST.toBuilder().addFile("2").addFile("3").build();
    events = List.of(call -> calls.get(0).complete(corrupt), this::theOtherAnswers);
    assertAnswered(read(false), OTHER);
    assertThat(health.quarantined()).containsExactly("/hbase/data/t/r/f/2");
  }

  @Test
  void whereTheFirstFailsTheOtherIsWaitedFor() throws Exception {
    events =
        List.of(
            this::theOtherAnswers,
            call ->
                calls
                    .get(0)
                    .completeExceptionally(new DaemonException(Reason.UNREACHABLE, "as told")));
    assertAnswered(read(false), OTHER);
    assertThat(health.quarantined()).containsExactly(FIRST.name());
  }

  @Test
  void whereTheFirstRefusesTheOtherIsWaitedFor() throws Exception {
    events = List.of(this::theOtherAnswers, call -> calls.get(0).complete(refusal(Code.STOPPING)));
    assertAnswered(read(false), OTHER);
    assertThat(health.quarantined()).containsExactly(FIRST.name());
    assertNothingUnderWay();
  }

  /** The other one would say the same, and the read goes on without its filter. */
  @Test
  void aRefusalOfTheFilterEndsTheWait() {
    events = List.of(call -> calls.get(0).complete(refusal(Code.FILTER)));
    assertThat(failure(read(false))).isEqualTo(Reason.FILTER);
    assertThat(calls).hasSize(2);
    assertNothingUnderWay();
    assertThat(health.quarantined()).isEmpty();
  }

  /** The first one, which failed before, is tried by the read. */
  private HedgedRead trial(boolean mayGoHome) {
    health.forgetFailures();
    HedgedRead read = read(mayGoHome);
    health.failed(FIRST, List.of(), Reason.UNREACHABLE);
    health.failed(FIRST, List.of(FILE), Reason.NO_FILE);
    nowMillis += 1_000;
    assertThat(health.admits(FIRST.name())).isTrue();
    assertThat(health.admits(FILE)).isTrue();
    assertThat(health.quarantined()).containsExactlyInAnyOrder(FIRST.name(), FILE);
    return read;
  }

  @Test
  void theTryOfWhoGoesIsGivenBack() {
    trial(false).abandon();
    assertThat(health.quarantined()).isEmpty();
    HedgedRead answered = trial(false);
    answers(FIRST);
    answered.abandon();
    assertThat(health.quarantined()).as("nobody looked at the answer").isEmpty();
    HedgedRead failed = trial(false);
    calls.get(2).completeExceptionally(new DaemonException(Reason.UNREACHABLE, "as told"));
    failed.abandon();
    assertThat(health.quarantined()).as("it fails still").contains(FIRST.name());
  }

  @Test
  void theTryOfWhoGoesHomeLateIsGivenBack() {
    holders = List.of(FIRST.dataNodeIp());
    HedgedRead read = trial(true);
    assertThat(failure(read)).isEqualTo(Reason.LATE);
    read.abandon();
    assertThat(health.quarantined()).isEmpty();
  }

  @Test
  void theTryOfANodeInWhosePlaceAnotherAnswersIsGivenBack() throws Exception {
    for (boolean unsent : new boolean[] {false, true}) {
      calls.clear();
      isUnsent = unsent;
      events = List.of(call -> answers(OTHER));
      assertAnswered(trial(false), OTHER);
      assertThat(health.quarantined()).doesNotContain(FIRST.name());
    }
  }

  @Test
  void whoGoesLeavesNothingUnderWay() {
    HedgedRead read = read(false);
    events = List.of(call -> Thread.currentThread().interrupt());
    assertThatThrownBy(() -> read.await(CellComparator.getInstance()))
        .isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(calls).hasSize(2);
    read.abandon();
    assertNothingUnderWay();
  }
}
