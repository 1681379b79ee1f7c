package io.ishbase.daemon.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.ServicePolicy;
import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.ishbase.protocol.generated.CompactionProtos.CompactResponse;
import io.ishbase.protocol.generated.CompactionProtos.CompactionService;
import io.ishbase.protocol.generated.CompactionProtos.FetchRequest;
import io.ishbase.protocol.generated.CompactionProtos.FetchResponse;
import io.ishbase.protocol.generated.CompactionProtos.ProgressRequest;
import io.ishbase.protocol.generated.CompactionProtos.ProgressResponse;
import io.ishbase.protocol.generated.CompactionProtos.WorkRequest;
import io.ishbase.protocol.generated.CompactionProtos.WorkResponse;
import io.ishbase.protocol.generated.IssnProtos.AggregateFunction;
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
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import io.ishbase.protocol.generated.IssnProtos.SharedReadRequest;
import io.ishbase.protocol.generated.IssnProtos.SharedReadResponse;
import io.ishbase.protocol.rpc.PolicedRpcServer;
import io.ishbase.testing.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CallQueueTooBigException;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.exceptions.ConnectionClosedException;
import org.apache.hadoop.hbase.ipc.HBaseRpcController;
import org.apache.hadoop.hbase.ipc.HBaseRpcControllerImpl;
import org.apache.hadoop.hbase.ipc.RpcClient;
import org.apache.hadoop.hbase.ipc.RpcClientFactory;
import org.apache.hadoop.hbase.ipc.RpcServer.BlockingServiceAndInterface;
import org.apache.hadoop.hbase.ipc.ServerNotRunningYetException;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.shaded.protobuf.generated.RPCProtos.ConnectionHeader;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authorize.AuthorizationException;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.RpcCallback;
import org.apache.hbase.thirdparty.com.google.protobuf.RpcChannel;
import org.apache.hbase.thirdparty.com.google.protobuf.RpcController;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** HBase's RPC with the daemon's queues and policy, over a real socket. */
class IssnRpcServerTest {
  private static final int HANDLERS = 2;
  private static final int QUEUE = 3;
  private static final int TIMEOUT_MILLIS = 20_000;

  private final Configuration conf = HBaseConfiguration.create();
  private final AtomicInteger ends = new AtomicInteger();
  private final Semaphore mayAnswer = new Semaphore(0);
  private final CountDownLatch allAtWork = new CountDownLatch(HANDLERS);
  private final CountDownLatch aggregateAtWork = new CountDownLatch(1);
  private final Semaphore mayAggregate = new Semaphore(0);
  private CallQueues queues;
  private Supplier<ReadResponse> answer = () -> ReadResponse.newBuilder().setCode(Code.OK).build();
  private PolicedRpcServer server;
  private RpcClient client;

  @AfterEach
  void stop() {
    mayAnswer.release(1000);
    mayAggregate.release(1000);
    if (client != null) {
      client.close();
    }
    server.stop();
  }

  private final class Reads implements IssnService.BlockingInterface {
    @Override
    public ReadResponse read(RpcController controller, ReadRequest request) {
      allAtWork.countDown();
      mayAnswer.acquireUninterruptibly();
      return answer.get();
    }

    @Override
    public SharedReadResponse sharedRead(RpcController controller, SharedReadRequest request) {
      return SharedReadResponse.getDefaultInstance();
    }

    @Override
    public AggregateResponse aggregate(RpcController controller, AggregateRequest request) {
      aggregateAtWork.countDown();
      mayAggregate.acquireUninterruptibly();
      return AggregateResponse.newBuilder().setCode(Code.OK).build();
    }

    @Override
    public LineResponse line(RpcController controller, LineRequest request) {
      return LineResponse.getDefaultInstance();
    }

    @Override
    public DictionaryResponse dictionary(RpcController controller, DictionaryRequest request) {
      return DictionaryResponse.getDefaultInstance();
    }
  }

  private static final class Control implements CompactionService.BlockingInterface {
    @Override
    public CompactResponse compact(RpcController controller, CompactRequest request) {
      return CompactResponse.getDefaultInstance();
    }

    @Override
    public ProgressResponse progress(RpcController controller, ProgressRequest request) {
      return ProgressResponse.getDefaultInstance();
    }

    @Override
    public WorkResponse work(RpcController controller, WorkRequest request) {
      return WorkResponse.newBuilder().setCode(Code.OK).build();
    }

    @Override
    public FetchResponse fetch(RpcController controller, FetchRequest request) {
      return FetchResponse.getDefaultInstance();
    }
  }

  private void create() throws IOException {
    server =
        new IssnRpcServer(
            host(), services(), new InetSocketAddress("127.0.0.1", 0), conf, queues());
  }

