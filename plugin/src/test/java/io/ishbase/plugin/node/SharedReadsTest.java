package io.ishbase.plugin.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.Reason;
import io.ishbase.core.Wait;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.Spans;
import io.ishbase.protocol.generated.IssnProtos.AggregateRequest;
import io.ishbase.protocol.generated.IssnProtos.AggregateResponse;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.DictionaryRequest;
import io.ishbase.protocol.generated.IssnProtos.DictionaryResponse;
import io.ishbase.protocol.generated.IssnProtos.IssnService;
import io.ishbase.protocol.generated.IssnProtos.LineRequest;
import io.ishbase.protocol.generated.IssnProtos.LineResponse;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.SharedReadRequest;
import io.ishbase.protocol.generated.IssnProtos.SharedReadResponse;
import io.ishbase.testing.Await;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.testing.junit5.OpenTelemetryExtension;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.ipc.FifoRpcScheduler;
import org.apache.hadoop.hbase.ipc.HBaseRpcController;
import org.apache.hadoop.hbase.ipc.RpcServer.BlockingServiceAndInterface;
import org.apache.hadoop.hbase.ipc.RpcServerFactory;
import org.apache.hadoop.hbase.ipc.RpcServerInterface;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.RpcChannel;
import org.apache.hbase.thirdparty.com.google.protobuf.RpcController;
import org.apache.hbase.thirdparty.com.google.protobuf.ServiceException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Requests that readers share, over HBase's RPC, to a daemon that does as it is told. */
class SharedReadsTest {
  private static final int HANDLERS = DaemonReads.FEW + 6;
  private static final int WAIT_SECONDS = 30;

  /** Of what a machine that stands still for a moment spoils. */
  private static final int MOST_TRIES = 20;

  /** What it says to a shared request. */
  private interface Shared {
    SharedReadResponse answer(SharedReadRequest request) throws Exception;
  }

  @RegisterExtension
  static final OpenTelemetryExtension TELEMETRY = OpenTelemetryExtension.create();

  private final Configuration conf = HBaseConfiguration.create();
  private volatile CountDownLatch first = new CountDownLatch(DaemonReads.FEW);
  private final Semaphore mayAnswer = new Semaphore(0);
  private final ConcurrentLinkedQueue<SharedReadRequest> shared = new ConcurrentLinkedQueue<>();
  private final AtomicInteger signs = new AtomicInteger();
  private volatile CountDownLatch maySign = new CountDownLatch(0);
  private volatile Shared lie = SharedReadsTest::truth;
  private RpcServerInterface server;
  private DaemonClient client;
  private ServerName daemon;

  private final class Reads implements IssnService.BlockingInterface {
    @Override
    public ReadResponse read(RpcController controller, ReadRequest request) {
      first.countDown();
      mayAnswer.acquireUninterruptibly();
      return answer(request);
    }

    @Override
    public SharedReadResponse sharedRead(RpcController controller, SharedReadRequest request)
        throws ServiceException {
      shared.add(request);
      try {
        return lie.answer(request);
      } catch (Exception e) {
        throw new ServiceException(e);
      }
    }

    @Override
    public AggregateResponse aggregate(RpcController controller, AggregateRequest request) {
      return AggregateResponse.getDefaultInstance();
    }

    @Override
    public LineResponse line(RpcController controller, LineRequest request)
        throws ServiceException {
      signs.incrementAndGet();
      try {
        maySign.await(WAIT_SECONDS, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        throw new ServiceException(e);
      }
      return LineResponse.getDefaultInstance();
    }

    @Override
    public DictionaryResponse dictionary(RpcController controller, DictionaryRequest request) {
      return DictionaryResponse.getDefaultInstance();
    }
  }

  /** Says which directory it is of. */
  private static ReadResponse answer(ReadRequest read) {
    return answer(Code.OK, read);
  }

  private static ReadResponse answer(Code code, ReadRequest read) {
    return Checksums.sealed(
        ReadResponse.newBuilder()
            .setCode(code)
            .setCells(ByteString.copyFromUtf8(read.getDirectory()))
            .setAsked(read.getCrc32C())
            .build());
  }

