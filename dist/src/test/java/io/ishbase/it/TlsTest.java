package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.IssnProtos.IssnService;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.ipc.RpcClient;
import org.apache.hadoop.hbase.ipc.RpcClientFactory;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.ServiceException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** HBase's TLS holds between region servers and storage daemons, too. */
@OwnJvm
class TlsTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final String PASSWORD = "only-for-this-test";
  private static final int TIMEOUT_MILLIS = 10_000;

  @TempDir private static Path directory;

  private static MiniCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    makeCertificate(directory.resolve("keystore"), directory.resolve("truststore"));
    cluster =
        MiniCluster.start(
            1,
            conf -> {
              conf.setBoolean("hbase.server.netty.tls.enabled", true);
              conf.setBoolean("hbase.server.netty.tls.supportplaintext", false);
              conf.setBoolean("hbase.client.netty.tls.enabled", true);
              conf.set("hbase.server.netty.tls.client.auth.mode", "NONE");
              for (String kind : List.of("keystore", "truststore")) {
                conf.set("hbase.rpc.tls." + kind + ".location", directory.resolve(kind).toString());
                conf.set("hbase.rpc.tls." + kind + ".type", "PKCS12");
                conf.set("hbase.rpc.tls." + kind + ".password", PASSWORD);
              }
            });
    cluster.startDaemons();
  }

  /** Makes one that is its own authority, for this machine. */
  private static void makeCertificate(Path keys, Path trusted) throws Exception {
    String certificate = directory.resolve("certificate").toString();
    keytool(
        keys,
        "-genkeypair",
        "-keyalg",
        "RSA",
        "-dname",
        "CN=localhost",
        "-ext",
        "SAN=dns:localhost,ip:127.0.0.1",
        "-ext",
        "BC=ca:true");
    keytool(keys, "-exportcert", "-file", certificate);
    keytool(trusted, "-importcert", "-noprompt", "-file", certificate);
  }

  private static void keytool(Path store, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments));
    command.addAll(List.of("-alias", "test", "-storetype", "PKCS12", "-storepass", PASSWORD));
    command.addAll(List.of("-keystore", store.toString()));
    Process keytool = new ProcessBuilder(command).inheritIO().start();
    assertThat(keytool.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(keytool.exitValue()).isZero();
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void readsGoOverIt() throws Exception {
    TableName name = TableName.valueOf("tls");
    byte[] row = Bytes.toBytes("row");
    try (Table table = cluster.util.createTable(name, FAMILY)) {
      table.put(new Put(row).addColumn(FAMILY, FAMILY, Bytes.toBytes("value")));
      cluster.util.flush(name);
      InStorageMetrics metrics = InStorageMetrics.get();
      MiniCluster.await(
          "a cell from the daemon",
          () -> {
            try {
              long cells = metrics.cells();
              Get get = MiniCluster.in(MiniCluster.IN_STORAGE, new Get(row));
              assertThat(table.get(get).value()).isEqualTo(Bytes.toBytes("value"));
              return metrics.cells() > cells;
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          });
    }
  }

  @Test
  void whoDoesNotEncryptIsNotHeard() throws Exception {
    Protocol.register();
    Configuration plain = new Configuration(cluster.util.getConfiguration());
    plain.setBoolean("hbase.client.netty.tls.enabled", false);
    ReadRequest request =
        ReadRequest.newBuilder()
            .setVersion(Protocol.VERSION)
            .setDirectory("/")
            .setReadPoint(0)
            .build();
    try (RpcClient client = RpcClientFactory.createClient(plain, "test")) {
      IssnService.BlockingInterface stub =
          IssnService.newBlockingStub(
              client.createBlockingRpcChannel(
                  cluster.daemons().get(0).address(), User.getCurrent(), TIMEOUT_MILLIS));
      assertThatThrownBy(() -> stub.read(null, request)).isInstanceOf(ServiceException.class);
    }
  }
}
