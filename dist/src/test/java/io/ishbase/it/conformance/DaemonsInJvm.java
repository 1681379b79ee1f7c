package io.ishbase.it.conformance;

import io.ishbase.daemon.Issn;
import io.ishbase.plugin.node.StorageNodes;
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
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.zookeeper.MiniZooKeeperCluster;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A daemon per file system and HBase root directory, in this JVM, for tests of HBase that know of
 * none. A region uses the daemon that was asked for last when it opened or compacts.
 */
final class DaemonsInJvm {
  private static final Logger LOG = LoggerFactory.getLogger(DaemonsInJvm.class);
  private static final Map<URI, Issn> DAEMONS = new HashMap<>();
  private static MiniZooKeeperCluster zooKeeper;
  private static URI current;

  private DaemonsInJvm() {}

  /**
   * Makes sure that a daemon reads the table in {@code tableDirectory} and that regions opened next
   * use it.
   *
   * @return {@code conf}
   */
  static synchronized Configuration beside(
      FileSystem fs, Path tableDirectory, Configuration conf, TableDescriptor table) {
    // A mock has none.
    URI uri = fs == null ? null : fs.getUri();
    if (uri == null || isSystem(table.getTableName())) {
      return conf;
    }
    URI root = root(uri, tableDirectory, table.getTableName());
    if (root.equals(current)) {
      return conf;
    }
    try {
      Issn daemon = DAEMONS.get(root);
      if (daemon == null) {
        daemon = start(uri, root, conf);
        DAEMONS.put(root, daemon);
      }
      CacheCounters.followNext();
      StorageNodes.useFixed(List.of(daemon.address()));
      current = root;
      return conf;
    } catch (IOException e) {
      throw new UncheckedIOException("No daemon beside " + root, e);
    }
  }

  /** Ends all daemons. */
  static synchronized void close() {
    for (Issn daemon : DAEMONS.values()) {
      try {
        daemon.close();
      } catch (IOException e) {
        LOG.warn("{} is not closed", daemon.address(), e);
      }
    }
    DAEMONS.clear();
    current = null;
  }

  // A worker finds files from HBase's root directory. Where a test has its table elsewhere, it
  // reads all the same, but nothing is offloaded.
  private static URI root(URI fs, Path tableDirectory, TableName table) {
    Path root = tableDirectory;
    for (int up = 0; up < 3 && root != null; up++) {
      root = root.getParent();
    }
    // Snapshots are restored to a relative path as well.
    if (root == null
        || !root.isUriPathAbsolute()
        || !CommonFSUtils.getTableDir(root, table).equals(tableDirectory)) {
      return fs.resolve("/");
    }
    // The master makes a table's first regions in a directory of its own.
    Path lasting = root.getName().equals(HConstants.HBASE_TEMP_DIRECTORY) ? root.getParent() : root;
    // Some tests' names have characters that no URI has.
    return new Path(fs.getScheme(), fs.getAuthority(), lasting.toUri().getPath()).toUri();
  }

  /** Whether no region of the table is ours. */
  static boolean isSystem(TableName table) {
    return table.isSystemTable() || table.getNameAsString().startsWith("master:");
  }

  private static Issn start(URI fs, URI root, Configuration regionConf) throws IOException {
    Configuration conf = new Configuration(regionConf);
    conf.set("fs.defaultFS", fs.toString());
    conf.set(HConstants.HBASE_DIR, root.toString());
    // A test that closes its file system must not close the daemon's.
    conf.setBoolean("fs.hdfs.impl.disable.cache", true);
    conf.set(HConstants.ZOOKEEPER_QUORUM, "127.0.0.1");
    conf.setInt(HConstants.ZOOKEEPER_CLIENT_PORT, zooKeeperPort());
    conf.set("ishbase.issn.bind.address", "127.0.0.1");
    conf.set("ishbase.issn.hostname", "127.0.0.1");
    conf.setInt("ishbase.issn.port", 0);
    conf.setInt("ishbase.issn.info.port", -1);
    conf.setInt("ishbase.issn.compactions", 4);
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
