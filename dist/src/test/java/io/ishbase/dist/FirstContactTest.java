package io.ishbase.dist;

import static io.ishbase.dist.Outcome.run;
import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Setting;
import io.ishbase.dist.cluster.LocalCluster;
import io.ishbase.it.OwnJvm;
import io.ishbase.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableSnapshotScanner;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What somebody does first: a cluster of real processes and the commands around it. */
@OwnJvm
final class FirstContactTest {
  @TempDir private static Path home;

  @BeforeAll
  static void up() throws IOException {
    BuiltHome.make(home);
    Path jars = Files.createDirectory(home.resolve("jars"));
    BuiltHome.jar(Files.createDirectory(home.resolve("empty")), jars.resolve("own-filters.jar"));
    Outcome up =
        run(
            "up",
            "--loopback",
            "--region-servers",
            "2",
            "--site",
            "ishbase.slow.request=77",
            "--site",
            "dfs.replication=2",
            "--site",
            "hbase.hfile.compaction.discharger.interval=2000",
            "--classpath",
            jars.toString());
    assertThat(up.code()).as(up.err()).isZero();
    assertThat(up.out()).contains("client config  " + cluster().clientConf());
  }

  @AfterAll
  static void down() {
    assertThat(run("down", "--delete").code()).isZero();
    assertThat(home.resolve("target/cluster")).doesNotExist();
  }

  private static LocalCluster cluster() {
    return LocalCluster.open(home.resolve("target/cluster")).orElseThrow();
  }

  private static String done(String... arguments) {
    Outcome outcome = run(arguments);
    assertThat(outcome.code()).as(outcome.err()).isZero();
    return outcome.out();
  }

  @Test
  void settingsJarsAndRegionServersAreThoseAskedFor() {
    assertThat(done("status")).containsPattern("regionserver-2 +\\d+ +runs");
    assertThat(cluster().site().get("ishbase.slow.request")).isEqualTo("77");
    assertThat(home.resolve("target/cluster/lib/own-filters.jar")).exists();
  }

  @Test
  void aTableIsMadeWrittenReadChangedAndListedWithoutAShell() throws IOException {
    done("create", "t", "f", "g", "--split", "m");
    done("put", "t", "a", "f:q", "first");
    done("put", "t", "z", "g:q", "last");
    done("flush", "t");
    done("put", "t", "a", "f:q", "second");
    done("flush", "t");
    assertThat(done("get", "t", "a")).contains("f:q").contains("second");
    assertThat(done("scan", "t")).contains("second").contains("last").doesNotContain("first");
    assertThat(done("scan", "t", "--start", "m", "--limit", "1")).doesNotContain("second");

    done("alter", "t", "ishbase.read=auto");
    done("alter", "t", "--family", "g", "BLOCKSIZE=8192", "ishbase.compaction=offload");
    assertThat(done("tables"))
        .containsPattern("(?m)^t +2 .*  auto +\\(site\\), g:offload$")
        .contains("here ishbase.read=in-storage");
    done("alter", "t", "ishbase.read=");
    assertThat(done("tables")).containsPattern("(?m)^t +2 .*  \\(site\\) +\\(site\\), g:offload$");

    done("compact", "t", "--major");
    try (Connection connection = ConnectionFactory.createConnection(client());
        Admin admin = connection.getAdmin()) {
      // The master hears of it with the region servers' next reports.
      Await.until("the major compaction", () -> majorCompaction(admin, "t") > 0);
    }
    assertThat(done("verify", "t")).contains("equal in both modes: 2 rows, 2 cells");
    done("alter", "t", "--family", "g", "ishbase.read=stock");
    assertFails(1, "Table t has ishbase.read = stock for g", "verify", "t");
  }

