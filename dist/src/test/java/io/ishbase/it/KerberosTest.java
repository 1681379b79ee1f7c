package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.daemon.Issn;
import io.ishbase.plugin.metrics.InStorageMetrics;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.IssnService;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import java.io.File;
import java.lang.reflect.Field;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.ipc.RpcClient;
import org.apache.hadoop.hbase.ipc.RpcClientFactory;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.token.SecureTestCluster;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.minikdc.MiniKdc;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hbase.thirdparty.com.google.protobuf.ServiceException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With Kerberos region servers read from storage daemons, and nobody else does. */
@OwnJvm
class KerberosTest extends SecureTestCluster {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int TIMEOUT_MILLIS = 20_000;

  @TempDir private static File directory;

  private static Issn daemon;
  private static ServerName address;

  @BeforeAll
  static void start() throws Exception {
    setTestRunner(KerberosTest.class);
    Configuration conf = TEST_UTIL.getConfiguration();
    conf.set("hbase.hregion.impl", "io.ishbase.plugin.regionserver.InStorageRegion");
    conf.setInt("ishbase.cache.bytes", 0);
    SecureTestCluster.setUp();
    Configuration own = new Configuration(conf);
    own.set("ishbase.issn.bind.address", "127.0.0.1");
    own.set("ishbase.issn.hostname", "localhost");
    own.set("ishbase.issn.port", "0");
    own.set("ishbase.issn.info.port", "-1");
    own.set(
        "ishbase.issn.datanode",
        "127.0.0.1:" + TEST_UTIL.getDFSCluster().getDataNodes().get(0).getXferPort());
    daemon = new Issn(own);
    daemon.start();
    address = daemon.address();
  }

  @AfterAll
  static void stop() throws Exception {
    if (daemon != null) {
      daemon.close();
    }
    SecureTestCluster.tearDown();
  }

  @Test
  void aRegionServerReadsFromADaemon() throws Exception {
    TableName name = TableName.valueOf("kerberized");
    try (Connection connection = ConnectionFactory.createConnection(TEST_UTIL.getConfiguration());
        Admin admin = connection.getAdmin();
        Table table = connection.getTable(name)) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(name)
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
              .build());
      byte[] row = Bytes.toBytes("row");
      table.put(new Put(row).addColumn(FAMILY, FAMILY, Bytes.toBytes("value")));
      admin.flush(name);
      InStorageMetrics metrics = InStorageMetrics.get();
      MiniCluster.await(
          "a cell from the daemon",
          () -> {
            try (Table reader = connection.getTable(name)) {
              long cells = metrics.cells();
              assertThat(reader.get(MiniCluster.in(MiniCluster.IN_STORAGE, new Get(row))).value())
                  .isEqualTo(Bytes.toBytes("value"));
              return metrics.cells() > cells;
            } catch (java.io.IOException e) {
              throw new AssertionError(e);
            }
          });
    }
  }

  @Test
  void anotherUserIsRefused() throws Exception {
    Field kdc = SecureTestCluster.class.getDeclaredField("KDC");
    kdc.setAccessible(true);
    MiniKdc users = (MiniKdc) kdc.get(null);
    File keytab = new File(directory, "alice.keytab");
    users.createPrincipal(keytab, "alice");
    UserGroupInformation alice =
        UserGroupInformation.loginUserFromKeytabAndReturnUGI(
            "alice@" + users.getRealm(), keytab.getPath());
    assertThat(read(TEST_UTIL.getConfiguration(), User.create(alice))).isEqualTo(Code.REFUSED);
    // The region servers' own principal is let in, and told what its request lacks.
    assertThat(read(TEST_UTIL.getConfiguration(), User.getCurrent())).isEqualTo(Code.BAD_REQUEST);
  }

  @Test
  void whoShowsNoTicketIsNotHeard() {
    Configuration simple = new Configuration(TEST_UTIL.getConfiguration());
    simple.set("hbase.security.authentication", "simple");
    UserGroupInformation claimed =
        UserGroupInformation.createRemoteUser(System.getProperty("user.name"));
    assertThatThrownBy(() -> read(simple, User.create(claimed)))
        .isInstanceOf(ServiceException.class);
  }

  private static Code read(Configuration conf, User user) throws Exception {
    Protocol.register();
    ReadRequest request =
        Checksums.sealed(
            ReadRequest.newBuilder()
                .setVersion(Protocol.VERSION)
                .setDirectory(CommonFSUtils.getRootDir(conf).toUri().getPath() + "/")
                .setReadPoint(0)
                .build());
    try (RpcClient client = RpcClientFactory.createClient(conf, "test")) {
      return IssnService.newBlockingStub(
              client.createBlockingRpcChannel(address, user, TIMEOUT_MILLIS))
          .read(null, request)
          .getCode();
    }
  }
}
