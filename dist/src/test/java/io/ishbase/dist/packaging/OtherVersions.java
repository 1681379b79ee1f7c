package io.ishbase.dist.packaging;

import io.ishbase.cluster.ClusterNeeds.RegionServer;
import io.ishbase.cluster.RegionServerJmx;
import io.ishbase.core.Patience;
import io.ishbase.dist.Outcome;
import io.ishbase.dist.SupportedHBase;
import io.ishbase.dist.cluster.ClusterFiles;
import io.ishbase.dist.cluster.ClusterOptions;
import io.ishbase.dist.cluster.Installed;
import io.ishbase.dist.cluster.LocalCluster;
import io.ishbase.plugin.prewarm.RestartDirectory;
import io.ishbase.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.jar.JarFile;
import java.util.stream.Stream;
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
 * and back. {@code ./ishbase versions --from RELEASE}: from another release of ours to this one and
 * back, in both orders, beside one HBase. Exit status 1 if one of them does not do all of it.
 */
public final class OtherVersions {
  private static final String FROM = "--from";
  private static final String THIS = "this release";
  private static final TableName TABLE = TableName.valueOf("t");
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] LARGE = Bytes.toBytes("large");
  private static final int FILES = 2;
  private static final int ROWS = 500;
  private static final int READ = 7;

  private final String name;

  /** What the cluster begins with. */
  private final Installed first;

  /** The present release beside the HBase that it was built with. */
  private final BuiltRelease built;

  private final Path directory;
  private final ClusterOptions options;
  private final LocalCluster cluster;

  /** From what {@code first} makes of the present release. */
  private OtherVersions(Path directory, String name, First first) throws Exception {
    this.directory = directory;
    this.name = name;
    built = new BuiltRelease(directory.resolve("built"));
    this.first = first.of(built);
    options = options(directory);
    cluster = LocalCluster.prepare(directory.resolve("cluster"), options, line -> {});
  }

  private interface First {
    Installed of(BuiltRelease built) throws IOException, InterruptedException;
  }

  private static ClusterOptions options(Path directory) {
    return ClusterOptions.general(
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
            "ishbase.answer.compression",
            "zstd",
            "ishbase.cache.restart.directory",
            restartDirectory(directory).toString(),
            "ishbase.cache.bytes",
            "16777216"));
  }

  private static Path restartDirectory(Path directory) {
    return directory.resolve("restart");
  }

  private String done(String... arguments) throws IOException, InterruptedException {
    Map<String, String> environment = new HashMap<>();
    environment.put("HBASE_HOME", first.hbaseHome().toString());
    environment.put("HBASE_CONF_DIR", cluster.clientConf().toString());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    List<String> command = new ArrayList<>();
    command.add(first.release().resolve("bin/ishbase").toString());
    command.addAll(List.of(arguments));
    Outcome outcome = Commands.run(directory, environment, command);
    if (outcome.code() != 0) {
      throw new IOException(
          String.join(" ", arguments) + " fails: " + outcome.out() + outcome.err());
    }
    return outcome.out().strip();
  }

  private void start() throws IOException {
    cluster.start(options, built.jars(), first);
  }

  /** This release beside that HBase, then beside its own, then back. */
  private void checkHBase() throws Exception {
    SortedSet<String> faults = Linkage.faults(first, built.installed());
    if (!faults.isEmpty()) {
      throw new IOException("does not link: " + String.join("\n  ", faults));
    }
    start();
    try (Connection connection =
        ConnectionFactory.createConnection(cluster.clientConfiguration())) {
      try (Admin admin = connection.getAdmin()) {
        String runs = admin.getClusterMetrics().getHBaseVersion();
        if (runs == null || !runs.startsWith(name)) {
          throw new IOException("HBase " + runs + " runs");
        }
      }
      use(connection);
      RollingRestart restart = restart(connection);
      roll(restart, SupportedHBase.TESTED, built.installed(), true);
      roll(restart, name, first, false);
    }
  }

  /** To this release and back, daemons first and last, and at last all region servers at once. */
  private void checkRelease() throws Exception {
    start();
    try (Connection connection =
        ConnectionFactory.createConnection(cluster.clientConfiguration())) {
      use(connection);
      RollingRestart restart = restart(connection);
      roll(restart, THIS, built.installed(), true);
      roll(restart, name, first, false);
      roll(restart, THIS, built.installed(), false);
      done("alter", "t", "ishbase.read=stock");
      say("master and region servers, a table read by HBase: " + restart.stock(built.installed()));
      done("alter", "t", "ishbase.read=in-storage");
      roll(restart, name, first, true);
      if (!has(first, RestartDirectory.class)) {
        say(name + " keeps no rows for a restart: that is not looked at");
        return;
      }
      restart.endRegionServers();
      long left = restartFiles();
      if (left == 0) {
        throw new IOException("no rows were kept for the restart");
      }
      restart.startRegionServers(built.installed());
      say(
          "all region servers at once to "
              + THIS
              + ", with "
              + left
              + " files of cached rows\n  "
              + restart.checkAll()
              + "; "
              + done("verify", "t"));
    }
  }

  private static boolean has(Installed release, Class<?> type) throws IOException {
    String entry = type.getName().replace('.', '/') + ".class";
    try (Stream<Path> jars = Files.list(release.release().resolve("lib/plugin"))) {
      for (Path jar : (Iterable<Path>) jars::iterator) {
        try (JarFile file = new JarFile(jar.toFile())) {
          if (file.getEntry(entry) != null) {
            return true;
          }
        }
      }
    }
    return false;
  }

  private long restartFiles() throws IOException {
    if (!Files.exists(restartDirectory(directory))) {
      return 0;
    }
    try (Stream<Path> files = Files.list(restartDirectory(directory))) {
      return files.count();
    }
  }

  private RollingRestart restart(Connection connection) {
    return new RollingRestart(cluster, options, connection, TABLE, ROWS);
  }

  private void roll(RollingRestart restart, String to, Installed release, boolean daemonsFirst)
      throws Exception {
    say(
        "to "
            + to
            + ", "
            + restart.to(release, daemonsFirst)
            + "\n  "
            + restart.checkAll()
            + "; "
            + done("verify", "t"));
  }

  private void say(String line) {
    System.out.println(name + ": " + line);
  }

  /** A table that is read and compacted in-storage. */
  private void use(Connection connection) throws Exception {
    try (Admin admin = connection.getAdmin();
        Table table = connection.getTable(TABLE)) {
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
      String verified = done("verify", "t");
      done("compact", "t", "--major");
      Await.until("a compaction by a daemon", () -> offloaded(server) > 0);
      verified += "; " + done("verify", "t");
      say(
          String.format(
              "%.0f reads by daemons, %.0f compactions; %s; %s",
              reads(table, server),
              offloaded(server),
              verified,
              done("doctor").lines().reduce("", (before, line) -> line)));
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

  /** What is to be done with a cluster. */
  private interface Check {
    void of(OtherVersions cluster) throws Exception;
  }

  private static boolean isWell(String name, First first, Check check) throws IOException {
    Path directory = Files.createTempDirectory("ishbase-" + name + "-");
    try {
      OtherVersions other = new OtherVersions(directory, name, first);
      try {
        Runtime.getRuntime().addShutdownHook(new Thread(other.cluster::stop));
        check.of(other);
      } finally {
        other.cluster.stop();
      }
      ClusterFiles.delete(directory);
      return true;
    } catch (Exception | AssertionError e) {
      System.out.println(name + ": " + e + "; logs are in " + directory);
      return false;
    }
  }

  public static void main(String[] arguments) throws Exception {
    // Nobody knows what else the machine does: a file that opens slowly is no release's fault.
    System.setProperty(Patience.NAMENODE, "20000");
    boolean isWell = true;
    if (arguments[0].equals(FROM)) {
      Path release = Path.of(arguments[1]);
      isWell =
          isWell(
              Files.readString(release.resolve("VERSION")).strip(),
              built -> new Installed(built.hbaseHome(), release),
              OtherVersions::checkRelease);
    } else {
      for (String version : arguments) {
        isWell &=
            isWell(
                version,
                built -> built.beside(Path.of("target", "hbase-" + version)),
                OtherVersions::checkHBase);
      }
    }
    System.exit(isWell ? 0 : 1);
  }
}
