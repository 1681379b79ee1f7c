package io.ishbase.dist.packaging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ishbase.cluster.ClusterNeeds.RegionServer;
import io.ishbase.cluster.RegionServerJmx;
import io.ishbase.dist.Outcome;
import io.ishbase.dist.cluster.ClusterFiles;
import io.ishbase.dist.cluster.ClusterOptions;
import io.ishbase.dist.cluster.LocalCluster;
import io.ishbase.it.OwnJvm;
import io.ishbase.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster whose HMaster and region server have a stock HBase's jars and those of the release's
 * {@code lib/plugin} and no others, and whose daemons are started by {@code bin/issn}.
 */
@OwnJvm
final class InstalledReleaseTest {
  @TempDir private static Path directory;

  private static BuiltRelease release;
  private static LocalCluster cluster;

  @BeforeAll
  static void up() throws IOException, InterruptedException {
    release = new BuiltRelease(directory);
    ClusterOptions options =
        ClusterOptions.general(
            true,
            "stock",
            1,
            RegionServer.caching(64L << 20),
            Map.of("ishbase.hedge.percent", "0", "ishbase.rpc.timeout", "20000"));
    cluster = LocalCluster.prepare(directory.resolve("cluster"), options, line -> {});
    for (String node : List.of("s1", "s2")) {
      // The release has what the daemon's web page needs, and its logging.
      Path conf = cluster.clientConf().resolveSibling(node);
      ClusterFiles.delete(conf.resolve("hbase-webapps"));
      Files.delete(conf.resolve("log4j2.properties"));
    }
    cluster.start(options, release.jars(), release.installed());
  }

  @AfterAll
  static void down() {
    if (cluster != null) {
      cluster.discard();
    }
  }

  private static Map<String, String> environment() {
    Map<String, String> environment = new HashMap<>();
    environment.put("HBASE_HOME", release.hbaseHome().toString());
    environment.put("HBASE_CONF_DIR", cluster.clientConf().toString());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    return environment;
  }

  private static String done(String... arguments) throws IOException, InterruptedException {
    Outcome outcome = release.run(environment(), "ishbase", arguments);
    assertThat(outcome.code()).as(outcome.err()).isZero();
    return outcome.out();
  }

