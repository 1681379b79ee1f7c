package io.ishbase.plugin.snapshot;

import io.ishbase.core.Setting;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableSnapshotScanner;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.snapshot.SnapshotDescriptionUtils;
import org.apache.hadoop.hbase.snapshot.SnapshotDoesNotExistException;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;

/**
 * HBase's scanner of a snapshot, whose files the storage daemons read: they evaluate columns, time
 * ranges and filters, and only cells come to the client. No region server takes part. What daemons
 * do not answer is read from HDFS, as HBase's own scanner reads all of it.
 *
 * <p>The caller has to be able to read HBase's files, and to write below a directory for links to
 * them. A table of which the snapshot says {@code ishbase.read=stock} is read as HBase does; else a
 * scan that has no attribute {@code ishbase.read} is read in-storage. For use by one thread.
 *
 * <p>What a process knows of a cluster's storage nodes it keeps until it ends, connections of the
 * user who scanned first included: a service that acts for several users is told apart by HDFS, not
 * by the daemons.
 */
public final class InStorageSnapshotScanner extends TableSnapshotScanner {
  /**
   * Scans a snapshot of the cluster that {@code conf} names.
   *
   * @param conf a client's, with {@code hbase.rootdir}, HDFS and the ZooKeeper ensemble; stays as
   *     it is
   * @param restoreDirectory where links to the snapshot's files are made and deleted again, in a
   *     directory of their own; of the same file system as the HBase root, and not below it
   * @param scan stays as it is
   * @throws SnapshotDoesNotExistException if there is no such snapshot
   */
  public InStorageSnapshotScanner(
      Configuration conf, Path restoreDirectory, String snapshot, Scan scan) throws IOException {
    this(conf, CommonFSUtils.getRootDir(conf), restoreDirectory, snapshot, scan);
  }

  /**
   * The same of another HBase root.
   *
   * @param root of the cluster whose daemons {@code conf} names by its ZooKeeper ensemble
   */
  public InStorageSnapshotScanner(
      Configuration conf, Path root, Path restoreDirectory, String snapshot, Scan scan)
      throws IOException {
    super(inStorage(conf), root, restoreDirectory, existing(conf, root, snapshot), inStorage(scan));
  }

  private static Configuration inStorage(Configuration conf) {
    Configuration inStorage = new Configuration(conf);
    inStorage.setClass(HConstants.REGION_IMPL, SnapshotRegion.class, HRegion.class);
    return inStorage;
  }

  private static Scan inStorage(Scan scan) throws IOException {
    Scan inStorage = new Scan(scan);
    if (scan.getAttribute(Setting.READ.key()) == null) {
      inStorage.setAttribute(Setting.READ.key(), Bytes.toBytes("in-storage"));
    }
    return inStorage;
  }

  private static String existing(Configuration conf, Path root, String snapshot)
      throws IOException {
    Path directory = SnapshotDescriptionUtils.getCompletedSnapshotDir(snapshot, root);
    if (!root.getFileSystem(conf).exists(directory)) {
      throw new SnapshotDoesNotExistException(
          "There is no snapshot '" + snapshot + "' below " + root);
    }
    return snapshot;
  }
}
