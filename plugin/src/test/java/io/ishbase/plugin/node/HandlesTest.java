package io.ishbase.plugin.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.Reason;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.ReadSet;
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
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.ipc.FifoRpcScheduler;
import org.apache.hadoop.hbase.ipc.RpcServer.BlockingServiceAndInterface;
import org.apache.hadoop.hbase.ipc.RpcServerFactory;
import org.apache.hadoop.hbase.ipc.RpcServerInterface;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.RpcController;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a daemon is told once, over HBase's RPC, to a daemon that does as it is told. */
class HandlesTest {
  private static final int HANDLERS = DaemonReads.FEW + 6;
  private static final int WAIT_SECONDS = 30;
  private static final int GET_BYTES = 64 << 10;

  private final Configuration conf = HBaseConfiguration.create();
  private final ConcurrentLinkedQueue<ReadRequest> messages = new ConcurrentLinkedQueue<>();
  private final Map<Long, ReadSet> sets = new ConcurrentHashMap<>();

  /** Reads of the directory {@code /wait}, which get no answer until they may. */
  private final CountDownLatch waiting = new CountDownLatch(DaemonReads.FEW);

  private final Semaphore mayAnswer = new Semaphore(0);
  private volatile boolean isForgetful;

  /** What it reads in place of what it was asked for. */
  private volatile UnaryOperator<ReadRequest> mistake = UnaryOperator.identity();

  private RpcServerInterface server;
  private DaemonClient client;
  private ServerName daemon;

  private final class Reads implements IssnService.BlockingInterface {
    @Override
    public ReadResponse read(RpcController controller, ReadRequest message) {
      messages.add(message);
      if (message.getDirectory().startsWith("/wait")) {
        waiting.countDown();
        mayAnswer.acquireUninterruptibly();
      }
      return answer(message);
    }

    @Override
    public SharedReadResponse sharedRead(RpcController controller, SharedReadRequest request) {
      SharedReadResponse.Builder answers = SharedReadResponse.newBuilder();
      for (ReadRequest message : request.getReadList()) {
        messages.add(message);
        answers.addAnswer(answer(message));
      }
      return answers.build();
    }