  @Test
  void aValueIsReadInStorage() throws IOException, InterruptedException {
    TableName name = TableName.valueOf("t");
    byte[] family = Bytes.toBytes("f");
    try (Connection connection = ConnectionFactory.createConnection(cluster.clientConfiguration());
        Admin admin = connection.getAdmin();
        Table table = connection.getTable(name)) {
      admin.createTable(
          TableDescriptorBuilder.newBuilder(name)
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(family))
              .build());
      table.put(
          new Put(Bytes.toBytes("row1"))
              .addColumn(family, Bytes.toBytes("q"), Bytes.toBytes("hello")));
      admin.flush(name);
      done("alter", "t", "ishbase.read=in-storage");
      assertThat(done("get", "t", "row1")).contains("hello");
      RegionServerJmx server =
          RegionServerJmx.of(admin, admin.getRegionServers().iterator().next());
      // A region server asks daemons once they have answered in the background.
      Await.until("a read by a daemon", () -> isReadInStorage(table, server));
    }
    assertThat(done("verify", "t")).contains("t: equal in both modes: 1 rows");
    assertThat(done("locality", "--hbase-conf", cluster.clientConf().toString())).contains("t ");
    assertThat(done("status")).contains("master         active").contains("daemons        [");
    assertThat(done("explain", "t", "--get", "row1")).contains("asks 127.0.0.1,");
  }

  private static boolean isReadInStorage(Table table, RegionServerJmx server) {
    try {
      assertThat(table.get(new Get(Bytes.toBytes("row1"))).value()).asString().isEqualTo("hello");
      return server.inStorageReads().get("reads") > 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The configuration of a daemon beside no DataNode, on ports of its own. */
  private static Path confOfCompactionServer(String name) throws IOException {
    Path conf = Files.createDirectory(directory.resolve(name));
    Path node = cluster.clientConf().resolveSibling("s1");
    for (String file : List.of("core-site.xml", "hdfs-site.xml")) {
      Files.copy(node.resolve(file), conf.resolve(file));
    }
    Files.writeString(
        conf.resolve("hbase-site.xml"),
        Files.readString(node.resolve("hbase-site.xml"))
            .replaceAll("(<name>ishbase.issn.(?:info.)?port</name><value>)\\d+", "$10")
            .replaceAll("(<name>ishbase.issn.datanode</name><value>)[^<]+", "$1none"));
    return conf;
  }

  @Test
  void aDaemonInTheBackgroundIsStartedAndStopped() throws IOException, InterruptedException {
    Map<String, String> environment = environment();
    environment.put("HBASE_CONF_DIR", confOfCompactionServer("third").toString());
    // Two at once: one is started, and keeps its files.
    List<CompletableFuture<Outcome>> both =
        List.of(
            CompletableFuture.supplyAsync(() -> startInBackground(environment)),
            CompletableFuture.supplyAsync(() -> startInBackground(environment)));
    List<Outcome> outcomes = both.stream().map(CompletableFuture::join).toList();
    Outcome started = outcomes.get(outcomes.get(0).code() == 0 ? 0 : 1);
    Outcome other = outcomes.get(outcomes.get(0).code() == 0 ? 1 : 0);
    try {
      assertThat(started.code()).as(started.err() + other.err()).isZero();
      assertThat(other.err())
          .containsAnyOf("it runs already, process ", "another issn start --daemon is under way");
      assertThat(started.out()).startsWith("issn serves hdfs://").contains(", process ");
      assertThat(release.run(environment, "issn", "status").out())
          .startsWith("issn runs, process ");
      assertThat(release.run(environment, "issn", "start", "--daemon").err())
          .startsWith("issn: it runs already, process ");
      assertThat(release.home().resolve("logs/issn.log"))
          .content()
          .contains("dedicated compaction");
    } finally {
      Outcome stopped = release.run(environment, "issn", "stop");
      assertThat(stopped.code()).as(stopped.err()).isZero();
      assertThat(stopped.out()).startsWith("issn has stopped, process ");
    }
    assertThat(release.run(environment, "issn", "status").code()).isEqualTo(3);
    assertThat(release.home().resolve("run/issn.pid")).doesNotExist();
  }

  private static Outcome startInBackground(Map<String, String> environment) {
    try {
      return release.run(environment, "issn", "start", "--daemon");
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void theDebianPackageIsInstalledAndPurged() throws IOException, InterruptedException {
    assumeTrue(
        System.getProperty("user.name").equals("root") && Files.exists(Path.of("/usr/bin/dpkg")),
        "to install a Debian package takes root, and dpkg");
    Outcome outcome =
        Commands.run(
            directory,
            Map.of(),
            List.of(
                "unshare",
                "--mount",
                "--pid",
                "--fork",
                "--kill-child",
                "--propagation",
                "private",
                "sh",
                Path.of("src/test/resources/packaging/install-debian.sh")
                    .toAbsolutePath()
                    .toString(),
                Files.createDirectory(directory.resolve("debian")).toString(),
                release.files().resolve(DebianPackage.fileName(Release.version())).toString(),
                release.hbaseHome().toString(),
                confOfCompactionServer("fourth").toString(),
                System.getProperty("java.home")));
    assertThat(outcome.code()).as(outcome.out() + outcome.err()).isZero();
    assertThat(outcome.out())
        .contains("issn serves hdfs://")
        .contains("issn runs, process ")
        .contains("issn has stopped, process ")
        .containsPattern("unit (not )?verified")
        .endsWith("purged\n");
    assertThat(Path.of("/usr/lib/ishbase")).doesNotExist();
  }
}
