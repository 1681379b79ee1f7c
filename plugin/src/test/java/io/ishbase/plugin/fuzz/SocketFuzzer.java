package io.ishbase.plugin.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Setting;
import io.ishbase.daemon.Issn;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.IssnService;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.ipc.RpcClient;
import org.apache.hadoop.hbase.ipc.RpcClientFactory;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.shaded.protobuf.generated.RPCProtos;
import org.apache.hbase.thirdparty.com.google.protobuf.Message;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/**
 * Bytes at the socket of a daemon, over loopback: what a client of HBase's RPC sends, with some of
 * them changed, cut off, or sent twice.
 */
final class SocketFuzzer implements Fuzzer {
  private static final int TIMEOUT_MILLIS =
      Fuzz.ownsProcess() ? 5_000 : FuzzRun.BESIDE_TESTS * 5_000;

  /** A daemon that waits for the rest of a request is not to be waited for. */
  private static final int PATIENCE_MILLIS =
      Fuzz.ownsProcess() ? 2_000 : FuzzRun.BESIDE_TESTS * 2_000;

  private static final byte SIMPLE_AUTHENTICATION = 80;

  private final ServerCnxnFactory zooKeeper;
  private final Issn daemon;
  private final RpcClient client;
  private final IssnService.BlockingInterface reads;
  private final ReadRequest valid;
  private final ReadResponse answer;
  private final List<Message> sent;
  private final Map<String, Long> counts = new TreeMap<>();
  private byte[] input = new byte[0];

  SocketFuzzer(Path directory) throws Exception {
    FuzzedStore store = new FuzzedStore(directory.resolve("store"));
    zooKeeper = ServerCnxnFactory.createFactory(new InetSocketAddress("127.0.0.1", 0), 100);
    zooKeeper.startup(
        new ZooKeeperServer(
            directory.resolve("zk").toFile(), directory.resolve("zk").toFile(), 1000));
    Configuration conf = new Configuration(store.conf());
    conf.set(HConstants.ZOOKEEPER_QUORUM, "127.0.0.1");
    conf.setInt(HConstants.ZOOKEEPER_CLIENT_PORT, zooKeeper.getLocalPort());
    conf.set(Setting.ISSN_HOSTNAME.key(), "127.0.0.1");
    conf.set(Setting.ISSN_BIND_ADDRESS.key(), "127.0.0.1");
    conf.set(Setting.ISSN_DATANODE.key(), "127.0.0.1:1");
    conf.setInt(Setting.ISSN_PORT.key(), 0);
    conf.setInt(Setting.ISSN_INFO_PORT.key(), -1);
    conf.setInt("hbase.ipc.client.connect.max.retries", 0);
    daemon = new Issn(conf);
    daemon.start();
    client = RpcClientFactory.createClient(conf, "fuzz");
    reads =
        IssnService.newBlockingStub(
            client.createBlockingRpcChannel(daemon.address(), User.getCurrent(), TIMEOUT_MILLIS));
    ValidRequests requests = new ValidRequests(store);
    valid = requests.reads().get(0);
    answer = reads.read(null, valid);
    assertThat(answer.getCode()).isEqualTo(Code.OK);
    sent = List.copyOf(requests.reads());
  }

  @Override
  public void tryOne(Random random) throws Exception {
    byte[] stream = stream(random);
    int times = 1 + random.nextInt(2);
    for (int i = 0; i < times; i++) {
      stream = MessageMutator.bytes(random, stream);
    }
    input = stream;
    tryInput();
  }

  /** What a client sends: who it is, for which service, and some requests. */
  private byte[] stream(Random random) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.write("HBas".getBytes(StandardCharsets.US_ASCII));
    out.writeByte(0);
    out.writeByte(SIMPLE_AUTHENTICATION);
    byte[] connection =
        RPCProtos.ConnectionHeader.newBuilder()
            .setUserInfo(RPCProtos.UserInformation.newBuilder().setEffectiveUser("fuzz"))
            .setServiceName(IssnService.getDescriptor().getName())
            .build()
            .toByteArray();
    out.writeInt(connection.length);
    out.write(connection);
    for (int call = random.nextInt(3); call >= 0; call--) {
      ByteArrayOutputStream request = new ByteArrayOutputStream();
      RPCProtos.RequestHeader.newBuilder()
          .setCallId(call)
          .setMethodName("Read")
          .setRequestParam(true)
          .setTimeout(TIMEOUT_MILLIS)
          .build()
          .writeDelimitedTo(request);
      sent.get(random.nextInt(sent.size())).writeDelimitedTo(request);
      out.writeInt(request.size());
      request.writeTo(out);
    }
    return bytes.toByteArray();
  }

  private void tryInput() throws IOException {
    int received = 0;
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(PATIENCE_MILLIS);
      socket.connect(
          new InetSocketAddress(daemon.address().getHostname(), daemon.address().getPort()),
          TIMEOUT_MILLIS);
      socket.getOutputStream().write(input);
      socket.shutdownOutput();
      InputStream in = socket.getInputStream();
      byte[] some = new byte[8192];
      for (int read = in.read(some); read >= 0; read = in.read(some)) {
        received += read;
      }
      count(received == 0 ? "hung up" : "answered, and hung up");
    } catch (SocketTimeoutException e) {
      throw new AssertionError("The daemon keeps a connection that nobody writes to", e);
    } catch (SocketException e) {
      count("hung up at once");
    }
  }

  private void count(String outcome) {
    counts.merge(outcome, 1L, Long::sum);
  }

  @Override
  public void check() throws Exception {
    ReadResponse again = reads.read(null, valid);
    assertThat(again.getCells()).isEqualTo(answer.getCells());
    assertThat(Checksums.isIntact(again)).isTrue();
  }

  @Override
  public byte[] input() {
    return input;
  }

  @Override
  public void retry(byte[] again) throws Exception {
    input = again;
    tryInput();
  }

  @Override
  public Map<String, Long> counts() {
    return counts;
  }

  @Override
  public void close() throws Exception {
    client.close();
    daemon.close();
    zooKeeper.shutdown();
  }
}