    @Override
    public AggregateResponse aggregate(RpcController controller, AggregateRequest request) {
      return AggregateResponse.getDefaultInstance();
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

  /** As a daemon does it; its cells say what it has read. */
  private ReadResponse answer(ReadRequest message) {
    ReadRequest read = message.toBuilder().clearHandle().build();
    if (ReadSet.isShort(message)) {
      ReadSet set = sets.get(message.getHandle());
      if (set == null) {
        return said(Code.UNKNOWN_HANDLE, "", message.getCrc32C());
      }
      read = set.expanded(message);
    }
    if (!Checksums.isIntact(read)) {
      return said(Code.BAD_REQUEST, "", message.getCrc32C());
    }
    if (message.hasHandle() && !isForgetful) {
      assertThat(ReadSet.isShort(message) || ReadSet.of(read).handle() == message.getHandle())
          .isTrue();
      sets.putIfAbsent(message.getHandle(), ReadSet.of(read));
    }
    ReadRequest taken = mistake.apply(read);
    return said(Code.OK, what(taken), taken.getCrc32C());
  }

  private static ReadResponse said(Code code, String cells, int asked) {
    return Checksums.sealed(
        ReadResponse.newBuilder()
            .setCode(code)
            .setCells(ByteString.copyFromUtf8(cells))
            .setAsked(asked)
            .build());
  }

  private static String what(ReadRequest read) {
    return read.getDirectory()
        + read.getFileList()
        + read.getRange(0).getStartRow().toStringUtf8()
        + "@"
        + read.getReadPoint()
        + "/"
        + read.getMaxBytes();
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
    conf.setInt("ishbase.rpc.timeout", 20_000);
    // A machine that is busy with others must not make the daemon seem silent.
    conf.setInt("ishbase.hedge.percent", 0);
    conf.set("ishbase.answer.compression", "none");
    client = new DaemonClient(conf);
    client.retain(List.of(StorageNode.at(daemon)));
  }

  @AfterEach
  void stop() {
    mayAnswer.release(1_000);
    client.close();
    server.stop();
  }

  private static ReadRequest get(String directory, String row) {
    ByteString bytes = ByteString.copyFromUtf8(row);
    return ReadRequest.newBuilder()
        .setVersion(Protocol.VERSION)
        .setDirectory(directory)
        .addFile("file")
        .setReadPoint(7)
        .setMaxBytes(GET_BYTES)
        .addRange(RowRange.newBuilder().setStartRow(bytes).setStopRow(bytes).setIncludeStop(true))
        .build();
  }

  /** Reads, and asserts that the answer is that of this read. */
  private void read(ReadRequest read) throws IOException {
    assertIsAnswered(client.read(daemon, read), read);
  }

  private static void assertIsAnswered(ReadCall call, ReadRequest read) throws IOException {
    assertThat(call.await().getCells().toStringUtf8()).isEqualTo(what(read));
  }

  private List<Boolean> areShort() {
    List<Boolean> areShort = messages.stream().map(ReadSet::isShort).toList();
    messages.clear();
    return areShort;
  }

  @Test
  void whatAStoreReadsIsToldOnce() throws Exception {
    read(get("/a", "1"));
    read(get("/a", "2"));
    read(get("/b", "1"));
    read(get("/b", "2"));
    read(get("/a", "3"));
    assertThat(areShort()).containsExactly(false, true, false, true, true);
  }

  @Test
  void otherFilesAreToldAnew() throws Exception {
    read(get("/a", "1"));
    read(get("/a", "2").toBuilder().addFile("flushed").build());
    read(get("/a", "3").toBuilder().addFile("flushed").build());
    read(get("/a", "4").toBuilder().clearFile().addFile("flushed").addFile("file").build());
    assertThat(areShort()).containsExactly(false, false, true, false);
  }

  /** Who has told it may have read at another read point, and for more bytes. */
  @Test
  void whatDiffersIsSaid() throws Exception {
    ReadRequest scan = get("/a", "1").toBuilder().setMaxBytes(16 << 10).build();
    read(scan);
    read(scan.toBuilder().setReadPoint(8).build());
    read(scan.toBuilder().setReadPoint(9).setMaxBytes(GET_BYTES - 1).build());
    read(get("/a", "2"));
    read(get("/a", "3").toBuilder().setReadPoint(8).build());
    assertThat(areShort()).containsExactly(false, true, true, false, true);
  }

  /** Which costs no reader its answer, and few of them a second way. */
  @Test
  void aDaemonThatForgetsIsToldAgain() throws Exception {
    long unknown = InStorageMetrics.get().unknownHandles();
    read(get("/a", "1"));
    sets.clear();
    read(get("/a", "2"));
    assertThat(areShort()).containsExactly(false, true, false);
    assertThat(InStorageMetrics.get().unknownHandles() - unknown).isEqualTo(1);
    for (int row = 0; row < 16; row++) {
      read(get("/a", "3"));
    }
    assertThat(areShort()).hasSize(16).containsOnly(false);
    read(get("/a", "4"));
    assertThat(areShort()).containsExactly(true);
  }

  @Test
  void aDaemonThatNeverRemembersCostsOneReadInSeventeenASecondWay() throws Exception {
    isForgetful = true;
    for (int row = 0; row < 2 + 3 * 17; row++) {
      read(get("/a", "1"));
    }
    assertThat(areShort()).hasSize(2 + 3 * 17 + 4).filteredOn(isShort -> isShort).hasSize(4);
  }

  @Test
  void aDaemonThatKnowsNoHandlesGetsNone() throws Exception {
    StorageNode node = StorageNode.at(daemon);
    client.retain(
        List.of(new StorageNode(daemon, "", "", 0, true, node.worker(), 0, false, false)));
    read(get("/a", "1"));
    read(get("/a", "2"));
    assertThat(messages).hasSize(2).noneMatch(ReadRequest::hasHandle);
  }

  @Test
  void theAnswerOfAnotherStoreIsNotBelieved() throws Exception {
    read(get("/a", "1"));
    mistake =
        read ->
            Checksums.sealed(read.toBuilder().clearCrc32C().setDirectory("/of-another").build());
    assertThatThrownBy(() -> read(get("/a", "2")))
        .isInstanceOfSatisfying(
            DaemonException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BAD_ANSWER));
    mistake = UnaryOperator.identity();
    areShort();
    read(get("/a", "3"));
    assertThat(areShort()).as("what it has by the handle may be wrong").containsExactly(false);
  }

  @Test
  void aSetThatIsMixedUpIsToldAgain() throws Exception {
    read(get("/a", "1"));
    read(get("/b", "1"));
    List<ReadRequest> told = List.copyOf(messages);
    sets.put(told.get(0).getHandle(), ReadSet.of(told.get(1)));
    assertThat(client.read(daemon, get("/a", "2")).await().getCode()).isEqualTo(Code.BAD_REQUEST);
    sets.clear();
    read(get("/a", "3"));
  }

  @Test
  void whatIsSaidInFullIsNotSaidAgain() {
    ReadRequest full = Checksums.sealed(get("/a", "1"));
    ToldSet set = new ToldSet(ReadSet.of(full));
    ReadRequest message = ToldSet.message(set, full, true);
    ReadResponse response = said(Code.UNKNOWN_HANDLE, "", full.getCrc32C());
    assertThat(ToldSet.received(set, message, response)).isEqualTo(ToldSet.Outcome.ANSWER);
  }

  @Test
  void readsThatShareARequestAreToldAgainOneByOne() throws Exception {
    for (int i = 0; i < 4; i++) {
      read(get("/" + i, "1"));
    }
    sets.clear();
    messages.clear();
    List<ReadCall> first = new ArrayList<>();
    for (int i = 0; i < DaemonReads.FEW; i++) {
      first.add(client.read(daemon, get("/wait" + i, "1")));
    }
    assertThat(waiting.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    List<ReadCall> calls = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      calls.add(client.read(daemon, get("/" + i, "2")));
    }
    messages.clear();
    mayAnswer.release(DaemonReads.FEW);
    for (int i = 0; i < 4; i++) {
      assertIsAnswered(calls.get(i), get("/" + i, "2"));
    }
    for (ReadCall call : first) {
      call.await();
    }
    assertThat(areShort()).hasSize(8).filteredOn(isShort -> isShort).hasSize(4);
  }
}