  private static SharedReadResponse truth(SharedReadRequest request) {
    SharedReadResponse.Builder answers = SharedReadResponse.newBuilder();
    request.getReadList().forEach(read -> answers.addAnswer(answer(read)));
    return answers.build();
  }

  private static SharedReadResponse truth(SharedReadRequest request, CountDownLatch end)
      throws InterruptedException {
    end.await(WAIT_SECONDS, TimeUnit.SECONDS);
    return truth(request);
  }

  @BeforeEach
  void start() throws IOException {
    Protocol.register();
    server =
        RpcServerFactory.createRpcServer(
            null,
            "test",
            List.of(
                new BlockingServiceAndInterface(
                    IssnService.newReflectiveBlockingService(new Reads()),
                    IssnService.BlockingInterface.class)),
            new InetSocketAddress("127.0.0.1", 0),
            conf,
            new FifoRpcScheduler(conf, HANDLERS));
    server.start();
    daemon = ServerName.valueOf("127.0.0.1", server.getListenerAddress().getPort(), 1);
    start("true");
  }

  private void start(String shares) throws IOException {
    conf.setInt("ishbase.rpc.timeout", 20_000);
    conf.set("ishbase.answer.compression", "none");
    conf.set("ishbase.read.share", shares);
    client = new DaemonClient(conf);
    client.retain(List.of(StorageNode.at(daemon)));
  }

  @AfterEach
  void stop() {
    mayAnswer.release(1_000);
    maySign.countDown();
    client.close();
    server.stop();
  }

  private ReadCall read(String directory) {
    return read(directory, 1024);
  }

  private ReadCall read(String directory, int maxBytes) {
    return client.read(
        daemon,
        ReadRequest.newBuilder()
            .setVersion(Protocol.VERSION)
            .setDirectory(directory)
            .setReadPoint(1)
            .setMaxBytes(maxBytes)
            .build());
  }

  /** So many that share a request once the first ones are answered. */
  private List<ReadCall> waitingReads(int count) throws InterruptedException {
    for (int i = 0; i < DaemonReads.FEW; i++) {
      read("/first");
    }
    assertThat(first.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    List<ReadCall> reads = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      reads.add(read("/" + i));
    }
    return reads;
  }

  private static void assertAnswered(List<ReadCall> reads) throws Exception {
    for (int i = 0; i < reads.size(); i++) {
      assertThat(directory(reads.get(i))).isEqualTo("/" + i);
    }
  }

  private static String directory(ReadCall read) throws Exception {
    return read.get(WAIT_SECONDS, TimeUnit.SECONDS).getCells().toStringUtf8();
  }

  private static DaemonException failure(ReadCall read) throws Exception {
    try {
      read.get(WAIT_SECONDS, TimeUnit.SECONDS);
      throw new AssertionError("It was answered");
    } catch (ExecutionException e) {
      return (DaemonException) e.getCause();
    }
  }

  @Test
  void readsThatWaitShareARequest() throws Exception {
    long requests = InStorageMetrics.get().requests();
    long sent = InStorageMetrics.get().reads();
    List<ReadCall> reads = waitingReads(5);
    mayAnswer.release(1);
    assertAnswered(reads);
    assertThat(shared).hasSize(1);
    assertThat(InStorageMetrics.get().requests() - requests).isEqualTo(DaemonReads.FEW + 1);
    assertThat(InStorageMetrics.get().reads() - sent).isEqualTo(DaemonReads.FEW + 5);
  }

  @Test
  void aReadAloneSharesNothing() throws Exception {
    mayAnswer.release(1_000);
    for (int i = 0; i < 20; i++) {
      assertThat(directory(read("/alone"))).isEqualTo("/alone");
    }
    assertThat(shared).isEmpty();
  }