  private List<BlockingServiceAndInterface> services() {
    return List.of(
        new BlockingServiceAndInterface(
            IssnService.newReflectiveBlockingService(new Reads()),
            IssnService.BlockingInterface.class),
        new BlockingServiceAndInterface(
            CompactionService.newReflectiveBlockingService(new Control()),
            CompactionService.BlockingInterface.class));
  }

  private RpcHost host() {
    return new RpcHost(conf, ServerName.valueOf("issn.example.org", 1, 2), ends::incrementAndGet);
  }

  private CallQueues queues() {
    conf.setInt("hbase.ipc.server.max.callqueue.length", QUEUE + HANDLERS);
    conf.setInt("hbase.ipc.client.connect.max.retries", 0);
    queues = new CallQueues(conf, HANDLERS, 1, QUEUE, HANDLERS);
    return queues;
  }

  private void start() throws IOException {
    create();
    server.start();
    client = RpcClientFactory.createClient(conf, "test");
  }

  private interface Method<Q, A> {
    void call(RpcController controller, Q request, RpcCallback<A> done);
  }

  private static <Q, A> CompletableFuture<A> call(Method<Q, A> method, Q request) {
    HBaseRpcController controller = new HBaseRpcControllerImpl();
    controller.setCallTimeout(TIMEOUT_MILLIS);
    CompletableFuture<A> result = new CompletableFuture<>();
    method.call(
        controller,
        request,
        response -> {
          if (controller.failed()) {
            result.completeExceptionally(controller.getFailed());
          } else {
            result.complete(response);
          }
        });
    return result;
  }

  private CompletableFuture<ReadResponse> read() throws IOException {
    return call(
        IssnService.newStub(channel())::read,
        ReadRequest.newBuilder().setVersion(1).setDirectory("/").setReadPoint(1).build());
  }

  private CompletableFuture<AggregateResponse> aggregate() throws IOException {
    return call(
        IssnService.newStub(channel())::aggregate,
        AggregateRequest.newBuilder()
            .setRead(ReadRequest.newBuilder().setVersion(1).setDirectory("/").setReadPoint(1))
            .setFamily(ByteString.EMPTY)
            .setFunction(AggregateFunction.ROWS)
            .setTtl(1)
            .setNow(1)
            .build());
  }

  private CompletableFuture<WorkResponse> work() throws IOException {
    return call(
        CompactionService.newStub(channel())::work, WorkRequest.newBuilder().setVersion(1).build());
  }

  private RpcChannel channel() throws IOException {
    return client.createRpcChannel(
        ServerName.valueOf("127.0.0.1", server.getListenerAddress().getPort(), 1),
        User.getCurrent(),
        TIMEOUT_MILLIS);
  }

  private static <A> Throwable failure(CompletableFuture<A> call) {
    return call.handle((result, failure) -> failure).orTimeout(30, TimeUnit.SECONDS).join();
  }

  /** HBase's servers may be told to let in clients without Kerberos, by the names they claim. */
  @Test
  void whoMerelyClaimsANameIsNotHeardWhateverHBaseAllows() throws Exception {
    Configuration simple = new Configuration(conf);
    conf.set("hbase.security.authentication", "kerberos");
    conf.setBoolean("hbase.ipc.server.fallback-to-simple-auth-allowed", true);
    start();
    client.close();
    client = RpcClientFactory.createClient(simple, "test");
    // Closed or reset, as the call follows behind or with its connection's first bytes.
    assertThat(failure(work()))
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(RemoteException.class);
  }

