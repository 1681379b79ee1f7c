package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.bench.JdkClasses;
import io.ishbase.cluster.MetricsPage;
import io.ishbase.cluster.Mode;
import io.ishbase.cluster.RegionServerJmx;
import io.ishbase.cluster.TableComparison;
import io.ishbase.cluster.WebPages;
import io.ishbase.dist.BuiltHome;
import io.ishbase.dist.Outcome;
import io.ishbase.dist.cluster.ClusterProbe;
import io.ishbase.dist.cluster.LocalCluster;
import io.ishbase.dist.cluster.Realm;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.Registration;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.KerberosTicket;
import javax.security.auth.login.LoginContext;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.access.UserPermission;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hbase.thirdparty.com.google.protobuf.ServiceException;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster of real processes, every one logged in with Kerberos, all their connections encrypted,
 * with access control in HBase, HDFS and ZooKeeper: everything works there, and works for nobody
 * else.
 */
@OwnJvm
class SecureClusterTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final int ROWS = 500;

  /** Of a table, behind those that are counted. */
  private static final int SPARE_ROWS = 500;

  private static final int READERS = 4;

  @TempDir private static Path home;

  private static LocalCluster cluster;
  private static Connection connection;
  private static RegionServerJmx jmx;
  private static Intruder intruder;

  @BeforeAll
  static void up() throws IOException {
    BuiltHome.make(home);
    // On a machine that is busy a late answer would be asked for over HBase's own path.
    Outcome up =
        Outcome.run(
            "up",
            "--secure",
            "--memory",
            "stock",
            "--site",
            "ishbase.hedge.percent=0",
            "--site",
            "ishbase.rpc.timeout=20000",
            // A daemon that stands still meanwhile has the whole answer all the same.
            "--site",
            "ishbase.issn.batch.time=60000");
    assertThat(up.code()).as(up.err()).isZero();
    cluster = LocalCluster.open(home.resolve("target/cluster")).orElseThrow();
    assertThat(up.out())
        .contains("-Djava.security.krb5.conf=" + cluster.realm().krb5Conf())
        .contains(cluster.realm().keytab(Realm.ADMIN).toString());
    connection = ConnectionFactory.createConnection(cluster.clientConfiguration());
    try (Admin admin = connection.getAdmin()) {
      jmx = RegionServerJmx.of(admin, admin.getRegionServers().iterator().next());
    }
    intruder = new Intruder(cluster);
  }

  @AfterAll
  static void down() throws IOException {
    if (connection != null) {
      connection.close();
    }
    assertThat(Outcome.run("down", "--delete").code()).isZero();
  }

  private static String done(String... arguments) {
    Outcome outcome = Outcome.run(arguments);
    assertThat(outcome.code()).as(outcome.err()).isZero();
    return outcome.out();
  }

  /** But for those of a machine that stood still for a moment. */
  private static double fallbacks(Map<String, Double> reads) {
    return reads.get("fallbacks")
        - reads.get("fallbacks, late")
        - reads.get("fallbacks, silent")
        - reads.get("fallbacks, timeout")
        - quarantined(reads);
  }

  /** Not sent, since one shortly before had no answer in time. */
  private static double quarantined(Map<String, Double> reads) {
    return reads.getOrDefault("fallbacks, quarantined", 0.0);
  }

  private static byte[] row(int number) {
    return Bytes.toBytes(String.format("row%05d", number));
  }

  /** A table of two files. */
  private static TableName table(String name) throws IOException {
    TableName table = TableName.valueOf(name);
    try (Admin admin = connection.getAdmin();
        Table rows = connection.getTable(table)) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(table)
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
              .build());
      for (int file = 0; file < 2; file++) {
        List<Put> puts = new ArrayList<>();
        for (int i = file; i < ROWS + SPARE_ROWS; i += 2) {
          puts.add(new Put(row(i)).addColumn(FAMILY, FAMILY, Bytes.toBytes("value" + i)));
        }
        rows.put(puts);
        admin.flush(table);
      }
    }
    return table;
  }

  /** Waits until the region server reads from its daemons, by rows that no test counts. */
  private static void awaitInStorage(TableName name) throws IOException {
    try (Table table = connection.getTable(name)) {
      double before = reads();
      AtomicInteger next = new AtomicInteger();
      Await.until(
          "a read at a daemon",
          () -> {
            try {
              // Each time another: what was read is in the segment cache.
              int row = ROWS + next.getAndIncrement() % SPARE_ROWS;
              assertThat(table.get(Mode.IN_STORAGE.on(new Get(row(row)))).value())
                  .isEqualTo(Bytes.toBytes("value" + row));
              return reads() > before;
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }

  private static double reads() throws IOException {
    return jmx.inStorageReads().get("reads");
  }

  /**
   * Reads at daemons, and those of rows that such a read had brought: of Gets that miss side by
   * side, one fetches the neighbours as well.
   */
  private static double answered() throws IOException {
    return reads() + hits() + quarantined(jmx.inStorageReads());
  }

  /** Figures are away for some seconds whenever a region opens. */
  private static double hits() throws IOException {
    awaitAtLeast("hits", 1, () -> jmx.segmentCache().containsKey("hits") ? 1 : 0);
    return jmx.segmentCache().get("hits");
  }

  /** What is counted is seen some time after it happened. */
  private static void awaitAtLeast(String what, double count, Figure figure) {
    Await.until(
        what,
        () -> {
          try {
            return figure.now() >= count;
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private interface Figure {
    double now() throws IOException;
  }

  @Test
  void getsAndScansAreAnsweredByDaemonsAndFromTheSegmentCache() throws IOException {
    TableName name = table("read");
    awaitInStorage(name);
    Map<String, Double> before = jmx.inStorageReads();
    double answered = answered();
    double hits = hits();
    try (Table table = connection.getTable(name)) {
      for (int time = 0; time < 2; time++) {
        for (int i = 0; i < ROWS; i++) {
          assertThat(table.get(Mode.IN_STORAGE.on(new Get(row(i)))).value())
              .isEqualTo(Bytes.toBytes("value" + i));
        }
      }
      int rows = 0;
      try (ResultScanner scanner =
          table.getScanner(Mode.IN_STORAGE.on(new Scan().setCaching(50).withStopRow(row(ROWS))))) {
        for (Result result : scanner) {
          assertThat(result.value()).isEqualTo(Bytes.toBytes("value" + rows));
          rows++;
        }
      }
      assertThat(rows).isEqualTo(ROWS);
    }
    awaitAtLeast("all Gets are answered", answered + 2 * ROWS, SecureClusterTest::answered);
    // But for those that a busy machine answered late, over HBase's own path.
    awaitAtLeast("and cached", hits + ROWS * 0.9, SecureClusterTest::hits);
    Map<String, Double> after = jmx.inStorageReads();
    assertThat(fallbacks(after)).as(after.toString()).isEqualTo(fallbacks(before));
    // Also if all of it comes from the cache.
    for (int time = 0; time < 2; time++) {
      done("scan", "read", "--limit", "" + (ROWS + SPARE_ROWS));
      Outcome verified = Outcome.run("verify", "read");
      assertThat(verified.code()).as(verified.toString()).isZero();
      assertThat(verified.out()).contains("equal in both modes: " + (ROWS + SPARE_ROWS) + " rows");
    }
  }

  @Test
  void aCompactionIsCarriedOutByADaemon() throws IOException {
    TableName name = table("compacted");
    awaitInStorage(name);
    done("alter", "compacted", "ishbase.compaction=offload", "ishbase.compaction.min.bytes=0");
    double before = jmx.offloads().get("Offloaded");
    done("compact", "compacted", "--major");
    awaitAtLeast("an offloaded compaction", before + 1, () -> jmx.offloads().get("Offloaded"));
    TableComparison comparison = new TableComparison(connection, name);
    assertThat(comparison.run(true)).as(comparison.difference()).isTrue();
    assertThat(comparison.rows()).isEqualTo(ROWS + SPARE_ROWS);
  }

  @Test
  void theDemosDataIsReadBackRight() throws IOException {
    JdkClasses classes = new JdkClasses(connection, READERS, "java.xml");
    classes.store();
    awaitInStorage(table("warm"));
    double answered = answered();
    classes.checkByGet(Mode.IN_STORAGE);
    awaitAtLeast(
        "reads of " + classes.count() + " files at daemons",
        answered + classes.count(),
        SecureClusterTest::answered);
    classes.checkByScan(Mode.IN_STORAGE);
    classes.checkByScan(Mode.STOCK);
  }

  @Test
  void pagesAreShownOverHttpsToWhoHasATicket() throws IOException {
    awaitInStorage(table("shown"));
    List<String> pages = new ArrayList<>();
    pages.add(cluster.regionServerPage().replaceFirst("^https://", ""));
    try (ClusterProbe probe = new ClusterProbe(cluster.clientConfiguration())) {
      for (DaemonInfo daemon : probe.registeredDaemons()) {
        pages.add(daemon.getHost() + ":" + daemon.getInfoPort());
      }
    }
    Configuration stranger = cluster.clientConfiguration();
    stranger.unset("hbase.security.authentication.ui");
    Configuration plain = new Configuration(stranger);
    plain.setBoolean("hbase.ssl.enabled", false);
    assertThat(pages).hasSize(3);
    for (String page : pages) {
      // The first time takes long.
      Await.until(page, () -> isShown(page));
      assertThat(MetricsPage.of(WebPages.ofHBase(cluster.clientConfiguration()), page).samples())
          .as(page)
          .isNotEmpty();
      assertThatThrownBy(() -> MetricsPage.of(WebPages.ofHBase(stranger), page))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("wants a login");
      assertThatThrownBy(() -> MetricsPage.of(WebPages.ofHBase(plain), page))
          .isInstanceOf(IOException.class);
    }
    assertThat(done("top", "--once")).doesNotContain("no page", "Exception");

    assertThat(done("doctor")).contains("plug-in: at all 1 region servers", "clocks: 3 servers");
  }

  private static boolean isShown(String page) {
    try {
      return !MetricsPage.of(WebPages.ofHBase(cluster.clientConfiguration()), page)
          .samples()
          .isEmpty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The store of a table, with a file in it. */
  private record Store(String directory, String file) {}

  private static Store store(TableName table) throws IOException {
    return cluster
        .realm()
        .as(
            Realm.HBASE,
            () -> {
              try (FileSystem hdfs = FileSystem.newInstance(intruder.conf())) {
                org.apache.hadoop.fs.Path file =
                    hdfs
                        .globStatus(
                            new org.apache.hadoop.fs.Path(
                                "/hbase/data/default/" + table + "/*/f/*"))[0]
                        .getPath();
                return new Store(file.getParent().toUri().getPath(), file.getName());
              }
            });
  }

  private static User user(String name) throws IOException {
    return User.create(cluster.realm().logIn(name));
  }

  @Test
  void onlyTheRegionServersUserIsAnsweredAndOnlySuperusersSeeWhatIsUnderWay() throws Exception {
    Store store = store(table("asked"));
    ServerName daemon = intruder.daemons().get(0);
    ServerName manager = intruder.manager();
    ReadResponse answer = intruder.read(daemon, user(Realm.HBASE), store.directory(), store.file());
    assertThat(answer.getCode()).as(answer.getMessage()).isEqualTo(Code.OK);
    assertThat(answer.getCellCount()).isEqualTo((ROWS + SPARE_ROWS) / 2);
    assertThat(intruder.place(manager, user(Realm.HBASE))).isEqualTo(Code.OK);
    for (String name : List.of(Realm.ALICE, Realm.ADMIN, Realm.HDFS)) {
      answer = intruder.read(daemon, user(name), store.directory(), store.file());
      assertThat(answer.getCode()).as(name).isEqualTo(Code.REFUSED);
      assertThat(answer.getCells().isEmpty()).isTrue();
      assertThat(intruder.place(manager, user(name))).as(name).isEqualTo(Code.REFUSED);
      assertThat(intruder.work(daemon, user(name)))
          .as(name)
          .isEqualTo(name.equals(Realm.ADMIN) ? Code.OK : Code.REFUSED);
    }
    List<String> logs = List.of("issn-1", "issn-2", "master");
    StringBuilder audit = new StringBuilder();
    for (String log : logs) {
      audit.append(Files.readString(cluster.files().logs().resolve(log + ".log")));
    }
    String alice = "refused for user alice@ISHBASE.LOCAL; remote address: 127.0.0.1; operation: ";
    assertThat(audit)
        .containsPattern("WARN .*" + alice + "read; table: default:asked; reason: User 'alice'")
        .containsPattern("WARN .*" + alice + "list compactions; reason: User 'alice' is no region")
        .containsPattern("WARN .*" + alice + "place a compaction")
        .containsPattern("INFO .*allowed for user admin@ISHBASE.LOCAL; .*: list compactions")
        .containsPattern(
            "INFO .*allowed for user hbase/localhost@ISHBASE.LOCAL; .*; table: default:")
        .contains("Security is on: only 'hbase' may ask, over encrypted connections");
  }

  @Test
  void whoHasNoTicketOrWearsAnothersNameIsNotHeard() throws Exception {
    Store store = store(table("claimed"));
    ServerName daemon = intruder.daemons().get(0);
    Intruder simple = new Intruder(cluster);
    simple.conf().set("hbase.security.authentication", "simple");
    User claimed = User.create(UserGroupInformation.createRemoteUser(Realm.HBASE));
    assertThatThrownBy(() -> simple.read(daemon, claimed, store.directory(), store.file()))
        .isInstanceOf(ServiceException.class);
    assertThatThrownBy(() -> intruder.read(daemon, claimed, store.directory(), store.file()))
        .isInstanceOf(ServiceException.class);
    User disguised =
        User.create(
            UserGroupInformation.createProxyUser(
                Realm.principal(Realm.HBASE), cluster.realm().logIn(Realm.ALICE)));
    assertThatThrownBy(() -> intruder.read(daemon, disguised, store.directory(), store.file()))
        .isInstanceOf(ServiceException.class);
  }

  @Test
  void aTicketThatIsOverOrDestroyedIsNone() throws Exception {
    Store store = store(table("expired"));
    ServerName daemon = intruder.daemons().get(0);
    for (boolean destroyed : new boolean[] {true, false}) {
      Subject subject = ticketOf(Realm.HBASE, destroyed ? "1h" : "50s");
      User user = User.create(UserGroupInformation.getUGIFromSubject(subject));
      assertThat(intruder.read(daemon, user, store.directory(), store.file()).getCode())
          .isEqualTo(Code.OK);
      // The daemon's own ticket, which was got with it, would go on.
      subject
          .getPrivateCredentials()
          .removeIf(
              each ->
                  each instanceof KerberosTicket ticket
                      && !ticket.getServer().getName().startsWith("krbtgt/"));
      for (KerberosTicket ticket : subject.getPrivateCredentials(KerberosTicket.class)) {
        if (destroyed) {
          ticket.destroy();
        } else {
          assertThat(ticket.getEndTime()).isBefore(Instant.now().plusSeconds(60));
          Await.until("the ticket's end", () -> !ticket.isCurrent());
        }
      }
      assertThatThrownBy(() -> intruder.read(daemon, user, store.directory(), store.file()))
          .isInstanceOf(ServiceException.class);
    }
  }

  /** A login that has nothing but its ticket, so that it cannot be renewed. */
  private static Subject ticketOf(String name, String lifetime) throws Exception {
    String property = "java.security.krb5.conf";
    String usual = System.getProperty(property);
    Path brief = Files.createTempFile(home, "krb5", ".conf");
    Files.writeString(
        brief,
        Files.readString(cluster.realm().krb5Conf())
            .replace("[libdefaults]", "[libdefaults]\n  ticket_lifetime = " + lifetime));
    Subject subject = new Subject();
    try {
      System.setProperty(property, brief.toString());
      refreshKerberos();
      new LoginContext(name, subject, null, intruder.logins()).login();
    } finally {
      System.setProperty(property, usual);
      refreshKerberos();
    }
    subject.getPrivateCredentials().removeIf(each -> !(each instanceof KerberosTicket));
    return subject;
  }

  private static void refreshKerberos() throws ReflectiveOperationException {
    Class.forName("sun.security.krb5.Config").getMethod("refresh").invoke(null);
  }

  @Test
  void nothingOutsideOfTheRootIsRead() throws Exception {
    Store store = store(table("inside"));
    ServerName daemon = intruder.daemons().get(0);
    User hbase = user(Realm.HBASE);
    String outside = "/hbase/../outside";
    cluster
        .realm()
        .as(
            Realm.HDFS,
            () -> {
              try (FileSystem hdfs = FileSystem.newInstance(intruder.conf())) {
                org.apache.hadoop.fs.Path dir = new org.apache.hadoop.fs.Path("/outside");
                hdfs.mkdirs(dir);
                return FileUtil.copy(
                    hdfs,
                    new org.apache.hadoop.fs.Path(store.directory(), store.file()),
                    hdfs,
                    new org.apache.hadoop.fs.Path(dir, store.file()),
                    false,
                    intruder.conf());
              }
            });
    String hdfs = intruder.conf().get("fs.defaultFS");
    for (String directory :
        List.of(
            "/outside",
            outside,
            "/hbase/data/default/../../../outside",
            "/hbase/..",
            "/hbasely",
            "outside",
            "",
            hdfs + "/outside",
            hdfs + store.directory(),
            "file://" + home,
            "//127.0.0.1/outside",
            "/etc")) {
      ReadResponse answer = intruder.read(daemon, hbase, directory, store.file());
      assertThat(answer.getCode())
          .as("'%s': %s", directory, answer.getMessage())
          .isEqualTo(Code.REFUSED);
      assertThat(answer.getCells().isEmpty()).isTrue();
    }
    // What looks like a way out within a name, and names that stand for files elsewhere.
    for (Store other :
        List.of(
            new Store("/hbase/%2e%2e/outside", store.file()),
            new Store("/hbase/..%2foutside", store.file()),
            new Store(store.directory(), "../" + store.file()),
            new Store(store.directory(), ".."),
            new Store(store.directory(), "outside=" + "0".repeat(32) + "-" + store.file()),
            new Store(store.directory(), store.file() + "." + "0".repeat(32)))) {
      ReadResponse answer = intruder.read(daemon, hbase, other.directory(), other.file());
      assertThat(answer.getCode()).as(other.toString()).isNotEqualTo(Code.OK);
      assertThat(answer.getCells().isEmpty()).isTrue();
    }
    assertThat(intruder.read(daemon, hbase, store.directory(), store.file()).getCode())
        .isEqualTo(Code.OK);
  }

  @Test
  void nobodyElseRegistersADaemonOrChangesOne() throws Exception {
    String parent = Protocol.daemonsZNode(intruder.conf());
    for (String name : new String[] {null, Realm.ALICE}) {
      try (ZooKeeper zooKeeper = intruder.zooKeeper(name)) {
        for (String path :
            List.of(
                parent + "/127.0.0.1,1,1",
                "/hbase/ishbase/manager/127.0.0.1,1,1",
                "/hbase/ishbase/x")) {
          assertThatThrownBy(
                  () ->
                      zooKeeper.create(
                          path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.EPHEMERAL))
              .as("%s creates %s", name, path)
              .isInstanceOf(KeeperException.NoAuthException.class);
        }
        String daemon = parent + "/" + zooKeeper.getChildren(parent, false).get(0);
        assertThatThrownBy(() -> zooKeeper.setData(daemon, new byte[0], -1))
            .isInstanceOf(KeeperException.NoAuthException.class);
        assertThatThrownBy(() -> zooKeeper.delete(daemon, -1))
            .isInstanceOf(KeeperException.NoAuthException.class);
        assertThatThrownBy(() -> zooKeeper.setACL(parent, ZooDefs.Ids.OPEN_ACL_UNSAFE, -1))
            .isInstanceOf(KeeperException.NoAuthException.class);
      }
    }
  }

  /** Whoever was registered: a region server says nothing to a server that cannot log it in. */
  @Test
  void aDaemonWithoutTheRegionServersKeyIsToldNothing() throws Exception {
    TableName name = table("impostor");
    awaitInStorage(name);
    try (OpenDaemon impostor = new OpenDaemon();
        ZooKeeper zooKeeper = intruder.zooKeeper(Realm.HBASE);
        ClusterProbe probe = new ClusterProbe(cluster.clientConfiguration())) {
      DaemonInfo info =
          DaemonInfo.newBuilder()
              .setVersion(Protocol.VERSION)
              .setHost("127.0.0.1")
              .setPort(impostor.port())
              .setStartCode(7)
              .addRole(Protocol.SCAN)
              .setDatanode("127.0.0.1:1")
              .build();
      String node = Registration.nodeName(info);
      zooKeeper.create(
          Protocol.daemonsZNode(intruder.conf()) + "/" + node,
          info.toByteArray(),
          ZooDefs.Ids.READ_ACL_UNSAFE,
          CreateMode.EPHEMERAL);
      Await.until("a call of the impostor", () -> impostor.left() > 1);
      assertThat(impostor.heard())
          .startsWith("HBas")
          .doesNotContain("/hbase")
          .doesNotContain("IssnService");
      assertThat(probe.quarantined()).anyMatch(quarantined -> quarantined.contains(node));
    }
    awaitInStorage(name);
  }

  /** Results of compactions, as all files of HBase, are where only its user may put them. */
  @Test
  void nobodyElseReadsOrForgesFilesInHdfs() throws Exception {
    Store store = store(table("files"));
    org.apache.hadoop.fs.Path directory = new org.apache.hadoop.fs.Path(store.directory());
    cluster
        .realm()
        .as(
            Realm.ALICE,
            () -> {
              try (FileSystem hdfs = FileSystem.newInstance(intruder.conf())) {
                assertThatThrownBy(
                        () -> hdfs.open(new org.apache.hadoop.fs.Path(directory, store.file())))
                    .isInstanceOf(AccessControlException.class);
                assertThatThrownBy(() -> hdfs.listStatus(directory))
                    .isInstanceOf(AccessControlException.class);
                for (String forged : List.of("forged", "../.tmp/forged", "../../../forged")) {
                  assertThatThrownBy(
                          () -> hdfs.create(new org.apache.hadoop.fs.Path(directory, forged)))
                      .as(forged)
                      .isInstanceOf(AccessControlException.class);
                }
              }
              return null;
            });
  }

  @Test
  void aUserReadsAtDaemonsWhatSheWasGrantedAndNothingElse() throws Exception {
    TableName name = table("granted");
    awaitInStorage(name);
    UserGroupInformation alice = cluster.realm().logIn(Realm.ALICE);
    try (Connection hers =
            alice.doAs(
                (PrivilegedExceptionAction<Connection>)
                    () -> ConnectionFactory.createConnection(intruder.conf()));
        Table table = hers.getTable(name)) {
      assertThatThrownBy(() -> table.get(Mode.IN_STORAGE.on(new Get(row(7)))))
          .isInstanceOf(AccessDeniedException.class);
      try (Admin admin = connection.getAdmin()) {
        admin.grant(
            new UserPermission(
                Realm.ALICE,
                Permission.newBuilder(name)
                    .withFamily(FAMILY)
                    .withActions(Permission.Action.READ)
                    .build()),
            false);
      }
      // Region servers hear of it through ZooKeeper.
      Await.until("the grant", () -> mayGet(table, ROWS + SPARE_ROWS - 1));
      double answered = answered();
      for (int i = 0; i < ROWS; i++) {
        assertThat(table.get(Mode.IN_STORAGE.on(new Get(row(i)))).value())
            .isEqualTo(Bytes.toBytes("value" + i));
      }
      awaitAtLeast("her reads", answered + ROWS, SecureClusterTest::answered);
      assertThatThrownBy(() -> table.put(new Put(row(7)).addColumn(FAMILY, FAMILY, row(7))))
          .hasStackTraceContaining(AccessDeniedException.class.getName());
    }
  }

  private static boolean mayGet(Table table, int row) {
    try {
      return table.get(Mode.IN_STORAGE.on(new Get(row(row)))).value() != null;
    } catch (AccessDeniedException e) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
