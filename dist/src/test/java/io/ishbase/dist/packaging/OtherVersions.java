package io.ishbase.dist.packaging;

import io.ishbase.cluster.ClusterNeeds.RegionServer;
import io.ishbase.cluster.RegionServerJmx;
import io.ishbase.dist.Outcome;
import io.ishbase.dist.SupportedHBase;
import io.ishbase.dist.cluster.ClusterFiles;
import io.ishbase.dist.cluster.ClusterOptions;
import io.ishbase.dist.cluster.LocalCluster;
import io.ishbase.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * {@code ./ishbase versions [VERSION...]}: the jars of a release, as they were built with one
 * HBase, in clusters of others; and a rolling upgrade from there to the one that it was built with,
 * and back. Exit status 1 if one of them does not do all of it.
 */
public final class OtherVersions {
  private static final TableName TABLE = TableName.valueOf("t");
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] LARGE = Bytes.toBytes("large");
  private static final int FILES = 2;
  private static final int ROWS = 500;
  private static final int READ = 7;

  private static final ClusterOptions OPTIONS =
      ClusterOptions.general(
          true,
          "stock",
          2,
          RegionServer.caching(64L << 20),
          Map.of(
              // Nobody knows what else the machine does.
              "ishbase.hedge.percent",
              "0",
              "ishbase.compaction.min.bytes",
              "0",
              "ishbase.memstore",
              "auto",
              "ishbase.cache.bytes",
              "16777216"));

  private final BuiltRelease release;

  /** The same jars beside the HBase that they were built with. */
  private final BuiltRelease built;

  private final LocalCluster cluster;

  private OtherVersions(Path directory, String version) throws Exception {
    built = new BuiltRelease(directory.resolve("built"));
    release = new BuiltRelease(directory, Path.of("target", "hbase-" + version));
    cluster = LocalCluster.prepare(directory.resolve("cluster"), OPTIONS, line -> {});
  }

  private String done(String... arguments) throws IOException, InterruptedException {
    Map<String, String> environment = new HashMap<>();
    environment.put("HBASE_HOME", release.hbaseHome().toString());
    environment.put("HBASE_CONF_DIR", cluster.clientConf().toString());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    Outcome outcome = release.run(environment, "ishbase", arguments);
    if (outcome.code() != 0) {
      throw new IOException(
          String.join(" ", arguments) + " fails: " + outcome.out() + outcome.err());
    }
    return outcome.out();
  }

  /** What of our jars does not link there, or overrides a method no more. */
  private void link() throws IOException {
    SortedSet<String> faults = new TreeSet<>();
    for (String program : List.of("plugin", "daemon")) {
      Linkage.Found there = found(release, program);
      faults.addAll(there.faults());
      for (String each : found(built, program).overrides()) {
        if (!there.overrides().contains(each)) {
          faults.add(each + " overrides nothing");
        }
      }
    }
    if (!faults.isEmpty()) {
      throw new IOException("does not link: " + String.join("\n  ", faults));
    }
  }

  private static Linkage.Found found(BuiltRelease release, String program) throws IOException {
    Path own = release.home().resolve("lib").resolve(program);
    Path plugin = release.home().resolve("lib/plugin");
    Path hbase = release.hbaseHome().resolve("lib");
    List<Path> ours = new ArrayList<>();
    try (DirectoryStream<Path> jars = Files.newDirectoryStream(own, "ishbase-*.jar")) {
      jars.forEach(ours::add);
    }
    return Linkage.of(ours, List.of(own, plugin, hbase, hbase.resolve("client-facing-thirdparty")));
  }

  private void check(String version) throws Exception {
    link();
    cluster.start(OPTIONS, release.jars(), release.installed());
    try (Connection connection = ConnectionFactory.createConnection(cluster.clientConfiguration());
        Admin admin = connection.getAdmin();
        Table table = connection.getTable(TABLE)) {
      String runs = admin.getClusterMetrics().getHBaseVersion();
      if (runs == null || !runs.startsWith(version)) {
        throw new IOException("HBase " + runs + " runs");
      }
      admin.createTable(
          TableDescriptorBuilder.newBuilder(TABLE)
              .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
              .setColumnFamily(
                  ColumnFamilyDescriptorBuilder.newBuilder(LARGE)
                      .setMobEnabled(true)
                      .setMobThreshold(1)
                      .build())
              .build(),
          new byte[][] {row(ROWS / 2)});
      for (int file = 0; file < FILES; file++) {
        for (int row = 0; row < ROWS; row++) {
          table.put(
              new Put(row(row))
                  .addColumn(FAMILY, Bytes.toBytes(file), row(row))
                  .addColumn(LARGE, Bytes.toBytes(file), row(row)));
        }
        admin.flush(TABLE);
      }
      done("alter", "t", "ishbase.read=in-storage", "ishbase.compaction=offload");
      RegionServerJmx server;
      try (RegionLocator regions = connection.getRegionLocator(TABLE)) {
        server = RegionServerJmx.of(admin, regions.getRegionLocation(row(READ)).getServerName());
      }
      Await.until("a read by a daemon", () -> reads(table, server) > 0);
      String verified = done("verify", "t").strip();
      done("compact", "t", "--major");
      Await.until("a compaction by a daemon", () -> offloaded(server) > 0);
      verified += "; " + done("verify", "t").strip();
      System.out.printf(
          "%s: %.0f reads by daemons, %.0f compactions; %s; %s%n",
          version,
          reads(table, server),
          offloaded(server),
          verified,
          done("doctor").lines().reduce("", (before, line) -> line));
      RollingRestart restart = new RollingRestart(cluster, OPTIONS, connection, TABLE, ROWS);
      System.out.println(
          version + " to " + SupportedHBase.TESTED + ", " + restart.to(built.installed(), true));
      System.out.println("and back to " + version + ", " + restart.to(release.installed(), false));
      System.out.println(version + ": " + done("verify", "t").strip());
    }
  }

  static byte[] row(int number) {
    return Bytes.toBytes(String.format("row%05d", number));
  }

  private static double reads(Table table, RegionServerJmx server) {
    try {
      byte[] row = row(READ);
      if (!Bytes.equals(table.get(new Get(row)).getValue(FAMILY, Bytes.toBytes(0)), row)) {
        throw new IllegalStateException("a Get does not return what was put");
      }
      return server.inStorageReads().get("reads");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static double offloaded(RegionServerJmx server) {
    try {
      return server.offloads().get("Offloaded");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static void main(String[] versions) throws Exception {
    boolean isWell = true;
    for (String version : versions) {
      Path directory = Files.createTempDirectory("ishbase-" + version + "-");
      try {
        OtherVersions other = new OtherVersions(directory, version);
        try {
          Runtime.getRuntime().addShutdownHook(new Thread(other.cluster::stop));
          other.check(version);
        } finally {
          other.cluster.stop();
        }
        ClusterFiles.delete(directory);
      } catch (Exception | AssertionError e) {
        isWell = false;
        System.out.println(version + ": " + e + "; logs are in " + directory);
      }
    }
    System.exit(isWell ? 0 : 1);
  }
}
