package io.ishbase.dist;

import static io.ishbase.dist.Outcome.run;
import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.cluster.ClusterNeeds.RegionServer;
import io.ishbase.cluster.ClusterServer;
import io.ishbase.cluster.RegionServerJmx;
import io.ishbase.dist.cluster.ClusterOptions;
import io.ishbase.dist.cluster.LocalCluster;
import io.ishbase.it.OwnJvm;
import io.ishbase.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster of processes with HBase's own configuration, attached, and then looked at while it is
 * well and when it is not.
 */
@OwnJvm
final class AttachedClusterTest {
  /** Without late answers, since nobody knows what else the machine does. */
  private static final ClusterOptions OPTIONS =
      ClusterOptions.general(
          true,
          "stock",
          1,
          RegionServer.caching(64L << 20),
          Map.of(
              "ishbase.hedge.percent",
              "0",
              "ishbase.rpc.timeout",
              "20000",
              "ishbase.compaction.min.bytes",
              "0",
              // In which a daemon that was killed stays registered.
              "zookeeper.session.timeout",
              "40000"));

  @TempDir private static Path home;
  private static LocalCluster cluster;

  @BeforeAll
  static void up() throws IOException {
    BuiltHome.make(home);
    cluster = LocalCluster.prepare(Home.cluster(), OPTIONS, System.err::println);
    for (String node : List.of("compute", "rs1", "s1", "s2")) {
      attach(cluster.files().root().resolve("conf").resolve(node));
    }
    Home.start(cluster, OPTIONS, List.of());
  }

  @AfterAll
  static void down() {
    cluster.discard();
  }

  /** Makes the configuration of a node HBase's own, and then what the command makes of that. */
  private static void attach(Path conf) throws IOException {
    String directory = conf.toString();
    Path stock = home.resolve("stock").resolve(conf.getFileName());
    done("attach", "--hbase-conf", directory, "--detach", "--write", stock.toString());
    install(stock, conf);
    for (String file : List.of("hbase-site.xml", "hdfs-site.xml")) {
      String text =
          Files.readString(conf.resolve(file))
              .replaceAll(
                  "(?m)^.*(dfs\\.client\\.read\\.shortcircuit|legacy\\.blockreader"
                      + "|local-path-access).*\\R",
                  "");
      assertThat(text).doesNotContain("io.ishbase.plugin");
      Files.writeString(conf.resolve(file), text);
    }
    Path attached = home.resolve("attached").resolve(conf.getFileName());
    done(
        "attach",
        "--hbase-conf",
        directory,
        "--short-circuit",
        "legacy",
        "--user",
        System.getProperty("user.name"),
        "--write",
        attached.toString());
    install(attached, conf);
    assertThat(done("attach", "--hbase-conf", directory, "--short-circuit", "keep"))
        .contains("is attached already");
  }

  private static void install(Path from, Path conf) throws IOException {
    for (String file : List.of("hbase-site.xml", "hdfs-site.xml", "hbase-env.sh")) {
      if (Files.exists(from.resolve(file))) {
        Files.writeString(conf.resolve(file), Files.readString(from.resolve(file)));
      }
    }
  }

  private static String done(String... arguments) {
    Outcome outcome = run(arguments);
    assertThat(outcome.code()).as(outcome.out() + outcome.err()).isZero();
    return outcome.out();
  }

  @Test
  void itReadsAndCompactsInStorageAndTheDoctorNamesWhatBreaks() throws IOException {
    Outcome early = run("doctor");
    assertThat(early.out()).contains("shows nothing of it yet").contains("0 fail");
    assertThat(early.code()).isZero();

    done("create", "t", "f");
    done("alter", "t", "ishbase.read=in-storage", "ishbase.compaction=offload");
    try (Connection connection = ConnectionFactory.createConnection(cluster.clientConfiguration());
        Admin admin = connection.getAdmin()) {
      RegionServerJmx jmx = RegionServerJmx.of(admin, admin.getRegionServers().iterator().next());
      Await.until("both daemons are used", () -> daemons(jmx) == 2);
      for (int file = 0; file < 2; file++) {
        done("put", "t", "row" + file, "f:q", "value" + file);
        done("flush", "t");
      }
      assertThat(done("get", "t", "row0")).contains("value0");
      // Hadoop's metrics are on the page some seconds later.
      Await.until("a read at a storage node", () -> reads(jmx) > 0);
      done("compact", "t", "--major");
      Await.until("a compaction by a daemon", () -> offloaded(jmx) > 0);
      assertThat(done("get", "t", "row1")).contains("value1");

      Await.until("nothing is left alone", () -> quarantined(jmx).isEmpty());
      Outcome well = run("doctor");
      assertThat(well.code()).as(well.out() + well.err()).isZero();
      assertThat(well.out())
          .contains("ok    plug-in: at all 1 region servers")
          .contains("ok    daemons: 2 of 2 registered ones answer")
          .contains("ok    DataNodes: a daemon beside each of 2")
          .containsPattern("ok    reads by daemons: [12] daemons have read one of HBase's files")
          .contains("ok    short-circuit reads: configured at 2 daemons")
          .containsPattern("ok    table t: all \\d+ blocks? have a replica beside a daemon")
          .contains("ok    compactions: offloaded for t, with a manager")
          .contains("ok    clocks: 3 servers agree")
          .contains("0 warn, 0 fail");
      // Where HDFS is, and who is there, it learns from the region server's page.
      assertThat(done("doctor", "--zookeeper", cluster.zooKeeper()))
          .contains("ok    DataNodes: a daemon beside each of 2")
          .contains("0 warn, 0 fail");
      assertThat(done("locality", "--zookeeper", cluster.zooKeeper()))
          .containsPattern("(?m)^t +1 +0 ");

      TableName name = TableName.valueOf("t");
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(name))
              .setValue("ishbase.verify.share", "often")
              .build());
      ClusterServer daemon = cluster.server(ClusterServer.Kind.DAEMON, 1, OPTIONS);
      daemon.kill();
      Outcome ill = run("doctor");
      assertThat(ill.code()).isEqualTo(1);
      assertThat(ill.out())
          .containsPattern("fail  daemon [^ ]+: registered, and does not answer")
          .contains("fail  table t: ishbase.verify.share = 'often': must be")
          .contains("2 fail");
    }
  }

  private static int daemons(RegionServerJmx jmx) {
    try {
      return jmx.attribute(RegionServerJmx.STORAGE_NODES, "Daemons")
          .map(names -> names.getAsJsonArray().size())
          .orElse(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> quarantined(RegionServerJmx jmx) {
    try {
      return jmx.quarantined();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static double reads(RegionServerJmx jmx) {
    try {
      return jmx.inStorageReads().get("reads");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static double offloaded(RegionServerJmx jmx) {
    try {
      return jmx.offloads().get("Offloaded");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