  /** They say nothing of how large the answers to Gets are. */
  @Test
  void largeReadsBesideDoNotKeepSmallOnesFromSharing() throws Exception {
    mayAnswer.release(100);
    String large = "/" + "x".repeat(100_000);
    for (int i = 0; i < 100; i++) {
      read(large, 1 << 20).get(WAIT_SECONDS, TimeUnit.SECONDS);
    }
    List<ReadCall> reads = waitingReads(5);
    mayAnswer.release(1);
    assertAnswered(reads);
    assertThat(shared).hasSize(1);
  }

  @Test
  void whatTheSettingForbidsIsNotDone() throws Exception {
    client.close();
    start("false");
    mayAnswer.release(1_000);
    assertAnswered(waitingReads(20));
    assertThat(shared).isEmpty();
  }

  @Test
  void aDaemonThatDoesNotKnowSharedRequestsGetsNone() throws Exception {
    StorageNode node = StorageNode.at(daemon);
    client.retain(List.of());
    client.retain(
        List.of(new StorageNode(node.address(), "", "", 0, true, node.worker(), 0, false, false)));
    mayAnswer.release(1_000);
    assertAnswered(waitingReads(20));
    assertThat(shared).isEmpty();
  }

  /** It is sent when another request is answered, of whose trace it is no part. */
  @Test
  void aSharedRequestBelongsToTheTracesOfItsReaders() throws Exception {
    Tracer tracer = TELEMETRY.getOpenTelemetry().getTracer("test");
    AtomicReference<String> asked = new AtomicReference<>();
    lie =
        request -> {
          asked.set(Span.current().getSpanContext().getTraceId());
          return truth(request);
        };
    List<Span> readers = new ArrayList<>();
    List<ReadCall> reads = new ArrayList<>();
    try (Scope ignored = tracer.spanBuilder("other").startSpan().makeCurrent()) {
      waitingReads(0);
    }
    reads.add(read("/0"));
    for (int i = 1; i < 3; i++) {
      Span reader = tracer.spanBuilder("reader" + i).startSpan();
      readers.add(reader);
      try (Scope ignored = reader.makeCurrent()) {
        reads.add(read("/" + i));
      }
    }
    mayAnswer.release(1);
    assertAnswered(reads);
    readers.forEach(Span::end);
    Await.until("the request's span", () -> !spans("InStorage.sharedRead").isEmpty());
    SpanData request = spans("InStorage.sharedRead").get(0);
    assertThat(request.getAttributes().get(Spans.READS)).isEqualTo(3);
    assertThat(request.getParentSpanContext()).isEqualTo(readers.get(0).getSpanContext());
    assertThat(request.getLinks())
        .extracting(LinkData::getSpanContext)
        .containsExactlyElementsOf(readers.stream().map(Span::getSpanContext).toList());
    assertThat(asked.get()).isEqualTo(request.getTraceId());
    for (int i = 1; i < 3; i++) {
      SpanData reader = spans("reader" + i).get(0);
      assertThat(reader.getLinks())
          .extracting(LinkData::getSpanContext)
          .containsExactly(request.getSpanContext());
      assertThat(reader.getAttributes().get(Spans.INDEX)).isEqualTo(i);
    }
  }

  private static List<SpanData> spans(String name) {
    return TELEMETRY.getSpans().stream().filter(span -> span.getName().equals(name)).toList();
  }

  @Test
  void answersInAnotherOrderAreNotBelieved() throws Exception {
    lie =
        request -> {
          SharedReadResponse truth = truth(request);
          return truth.toBuilder()
              .setAnswer(0, truth.getAnswer(1))
              .setAnswer(1, truth.getAnswer(0))
              .build();
        };
    List<ReadCall> reads = waitingReads(3);
    mayAnswer.release(1);
    assertThat(failure(reads.get(0)).reason()).isEqualTo(Reason.BAD_ANSWER);
    assertThat(failure(reads.get(1)).reason()).isEqualTo(Reason.BAD_ANSWER);
    assertThat(directory(reads.get(2))).isEqualTo("/2");
  }

  @Test
  void tooFewAnswersFailAllAndAreToldOnce() throws Exception {
    lie = request -> truth(request).toBuilder().removeAnswer(0).build();
    assertAllFail(Reason.BAD_ANSWER);
  }

