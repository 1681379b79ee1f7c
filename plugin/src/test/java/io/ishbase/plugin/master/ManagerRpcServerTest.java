package io.ishbase.plugin.master;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.protocol.generated.CompactionProtos.ManagerService;
import io.ishbase.protocol.generated.CompactionProtos.PlaceRequest;
import io.ishbase.protocol.generated.CompactionProtos.PlaceResponse;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CallQueueTooBigException;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.exceptions.RequestTooBigException;
import org.apache.hadoop.hbase.ipc.HBaseRpcController;
import org.apache.hadoop.hbase.ipc.HBaseRpcControllerImpl;
import org.apache.hadoop.hbase.ipc.RpcClient;
import org.apache.hadoop.hbase.ipc.RpcClientFactory;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.ipc.RemoteException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** HBase's RPC as the manager uses it, over a real socket. */
class ManagerRpcServerTest {
  private static final int HANDLERS = 2;
  private static final int QUEUE = 3;
  private static final int TIMEOUT_MILLIS = 20_000;

  private final Configuration conf = HBaseConfiguration.create();
  private final Semaphore mayAnswer = new Semaphore(0);
  private final CountDownLatch allAtWork = new CountDownLatch(HANDLERS);
  private ManagerRpcServer server;
  private RpcClient client;

  @AfterEach
  void stop() {
    mayAnswer.release(1000);
    client.close();
    server.stop();
  }

  private void start() throws IOException {
    conf.setInt("hbase.ipc.client.connect.max.retries", 0);
    server =
        new ManagerRpcServer(
            ServerName.valueOf("master.example.org", 1, 2),
            (controller, request) -> {
              allAtWork.countDown();
              mayAnswer.acquireUninterruptibly();
              return PlaceResponse.newBuilder().setCode(Code.OK).build();
            },
            new InetSocketAddress("127.0.0.1", 0),
            conf,
            HANDLERS,
            QUEUE);
    server.start();
    client = RpcClientFactory.createClient(conf, "test");
  }

  private CompletableFuture<PlaceResponse> ask() throws IOException {
    return ask("s");
  }

  private CompletableFuture<PlaceResponse> ask(String store) throws IOException {
    HBaseRpcController controller = new HBaseRpcControllerImpl();
    controller.setCallTimeout(TIMEOUT_MILLIS);
    CompletableFuture<PlaceResponse> result = new CompletableFuture<>();
    ManagerService.newStub(
            client.createRpcChannel(
                ServerName.valueOf("127.0.0.1", server.getListenerAddress().getPort(), 1),
                User.getCurrent(),
                TIMEOUT_MILLIS))
        .place(
            controller,
            PlaceRequest.newBuilder()
                .setVersion(1)
                .setTicket("t")
                .setStore(store)
                .setBytes(1)
                .build(),
            answer -> {
              if (controller.failed()) {
                result.completeExceptionally(controller.getFailed());
              } else {
                result.complete(answer);
              }
            });
    return result;
  }

  @Test
  void aQuestionTooManyIsAnsweredAndTheOthersGoOn() throws Exception {
    start();
    List<CompletableFuture<PlaceResponse>> accepted = new ArrayList<>();
    for (int i = 0; i < HANDLERS; i++) {
      accepted.add(ask());
    }
    assertThat(allAtWork.await(30, TimeUnit.SECONDS)).isTrue();
    for (int i = 0; i < QUEUE; i++) {
      accepted.add(ask());
    }
    // One connection: these come after those above.
    for (int i = 0; i < 4; i++) {
      assertThat(ask().handle((answer, failure) -> failure).get(30, TimeUnit.SECONDS))
          .isInstanceOfSatisfying(
              RemoteException.class,
              e -> assertThat(e.getClassName()).isEqualTo(CallQueueTooBigException.class.getName()))
          .hasMessageContaining("master.example.org");
    }
    mayAnswer.release(accepted.size());
    for (CompletableFuture<PlaceResponse> question : accepted) {
      assertThat(question.get(30, TimeUnit.SECONDS).getCode()).isEqualTo(Code.OK);
    }
    assertThat(server.getNumOpenConnections()).isEqualTo(1);
  }

  /** What waits is kept in the master's memory. */
  @Test
  void aQuestionThatIsTooLargeIsRefused() throws Exception {
    start();
    mayAnswer.release(1000);
    assertThat(ask("s".repeat(ManagerEndpoint.MAX_BYTES)).get(30, TimeUnit.SECONDS).getCode())
        .isEqualTo(Code.OK);
    assertThat(
            ask("s".repeat(2 * ManagerEndpoint.MAX_BYTES))
                .handle((answer, failure) -> failure)
                .get(30, TimeUnit.SECONDS))
        .isInstanceOfSatisfying(
            RemoteException.class,
            e -> assertThat(e.getClassName()).isEqualTo(RequestTooBigException.class.getName()));
  }
}
