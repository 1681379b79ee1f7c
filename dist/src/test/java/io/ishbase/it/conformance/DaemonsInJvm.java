package io.ishbase.it.conformance;

import io.ishbase.daemon.Issn;
import io.ishbase.plugin.regionserver.StorageNodes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.zookeeper.MiniZooKeeperCluster;

/**
 * A daemon per file system, in this JVM, for tests of HBase that know of none. A region uses the
 * daemon of the file system that was asked for last; HBase's tests do not mix file systems.
 */
final class DaemonsInJvm {
  private static final Map<URI, Issn> DAEMONS = new HashMap<>();
  private static MiniZooKeeperCluster zooKeeper;
  private static URI current;

  private DaemonsInJvm() {}

  /** Makes sure that a daemon reads {@code fs} and that regions opened next use it. */
  static synchronized Configuration beside(
      FileSystem fs, Configuration conf, TableDescriptor table) {
    // A mock has none.
    URI uri = fs.getUri();
    if (uri == null || table.getTableName().isSystemTable() || uri.equals(current)) {
      return conf;
    }
    try {
      Issn daemon = DAEMONS.get(uri);
      if (daemon == null) {
        daemon = start(uri, conf);
        DAEMONS.put(uri, daemon);
      }
      StorageNodes.useFixed(List.of(daemon.address()));
      current = uri;
      return conf;
    } catch (IOException e) {
      throw new UncheckedIOException("No daemon beside " + uri, e);
    }
  }

  private static Issn start(URI uri, Configuration regionConf) throws IOException {
    Configuration conf = new Configuration(regionConf);
    conf.set("fs.defaultFS", uri.toString());
    conf.set(HConstants.HBASE_DIR, uri.resolve("/").toString());
    // A test that closes its file system must not close the daemon's.
    conf.setBoolean("fs.hdfs.impl.disable.cache", true);
    conf.set(HConstants.ZOOKEEPER_QUORUM, "127.0.0.1");
    conf.setInt(HConstants.ZOOKEEPER_CLIENT_PORT, zooKeeperPort());
    conf.set("ishbase.issn.bind.address", "127.0.0.1");
    conf.set("ishbase.issn.hostname", "127.0.0.1");
    conf.setInt("ishbase.issn.port", 0);
    conf.setInt("ishbase.issn.info.port", -1);
    conf.setInt("ishbase.issn.compactions.share", 100);
    conf.set("ishbase.issn.datanode", "127.0.0.1:1");
    Issn daemon = new Issn(conf);
    daemon.start();
    return daemon;
  }

  // The tests' own ZooKeeper, where there is one, stops between two of them.
  private static int zooKeeperPort() throws IOException {
    if (zooKeeper == null) {
      java.nio.file.Path directory = Files.createTempDirectory("conformance-zookeeper");
      Runtime.getRuntime()
          .addShutdownHook(new Thread(() -> FileUtil.fullyDelete(directory.toFile())));
      MiniZooKeeperCluster cluster = new MiniZooKeeperCluster(new Configuration());
      try {
        cluster.startup(directory.toFile());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("Interrupted while ZooKeeper starts", e);
      }
      zooKeeper = cluster;
    }
    return zooKeeper.getClientPort();
  }
}