  @Test
  void aRequestThatFailsFailsAllAndIsToldOnce() throws Exception {
    lie =
        request -> {
          throw new IOException("as told");
        };
    assertAllFail(Reason.NO_ANSWER);
  }

  @Test
  void aConnectionThatEndsFailsAllAndIsToldOnce() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    lie =
        request -> {
          client.reconnect(daemon);
          end.await(WAIT_SECONDS, TimeUnit.SECONDS);
          return truth(request);
        };
    assertAllFail(Reason.UNREACHABLE);
    end.countDown();
  }

  private void assertAllFail(Reason reason) throws Exception {
    List<ReadCall> reads = waitingReads(3);
    mayAnswer.release(1);
    int told = 0;
    for (ReadCall read : reads) {
      DaemonException failure = failure(read);
      assertThat(failure.reason()).isEqualTo(reason);
      told += failure.tell() ? 1 : 0;
    }
    assertThat(told).isEqualTo(1);
    lie = SharedReadsTest::truth;
    mayAnswer.release(1_000);
    assertThat(directory(read("/next"))).isEqualTo("/next");
  }

  @Test
  void whatIsPutOffIsAskedAgainAlone() throws Exception {
    lie =
        request ->
            truth(request).toBuilder()
                .setAnswer(1, answer(Code.LATER, request.getRead(1)))
                .setAnswer(2, answer(Code.LATER, request.getRead(2)))
                .build();
    long again = InStorageMetrics.get().readsAgain();
    List<ReadCall> reads = waitingReads(3);
    mayAnswer.release(1_000);
    assertAnswered(reads);
    assertThat(InStorageMetrics.get().readsAgain() - again).isEqualTo(2);
  }

  @Test
  void oneReadersFailureIsItsOwn() throws Exception {
    lie =
        request ->
            truth(request).toBuilder()
                .setAnswer(1, answer(Code.NO_FILE, request.getRead(1)))
                .build();
    List<ReadCall> reads = waitingReads(3);
    mayAnswer.release(1);
    assertThat(reads.get(1).get(WAIT_SECONDS, TimeUnit.SECONDS).getCode()).isEqualTo(Code.NO_FILE);
    assertThat(directory(reads.get(0))).isEqualTo("/0");
    assertThat(directory(reads.get(2))).isEqualTo("/2");
  }

  /** Whether its request is formed already or not. */
  @Test
  void aReaderWhoWaitsLongAsksAlone() throws Exception {
    for (int tries = 1; !isAnsweredAlone(); tries++) {
      assertThat(tries).as("tries").isLessThan(MOST_TRIES);
      stop();
      shared.clear();
      mayAnswer.drainPermits();
      first = new CountDownLatch(DaemonReads.FEW);
      start();
    }
  }