  @Test
  void aFullQueueIsAnsweredAndTheOthersGoOn() throws Exception {
    start();
    AtomicInteger refused = new AtomicInteger();
    queues.onRefusal(refused::incrementAndGet);
    List<CompletableFuture<ReadResponse>> accepted = new ArrayList<>();
    for (int i = 0; i < HANDLERS; i++) {
      accepted.add(read());
    }
    assertThat(allAtWork.await(30, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < QUEUE; i++) {
      accepted.add(read());
    }
    // One connection: these come after those above.
    for (int i = 0; i < 4; i++) {
      assertThat(failure(read()))
          .isInstanceOfSatisfying(
              RemoteException.class,
              e -> assertThat(e.getClassName()).isEqualTo(CallQueueTooBigException.class.getName()))
          // As long as its pace says, if there was time to measure one.
          .hasMessageMatching("(?s).*busy for \\d+ ms.*");
    }
    assertThat(refused).hasValue(4);
    // That the daemon is there it says however many reads wait.
    LineRequest sign = LineRequest.newBuilder().setBytes(0).build();
    assertThat(call(IssnService.newStub(channel())::line, sign).get(30, TimeUnit.SECONDS))
        .isEqualTo(LineResponse.getDefaultInstance());
    assertThat(work().get(30, TimeUnit.SECONDS).getCode()).isEqualTo(Code.OK);
    mayAnswer.release(accepted.size());
    for (CompletableFuture<ReadResponse> call : accepted) {
      assertThat(call.get(30, TimeUnit.SECONDS).getCode()).isEqualTo(Code.OK);
    }
    mayAnswer.release();
    assertThat(read().get(30, TimeUnit.SECONDS).getCode()).isEqualTo(Code.OK);
    assertThat(server.getNumOpenConnections()).as("one for each service").isEqualTo(2);
    assertThat(ends).hasValue(0);
  }

  /** Who knew the daemon before it restarted asks as soon as its port is bound. */
  @Test
  void whatComesBeforeTheStartIsNotCountedAsQueued() throws Exception {
    create();
    client = RpcClientFactory.createClient(conf, "test");
    for (int i = 0; i < QUEUE + HANDLERS; i++) {
      for (CompletableFuture<?> early : List.of(read(), aggregate(), work())) {
        assertThat(failure(early))
            .isInstanceOfSatisfying(
                RemoteException.class,
                e ->
                    assertThat(e.getClassName())
                        .isEqualTo(ServerNotRunningYetException.class.getName()));
      }
    }
    server.start();
    mayAnswer.release();
    mayAggregate.release();
    for (CompletableFuture<?> call : List.of(read(), aggregate(), work())) {
      assertThat(call).succeedsWithin(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  @Test
  void aggregatesTakeNoHandlerOfReads() throws Exception {
    start();
    List<CompletableFuture<AggregateResponse>> accepted = new ArrayList<>();
    accepted.add(aggregate());
    assertThat(aggregateAtWork.await(30, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < QUEUE; i++) {
      accepted.add(aggregate());
    }
    assertThat(failure(aggregate()))
        .isInstanceOfSatisfying(
            RemoteException.class,
            e -> assertThat(e.getClassName()).isEqualTo(CallQueueTooBigException.class.getName()));
    assertThat(queues.waitingAggregates()).isEqualTo(QUEUE);
    mayAnswer.release(HANDLERS);
    for (int i = 0; i < HANDLERS; i++) {
      assertThat(read().get(30, TimeUnit.SECONDS).getCode()).isEqualTo(Code.OK);
    }
    assertThat(work().get(30, TimeUnit.SECONDS).getCode()).isEqualTo(Code.OK);
    mayAggregate.release(accepted.size());
    for (CompletableFuture<AggregateResponse> call : accepted) {
      assertThat(call.get(30, TimeUnit.SECONDS).getCode()).isEqualTo(Code.OK);
    }
  }

  /** Two bytes each, and some hundred times as much once they are parsed. */
  @Test
  void aRequestOfTooManyPartsIsNotParsed() throws Exception {
    start();
    mayAnswer.release(2);
    ReadRequest empty = ReadRequest.newBuilder().buildPartial();
    SharedReadRequest.Builder reads = SharedReadRequest.newBuilder();
    ReadRequest.Builder ranges =
        ReadRequest.newBuilder().setVersion(1).setDirectory("/").setReadPoint(1);
    for (int i = 0; i < Protocol.MAX_REQUEST_BYTES / 2 - 100; i++) {
      reads.addRead(empty);
      ranges.addRange(RowRange.getDefaultInstance());
    }
    IssnService.Stub stub = IssnService.newStub(channel());
    assertThat(failure(call(stub::sharedRead, reads.buildPartial())))
        .isInstanceOf(RemoteException.class)
        .hasMessageContaining("parts");
    assertThat(failure(call(stub::read, ranges.build())))
        .isInstanceOf(RemoteException.class)
        .hasMessageContaining("parts");
    ReadRequest.Builder packed = ranges.clone().clearRange();
    packed
        .getFromBuilder()
        .setKey(ByteString.EMPTY)
        .addAllCountedFile(Collections.nCopies(Protocol.MAX_PARTS, 0));
    assertThat(failure(call(stub::read, packed.build())))
        .isInstanceOf(RemoteException.class)
        .hasMessageContaining("parts");
    assertThat(allAtWork.getCount()).as("no read was begun").isEqualTo(HANDLERS);
    assertThat(read().get(30, TimeUnit.SECONDS).getCode()).isEqualTo(Code.OK);
  }

  @Test
  void theLargestReadIsParsed() throws Exception {
    start();
    mayAnswer.release();
    ReadRequest.Builder large =
        ReadRequest.newBuilder().setVersion(1).setDirectory("/").setReadPoint(1);
    ByteString row = ByteString.copyFromUtf8("row");
    for (int i = 0; i < Protocol.MAX_RANGES; i++) {
      large
          .addColumn(row)
          .addRange(
              RowRange.newBuilder()
                  .setStartRow(row)
                  .setIncludeStart(true)
                  .setStopRow(row)
                  .setIncludeStop(true));
    }
    for (int i = 0; i < Protocol.MAX_FILES; i++) {
      large.addFile("file");
    }
    ReadResponse answered =
        call(IssnService.newStub(channel())::read, large.build()).get(30, TimeUnit.SECONDS);
    assertThat(answered.getCode()).isEqualTo(Code.OK);
  }

  @Test
  void whoMayCallStandsInThePolicy() throws Exception {
    conf.setBoolean("hadoop.security.authorization", true);
    start();
    mayAnswer.release();
    assertThat(read().get(30, TimeUnit.SECONDS).getCode()).isEqualTo(Code.OK);
    assertThat(work().get(30, TimeUnit.SECONDS).getCode()).isEqualTo(Code.OK);
  }

  @Test
  void othersMayNotCall() throws Exception {
    conf.setBoolean("hadoop.security.authorization", true);
    conf.set(ServicePolicy.KEY, "somebody-else");
    start();
    // HBase's RPC closes the connection and says nothing to the caller; the daemon's log does.
    assertThat(failure(read())).isInstanceOf(ConnectionClosedException.class);
    assertThat(allAtWork.getCount()).as("no read was begun").isEqualTo(HANDLERS);
  }

  @Test
  void anErrorThatLeavesNothingToRelyOnEndsTheDaemon() throws Exception {
    start();
    mayAnswer.release(2);
    answer =
        () -> {
          throw new StackOverflowError("a filter's");
        };
    assertThat(failure(read())).isInstanceOf(IOException.class);
    assertThat(ends).hasValue(0);
    answer =
        () -> {
          throw new OutOfMemoryError("Java heap space");
        };
    assertThat(failure(read())).isInstanceOf(IOException.class);
    assertThat(ends).hasValue(1);
  }

  /** HBase lets whoever has logged in call as anybody, unless Hadoop's authorization is on. */
  @Test
  void nobodyCallsInTheNameOfAnother() throws IOException {
    conf.set("hbase.security.authentication", "kerberos");
    create();
    InetAddress address = InetAddress.getLoopbackAddress();
    UserGroupInformation alice = UserGroupInformation.createRemoteUser("alice");
    UserGroupInformation asOwner = UserGroupInformation.createProxyUser("hbase", alice);
    ConnectionHeader header = ConnectionHeader.newBuilder().setServiceName("IssnService").build();
    assertThatThrownBy(() -> server.authorize(asOwner, header, address))
        .isInstanceOf(AuthorizationException.class)
        .hasMessageContaining("'alice' calls as 'hbase'");
    assertThatCode(() -> server.authorize(alice, header, address)).doesNotThrowAnyException();
  }

  /**
   * HBase's server holds, until its connections are closed, the lock that it judges callers with.
   */
  @Test
  void aServerStopsWhileACallerIsJudged() throws Exception {
    CountDownLatch judged = new CountDownLatch(1);
    Semaphore mayGoOn = new Semaphore(0);
    server =
        new PolicedRpcServer(
            host(), "test", services(), new InetSocketAddress("127.0.0.1", 0), conf, queues()) {
          @Override
          @SuppressWarnings("UnsynchronizedOverridesSynchronized")
          public void authorize(
              UserGroupInformation user, ConnectionHeader connection, InetAddress address)
              throws AuthorizationException {
            judged.countDown();
            mayGoOn.acquireUninterruptibly();
            super.authorize(user, connection, address);
          }
        };
    server.start();
    client = RpcClientFactory.createClient(conf, "test");
    CompletableFuture<ReadResponse> read = read();
    assertThat(judged.await(30, TimeUnit.SECONDS)).isTrue();
    Thread stop = new Thread(server::stop, "stop");
    stop.start();
    Await.until("it waits for the connection", () -> stop.getState() == Thread.State.WAITING);
    mayGoOn.release();
    stop.join(TimeUnit.SECONDS.toMillis(30));
    assertThat(stop.isAlive()).isFalse();
    assertThat(failure(read)).isInstanceOf(IOException.class);
  }

  /** Cells that are compressed would be unpacked before anybody looks at the call. */
  @Test
  void compressedCellsAreNotTaken() throws IOException {
    conf.set("hbase.client.rpc.compressor", "org.apache.hadoop.io.compress.GzipCodec");
    start();
    mayAnswer.release(1000);
    assertThat(read()).failsWithin(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
    assertThat(allAtWork.getCount()).isEqualTo(HANDLERS);
  }
}