  private static long majorCompaction(Admin admin, String table) {
    try {
      return admin.getLastMajorCompactionTimestamp(TableName.valueOf(table));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void whatCannotBeDoneIsSaidInOneLine() {
    done("create", "u", "f");
    assertFails(1, "There is no table nope; there are: ", "flush", "nope");
    assertFails(1, "Table u has no family x; it has: f", "put", "u", "r", "x:q", "v");
    assertFails(1, "There is a table u already", "create", "u", "f");
    assertFails(1, "A row's name has 1 to 32767 bytes, not 0", "get", "u", "");
    assertFails(1, "A row's name has 1 to 32767 bytes, not 0", "put", "u", "", "f:q", "v");
    assertFails(1, "A row's name has 1 to 32767 bytes, not 0", "explain", "u", "--get", "");
    assertFails(1, "bytes, not 32768", "get", "u", "r".repeat(32_768));
    assertFails(1, "must be one of stock | auto | in-storage", "alter", "u", "ishbase.read=in");
    assertFails(2, "should be in KEY=VALUE format", "alter", "u", "ishbase.read");
    assertFails(1, "A cluster runs already", "up", "--loopback");
    assertFails(1, "--region-servers is 1 to 6", "up", "--region-servers", "7");
    assertFails(1, "ishbase.batch.max.bytes = '1'", "up", "--site", "ishbase.batch.max.bytes=1");
  }

  private static void assertFails(int code, String why, String... arguments) {
    Outcome outcome = run(arguments);
    assertThat(outcome.code()).isEqualTo(code);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err()).startsWith("ishbase: ").contains(why).hasLineCount(1);
  }

  /** The configuration of whoever has the client's directory on his class path. */
  private static Configuration client() {
    Configuration conf = HBaseConfiguration.create();
    for (String file : List.of("core-site.xml", "hdfs-site.xml", "hbase-site.xml")) {
      conf.addResource(new org.apache.hadoop.fs.Path(cluster().clientConf().resolve(file).toUri()));
    }
    return conf;
  }

  /** Two files, each of which another node has. */
  @Test
  void filesThatLieApartAreSeenAndBroughtTogether() throws IOException {
    done("create", "apart", "f");
    Configuration conf = client();
    DistributedFileSystem hdfs = (DistributedFileSystem) FileSystem.get(conf);
    org.apache.hadoop.fs.Path dir = hdfs.makeQualified(new org.apache.hadoop.fs.Path("/apart"));
    for (DatanodeInfo node : hdfs.getDataNodeStats(DatanodeReportType.LIVE)) {
      String row = "r" + node.getXferPort();
      try (FSDataOutputStream out =
          hdfs.create(
              new org.apache.hadoop.fs.Path(dir, "f/" + row),
              FsPermission.getFileDefault(),
              true,
              4096,
              (short) 1,
              1 << 20,
              null,
              new InetSocketAddress[] {
                new InetSocketAddress(node.getIpAddr(), node.getXferPort())
              })) {
        write(HFile.getWriterFactory(conf, new CacheConfig(conf)).withOutputStream(out), row);
      }
    }
    BulkLoadHFiles.create(conf).bulkLoad(TableName.valueOf("apart"), dir);
    assertThat(done("locality", "apart", "--regions"))
        .containsPattern("(?m)^apart +1 +1 +0\\.0 +5\\d\\.\\d % +0\\.0 %$")
        .containsPattern("(?m)^ {2}[0-9a-f]{32} +1 +1 ");
    assertThat(done("locality")).contains("apart ");
    assertThat(done("locality", "apart", "--move"))
        .containsPattern("(?m)^apart +1 +0 +0\\.0 +100\\.0 % +0\\.0 %$");
    assertThat(done("verify", "apart")).contains("2 rows, 2 cells");
    assertThat(done("locality", "apart", "--move")).contains("Nothing to move.");
    assertThat(run("locality", "--move").err()).contains("of which table?").hasLineCount(1);
    assertThat(run("locality", "none").err()).contains("There is no table none").hasLineCount(1);

    try (Connection connection = ConnectionFactory.createConnection(conf);
        Admin admin = connection.getAdmin()) {
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(TableName.valueOf("apart")))
              .setValue(Setting.PLACEMENT.key(), "false")
              .build());
    }
    assertThat(run("locality", "apart", "--move").err()).contains("have no home").hasLineCount(1);
  }

  private static void write(HFile.WriterFactory factory, String row) throws IOException {
    try (HFile.Writer writer =
        factory.withFileContext(new HFileContextBuilder().build()).create()) {
      writer.append(
          new KeyValue(
              Bytes.toBytes(row),
              Bytes.toBytes("f"),
              Bytes.toBytes("q"),
              1,
              Bytes.toBytes("loaded")));
    }
  }

  @Test
  void theClientsConfigurationIsEnoughForBulkLoadsAndSnapshots() throws IOException {
    done("create", "bulk", "f");
    Configuration conf = client();
    FileSystem hdfs = FileSystem.get(conf);
    org.apache.hadoop.fs.Path dir = hdfs.makeQualified(new org.apache.hadoop.fs.Path("/load"));
    TableName table = TableName.valueOf("bulk");
    byte[] value = Bytes.toBytes("loaded");
    write(
        HFile.getWriterFactory(conf, new CacheConfig(conf))
            .withPath(hdfs, new org.apache.hadoop.fs.Path(dir, "f/file")),
        "r");
    BulkLoadHFiles.create(conf).bulkLoad(table, dir);
    assertThat(done("get", "bulk", "r")).contains("loaded");
    assertThat(hdfs.listStatus(new org.apache.hadoop.fs.Path(dir, "f"))).isEmpty();

    try (Connection connection = ConnectionFactory.createConnection(conf);
        Admin admin = connection.getAdmin()) {
      admin.snapshot("snapshot", table);
    }
    try (TableSnapshotScanner rows =
        new TableSnapshotScanner(
            conf,
            hdfs.makeQualified(new org.apache.hadoop.fs.Path("/restored")),
            "snapshot",
            new Scan())) {
      Result row = rows.next();
      assertThat(row.value()).isEqualTo(value);
      assertThat(rows.next()).isNull();
    }

    String[] command = {"snapshot-scan", "snapshot", "--filter", "ValueFilter(=, 'binary:loaded')"};
    Outcome scanned = run(command);
    // It waits five seconds for daemons, which a busy machine may need to begin.
    for (int more = 0; more < 10 && scanned.err().contains("; 0 bytes from storage"); more++) {
      scanned = run(command);
    }
    assertThat(scanned.code()).as(scanned.err()).isZero();
    assertThat(scanned.out()).contains("f:q").contains("loaded").hasLineCount(1);
    assertThat(scanned.err()).containsPattern("^1 rows; [1-9]\\d* bytes from storage daemons");
    assertThat(done("snapshot-scan", "snapshot", "--columns", "f:no", "--count")).isEqualTo("0\n");
    assertFails(1, "There is no snapshot 'nope' below hdfs://", "snapshot-scan", "nope");
    assertFails(1, "--limit is 1 or more, not 0", "snapshot-scan", "snapshot", "--limit", "0");
    assertFails(1, "SNAPSHOT is the name of one, not ''", "snapshot-scan", "");
    assertFails(1, "there is no hbase-site.xml in /nope", "snapshot-scan", "s", "--conf", "/nope");
  }

  @Test
  void flushesGoToTheDataNodesThatTheyNameAndSayNothing() throws IOException {
    done("create", "flushed", "f");
    done("put", "flushed", "r", "f:q", "v");
    done("flush", "flushed");
    Supplier<Stream<Path>> logs =
        () ->
            Stream.of("regionserver-1", "regionserver-2")
                .map(name -> cluster().files().logs().resolve(name + ".log"));
    assertThat(logs.get())
        .anySatisfy(log -> assertThat(log).content().contains("Finished flush of"));
    assertThat(logs.get())
        .allSatisfy(log -> assertThat(log).content().doesNotContain("not chosen"));
  }
}
