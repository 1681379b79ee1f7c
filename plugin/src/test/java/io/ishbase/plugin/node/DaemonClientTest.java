package io.ishbase.plugin.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.Protocol;
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
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.ipc.FifoRpcScheduler;
import org.apache.hadoop.hbase.ipc.RpcServer.BlockingServiceAndInterface;
import org.apache.hadoop.hbase.ipc.RpcServerFactory;
import org.apache.hadoop.hbase.ipc.RpcServerInterface;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.RpcController;
import org.apache.hbase.thirdparty.com.google.protobuf.ServiceException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DaemonClientTest {
  /** Answers reads that share a request. */
  private interface Shared {
    SharedReadResponse answer(SharedReadRequest request) throws ServiceException;
  }

  private final Configuration conf = HBaseConfiguration.create();
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch answer = new CountDownLatch(1);
  private RpcServerInterface server;
  private DaemonClient client;
  private ServerName daemon;
  private volatile ReadRequest last;
  private volatile Shared shared = request -> SharedReadResponse.getDefaultInstance();

  @BeforeEach
  void start() throws IOException {
    Protocol.register();
    IssnService.BlockingInterface reads =
        new IssnService.BlockingInterface() {
          @Override
          public ReadResponse read(RpcController controller, ReadRequest request)
              throws ServiceException {
            last = request;
            asked.countDown();
            if (request.getDirectory().equals("/fail")) {
              throw new ServiceException(new IOException("as told"));
            }
            try {
              answer.await(30, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            return ReadResponse.newBuilder().setCode(Code.OK).build();
          }

          @Override
          public SharedReadResponse sharedRead(RpcController controller, SharedReadRequest request)
              throws ServiceException {
            return shared.answer(request);
          }

          @Override
          public AggregateResponse aggregate(RpcController controller, AggregateRequest request) {
            return AggregateResponse.getDefaultInstance();
          }

          @Override
          public LineResponse line(RpcController controller, LineRequest request) {
            // Of more than a KB it sends nothing.
            return LineResponse.newBuilder()
                .setPadding(
                    ByteString.copyFrom(
                        new byte[request.getBytes() > 1024 ? 0 : request.getBytes()]))
                .build();
          }

          @Override
          public DictionaryResponse dictionary(
              RpcController controller, DictionaryRequest request) {
            return DictionaryResponse.getDefaultInstance();
          }
        };
    server =
        RpcServerFactory.createRpcServer(
            null,
            "test",
            List.of(
                new BlockingServiceAndInterface(
                    IssnService.newReflectiveBlockingService(reads),
                    IssnService.BlockingInterface.class)),
            new InetSocketAddress("127.0.0.1", 0),
            conf,
            new FifoRpcScheduler(conf, 2));
    server.start();
    daemon = ServerName.valueOf("127.0.0.1", server.getListenerAddress().getPort(), 1);
    conf.setInt("ishbase.rpc.timeout", 20_000);
    client = new DaemonClient(conf);
  }

  @AfterEach
  void stop() {
    answer.countDown();
    client.close();
    server.stop();
  }

  private ReadCall read() throws InterruptedException {
    ReadCall call =
        client.read(
            daemon,
            ReadRequest.newBuilder().setVersion(1).setDirectory("/d").setReadPoint(1).build());
    assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
    return call;
  }

  @Test
  void aSlowAnswerToACompactionDoesNotEndReads() throws Exception {
    ReadCall call = read();
    client.reconnectControl(daemon);
    answer.countDown();
    assertThat(call.await().getCode()).isEqualTo(Code.OK);
  }

  @Test
  void reconnectingReadsEndsThem() throws Exception {
    ReadCall call = read();
    client.reconnect(daemon);
    assertThatThrownBy(call::await).isInstanceOf(DaemonException.class);
  }

  /** Else the daemon would refuse the checksum, and say nothing of the caller. */
  @Test
  void aGreetingIsSealedAsReadsAre() throws Exception {
    answer.countDown();
    client.greet(daemon).get(20, TimeUnit.SECONDS);
    assertThat(Checksums.isIntact(last)).isTrue();
  }

  /** It would make a short line look like a long one. */
  @Test
  void aProbeThatIsCutShortMeasuresNothing() throws Exception {
    assertThat(client.probe(daemon, 0).get(20, TimeUnit.SECONDS)).isPositive();
    assertThat(client.probe(daemon, 1024).get(20, TimeUnit.SECONDS)).isPositive();
    assertThatThrownBy(() -> client.probe(daemon, 64 << 10).get(20, TimeUnit.SECONDS))
        .hasRootCauseInstanceOf(IOException.class);
  }

  @Test
  void aDaemonThatIsGoneIsForgotten() throws Exception {
    answer.countDown();
    client.retain(List.of(StorageNode.at(daemon)));
    read().await();
    assertThat(client.remembered()).isEqualTo(1);
    client.retain(List.of(StorageNode.at(daemon)));
    assertThat(client.remembered()).isEqualTo(1);
    client.retain(List.of());
    assertThat(client.remembered()).isZero();
  }

  /** A daemon that answers with an exception has not looked at any file. */
  @Test
  void anExceptionOfTheServerBlamesNoFile() {
    assertThatThrownBy(
            () ->
                client
                    .read(
                        daemon,
                        ReadRequest.newBuilder()
                            .setVersion(1)
                            .setDirectory("/fail")
                            .setReadPoint(1)
                            .build())
                    .await())
        .isInstanceOfSatisfying(
            DaemonException.class,
            e -> {
              assertThat(e.reason().isFaultOfFile()).isFalse();
              assertThat(e.reason().isFaultOfNode()).isTrue();
            });
  }
}