  /** False: the machine stood still, and so the daemon for the reader. */
  private boolean isAnsweredAlone() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    lie = request -> truth(request, end);
    List<ReadCall> reads = waitingReads(2);
    mayAnswer.release(1);
    Await.until("the shared request", () -> shared.size() == 1);
    mayAnswer.release(1_000);
    try {
      assertThat(reads.get(1).await().getCells().toStringUtf8()).isEqualTo("/1");
      assertThat(reads.get(0)).isNotDone();
    } catch (DaemonException e) {
      assertThat(e.reason()).isEqualTo(Reason.SILENT);
      return false;
    } finally {
      end.countDown();
    }
    assertThat(directory(reads.get(0))).isEqualTo("/0");
    return true;
  }

  /** Nobody waits for the deadline, and for all of its readers that is one failure. */
  @Test
  void aDaemonThatDoesNotSayThatItIsThereIsSilent() throws Exception {
    maySign = new CountDownLatch(1);
    long silences = InStorageMetrics.get().silences();
    List<ReadCall> reads = new ArrayList<>();
    for (int i = 0; i < DaemonReads.FEW; i++) {
      reads.add(read("/first"));
    }
    assertThat(first.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    DaemonException failure = awaitFailure(reads.get(0));
    assertThat(failure.reason()).isEqualTo(Reason.SILENT);
    assertThat(failure.tell()).isTrue();
    client.reconnect(daemon);
    for (ReadCall read : reads.subList(1, DaemonReads.FEW)) {
      DaemonException others = failure(read);
      assertThat(others.reason()).isEqualTo(Reason.SILENT);
      assertThat(others.tell()).isFalse();
    }
    assertThat(InStorageMetrics.get().silences() - silences).isEqualTo(1);
    maySign.countDown();
    mayAnswer.release(1_000);
    Await.until("an answer", this::isAnswered);
  }

  /** Until it answers anybody anything, of which it is asked as no reads go to it. */
  @Test
  void aDaemonThatAnswersNobodyIsInDoubtUntilItGivesASign() throws Exception {
    maySign = new CountDownLatch(1);
    long doubts = InStorageMetrics.get().doubts();
    assertThat(client.isDoubted(daemon)).isFalse();
    ReadCall read = read("/first");
    assertThat(awaitFailure(read).reason()).isEqualTo(Reason.SILENT);
    assertThat(InStorageMetrics.get().doubts() - doubts).isEqualTo(1);
    assertThat(client.isDoubted(daemon)).isTrue();
    maySign.countDown();
    Await.until("a sign of life", () -> !client.isDoubted(daemon));
  }

  @Test
  void whatWaitsToBeSentMayBeWithdrawn() throws Exception {
    List<ReadCall> reads = waitingReads(3);
    assertThat(reads.get(1).withdraw()).isTrue();
    mayAnswer.release(1);
    assertThat(directory(reads.get(0))).isEqualTo("/0");
    assertThat(directory(reads.get(2))).isEqualTo("/2");
    assertThat(shared.element().getReadCount()).isEqualTo(2);
    assertThat(reads.get(0).withdraw()).isFalse();
  }

  /** Such a read shares no request, so it never waits to be sent. */
  @Test
  void whatWasSentAtOnceMayNotBeWithdrawn() throws Exception {
    ReadCall read =
        client.read(
            daemon,
            ReadRequest.newBuilder()
                .setVersion(Protocol.VERSION)
                .setDirectory("/large")
                .setReadPoint(1)
                .setMaxBytes(1 << 20)
                .build());
    assertThat(read.withdraw()).isFalse();
    Wait wait = read.beginWait();
    assertThat(read.askAgain(wait)).isFalse();
    mayAnswer.release(1);
    assertThat(directory(read)).isEqualTo("/large");
  }

  /** Of a machine that has no time for the sign either another read is slow. */
  @Test
  void aDaemonThatIsSlowIsAskedForSignsAndWaitedFor() {
    Await.until("an answer behind three signs of life", this::isAnsweredBehindSigns);
  }

  private boolean isAnsweredBehindSigns() {
    signs.set(0);
    mayAnswer.drainPermits();
    ReadCall read = read("/slow");
    CompletableFuture<Void> answer =
        CompletableFuture.runAsync(
            () -> {
              Await.until("signs of life", () -> signs.get() >= 3 || read.isDone());
              mayAnswer.release(1_000);
            });
    try {
      return read.await().getCells().toStringUtf8().equals("/slow") && signs.get() >= 3;
    } catch (IOException e) {
      return false;
    } finally {
      answer.join();
    }
  }

  /** A block that it fetches itself would keep the line busy for longer. */
  @Test
  void aLateReadOverAShortLineGivesItTime() throws IOException {
    long[] lineNanos = {0};
    DaemonReads reads =
        new DaemonReads(
            IssnService.newStub(client.channel(daemon)),
            IssnService.newStub(client.channel(daemon)),
            () -> {},
            20_000,
            0,
            false,
            false,
            5,
            () -> lineNanos[0],
            (read, response) -> {});
    Wait wait = new Wait(1, Long.MAX_VALUE, 0, 0);
    assertThat(pending(reads).mayGoHome(wait)).isTrue();
    lineNanos[0] = TimeUnit.SECONDS.toNanos(60);
    PendingRead late = pending(reads);
    assertThat(late.mayGoHome(wait)).isFalse();
    wait.stepped(TimeUnit.MILLISECONDS.toNanos(10), 0);
    for (int step = 0; step < 999; step++) {
      assertThat(wait.isLate()).as("step %d", step).isFalse();
      wait.stepped(TimeUnit.MILLISECONDS.toNanos(10), 0);
    }
    assertThat(wait.isLate()).as("after half of the time-out").isTrue();
    assertThat(late.mayGoHome(wait)).isTrue();
  }

  /** Each read looks whether a daemon is in doubt. */
  @Test
  void ofADaemonThatIsGoneFewSignsAreAskedFor() {
    AtomicInteger asked = new AtomicInteger();
    RpcChannel gone =
        (method, controller, request, prototype, done) -> {
          asked.incrementAndGet();
          ((HBaseRpcController) controller).setFailed(new ConnectException("as told"));
          done.run(null);
        };
    DaemonReads reads =
        new DaemonReads(
            IssnService.newStub(gone),
            IssnService.newStub(gone),
            () -> {},
            20_000,
            0,
            false,
            false,
            5,
            () -> 0,
            (read, response) -> {});
    reads.doubt();
    for (int i = 0; i < 10_000; i++) {
      assertThat(reads.isDoubted()).isTrue();
    }
    assertThat(asked).hasValueLessThan(100);
    assertThat(DaemonReads.signPauseNanos(0)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(100));
    assertThat(DaemonReads.signPauseNanos(1)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(200));
    assertThat(DaemonReads.signPauseNanos(Integer.MAX_VALUE))
        .isBetween(TimeUnit.SECONDS.toNanos(1), TimeUnit.SECONDS.toNanos(4));
  }

  /** Between client and daemon: connections may take their time, or carry nothing any more. */
  private final class Door implements AutoCloseable {
    private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
    private final AtomicInteger made = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private volatile int dead;
    private volatile CountDownLatch mayConnect = new CountDownLatch(0);

    Door() throws IOException {
      begin(this::accept);
    }

    private Void accept() throws IOException {
      while (true) {
        Socket in = socket.accept();
        int number = made.incrementAndGet();
        begin(() -> connect(number, in));
      }
    }

    private Void connect(int number, Socket in) throws Exception {
      mayConnect.await(WAIT_SECONDS, TimeUnit.SECONDS);
      Socket out = new Socket("127.0.0.1", server.getListenerAddress().getPort());
      begin(() -> pump(number, in, out));
      try {
        return pump(number, out, in);
      } finally {
        ended.incrementAndGet();
      }
    }

    private Void pump(int number, Socket from, Socket to) throws IOException {
      try (from;
          to) {
        byte[] bytes = new byte[8192];
        for (int n = from.getInputStream().read(bytes);
            n >= 0;
            n = from.getInputStream().read(bytes)) {
          if (number > dead) {
            to.getOutputStream().write(bytes, 0, n);
          }
        }
      }
      return null;
    }

    private static void begin(Callable<Void> task) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  task.call();
                } catch (Exception e) {
                  // It is closed.
                }
              });
      thread.setDaemon(true);
      thread.start();
    }

    /** Connections that have not ended. */
    int open() {
      return made.get() - ended.get();
    }

    /** The connections that there are carry nothing any more. */
    void die() {
      dead = made.get();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private void startBehind(Door door) throws Exception {
    client.close();
    daemon = ServerName.valueOf("127.0.0.1", door.socket.getLocalPort(), 1);
    client = new DaemonClient(conf);
    mayAnswer.release(1_000);
    // Connections that take long to make are no answers.
    Await.until("an answer", this::isAnswered);
    Await.until(
        "signs of life",
        () -> {
          client.keepSigns();
          return signs.get() >= 2;
        });
  }

  private boolean isAnswered() {
    try {
      return read("/first").await().getCode() == Code.OK;
    } catch (IOException e) {
      return false;
    }
  }

  /** HBase closes a connection to which nothing was written for a while. */
  @Test
  void aSignOfLifeAfterAPauseNeedsNoNewConnection() throws Exception {
    conf.setInt("hbase.ipc.client.connection.minIdleTimeBeforeClose", 300);
    // So long the machine may stand still, and the connection for signs is closed as well.
    String answer = answerBehindSigns();
    for (int tries = 1; answer.contains("no sign of life") && tries < MOST_TRIES; tries++) {
      answer = answerBehindSigns();
    }
    assertThat(answer).isEqualTo("/next");
  }

  private String answerBehindSigns() throws Exception {
    try (Door door = new Door()) {
      startBehind(door);
      Await.until(
          "the connection for reads to close",
          () -> {
            client.keepSigns();
            return door.open() == 1;
          });
      door.mayConnect = new CountDownLatch(1);
      int before = signs.get();
      int connections = door.made.get();
      // One that is sent while the connection closes fails.
      ReadCall[] sent = {read("/next")};
      Await.until(
          "a new connection",
          () -> {
            if (sent[0].isDone()) {
              sent[0] = read("/next");
            }
            return door.made.get() > connections;
          });
      ReadCall next = sent[0];
      CompletableFuture<String> answer =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return next.await().getCells().toStringUtf8();
                } catch (IOException e) {
                  return e.toString();
                }
              });
      Await.until("signs meanwhile", () -> signs.get() > before + 2 || answer.isDone());
      door.mayConnect.countDown();
      return answer.get(WAIT_SECONDS, TimeUnit.SECONDS);
    }
  }

  @Test
  void aDoubtDoesNotOutlastADeadConnection() throws Exception {
    try (Door door = new Door()) {
      startBehind(door);
      door.die();
      ReadCall read = read("/dead");
      Wait wait = read.beginWait();
      Await.until(
          "a doubt",
          () -> {
            try {
              read.step(read, wait);
            } catch (IOException e) {
              throw new AssertionError(e);
            }
            return client.isDoubted(daemon);
          });
      read.abandon();
      Await.until("a sign over another connection", () -> !client.isDoubted(daemon));
    }
  }

  private static PendingRead pending(DaemonReads reads) {
    return new PendingRead(reads, ReadRequest.getDefaultInstance(), null, null);
  }

  @Test
  void withoutHedgesNothingIsSilent() throws Exception {
    client.close();
    conf.setInt("ishbase.hedge.percent", 0);
    conf.setInt("ishbase.rpc.timeout", 300);
    client = new DaemonClient(conf);
    maySign = new CountDownLatch(1);
    assertThat(awaitFailure(read("/slow")).reason()).isEqualTo(Reason.TIMEOUT);
    assertThat(signs.get()).isZero();
  }

  private static DaemonException awaitFailure(ReadCall read) throws IOException {
    try {
      read.await();
      throw new AssertionError("It was answered");
    } catch (DaemonException e) {
      return e;
    }
  }

  @Test
  void aReaderWhoGoesLeavesTheOthersTheirs() throws Exception {
    List<ReadCall> reads = waitingReads(3);
    reads.get(0).abandon();
    mayAnswer.release(1);
    assertThat(directory(reads.get(1))).isEqualTo("/1");
    assertThat(directory(reads.get(2))).isEqualTo("/2");
    assertThat(shared.element().getReadCount()).isEqualTo(2);
    assertThatThrownBy(() -> reads.get(0).get()).isInstanceOf(Exception.class);
  }

  @Test
  void aRequestThatNobodyWaitsForAnyMoreEnds() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    lie = request -> truth(request, end);
    List<ReadCall> reads = waitingReads(2);
    mayAnswer.release(1);
    Await.until("the shared request", () -> shared.size() == 1);
    List<ReadCall> next = List.of(read("/0"), read("/1"));
    reads.forEach(ReadCall::abandon);
    Await.until("the next one to be sent in its place", () -> shared.size() == 2);
    end.countDown();
    assertAnswered(next);
  }
}
