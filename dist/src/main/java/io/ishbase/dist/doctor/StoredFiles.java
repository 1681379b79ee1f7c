package io.ishbase.dist.doctor;

import io.ishbase.dist.doctor.ClusterFacts.Files;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;

/** What HDFS says of HBase's files and of DataNodes. */
final class StoredFiles {
  private static final Pattern STORE_FILE =
      Pattern.compile(".*/([0-9a-f]{32})/([^./][^/]*)/([0-9a-f]{32}(?:_SeqId_\\d+_)?)");

  /** Of a region's files: how many bytes of them are where. */
  private static final class Places {
    private final Map<String, Long> byDaemon = new TreeMap<>();
    private long bytes;
    private long withoutDaemon;

    void add(LocatedFileStatus file, BlockLocation block, Set<String> atDaemons)
        throws IOException {
      List<String> holders =
          holders(file, block).stream().filter(atDaemons::contains).distinct().toList();
      holders.forEach(holder -> byDaemon.merge(holder, block.getLength(), Long::sum));
      bytes += block.getLength();
      withoutDaemon += holders.isEmpty() ? block.getLength() : 0;
    }

    Locality.Region of(String region) {
      long together = byDaemon.values().stream().mapToLong(Long::longValue).max().orElse(0);
      return new Locality.Region(region, bytes, together, withoutDaemon);
    }
  }

  /** Said where {@code hbase.rootdir} is not known. */
  static final String NO_ROOT =
      "No region server's page says where the files are: name the directory of the cluster's"
          + " hbase-site.xml by --hbase-conf";

  /** Of a table so many files are looked at. */
  private static final int MOST_FILES = 1000;

  private final Configuration conf;

  /** A file of which the DataNode at that address, {@code ip:port}, has a block. */
  private final Map<String, Path> examples = new ConcurrentHashMap<>();

  /** Of DataNodes that live, by what HDFS calls them. */
  private final Map<String, String> addresses = new ConcurrentHashMap<>();

  StoredFiles(Configuration conf) {
    this.conf = conf;
  }

  private Path root() throws IOException {
    if (conf.get(HConstants.HBASE_DIR) == null) {
      throw new IOException(NO_ROOT);
    }
    try {
      return CommonFSUtils.getRootDir(conf);
    } catch (IllegalArgumentException e) {
      throw new IOException(
          "No hdfs-site.xml names the NameNodes of hbase.rootdir = "
              + conf.get("hbase.rootdir")
              + ": its directory is --hadoop-conf",
          e);
    }
  }

  /** Addresses of the DataNodes that live; HDFS tells them to its superuser. */
  List<String> dataNodes() throws IOException {
    Path root = root();
    FileSystem fs = root.getFileSystem(conf);
    if (!(fs instanceof DistributedFileSystem hdfs)) {
      throw new IOException("hbase.rootdir = " + root + " is not on HDFS");
    }
    List<String> live = new ArrayList<>();
    for (DatanodeInfo dataNode : hdfs.getDataNodeStats(DatanodeReportType.LIVE)) {
      live.add(dataNode.getXferAddr());
      addresses.put(dataNode.getHostName() + ":" + dataNode.getXferPort(), dataNode.getXferAddr());
    }
    Collections.sort(live);
    return live;
  }

  /**
   * The address that HDFS has of a DataNode that it calls {@code name}, of those that were seen.
   *
   * @param other where it has called none so
   */
  String address(String name, String other) {
    return addresses.getOrDefault(name, other);
  }

  /**
   * Where a table's files lie.
   *
   * @param atDaemons addresses of the DataNodes that have a daemon
   */
  Files of(TableName table, Set<String> atDaemons) throws IOException {
    Path root = root();
    FileSystem fs = root.getFileSystem(conf);
    RemoteIterator<LocatedFileStatus> all =
        fs.listFiles(CommonFSUtils.getTableDir(root, table), true);
    long blocks = 0;
    long near = 0;
    int files = 0;
    while (all.hasNext() && files < MOST_FILES) {
      LocatedFileStatus file = all.next();
      if (!STORE_FILE.matcher(file.getPath().toUri().getPath()).matches()) {
        continue;
      }
      files++;
      for (BlockLocation block : file.getBlockLocations()) {
        blocks++;
        List<String> holders = holders(file, block);
        near += holders.stream().anyMatch(atDaemons::contains) ? 1 : 0;
        holders.forEach(holder -> examples.putIfAbsent(holder, file.getPath()));
      }
    }
    return new Files(blocks, near);
  }

  /**
   * Where the files of a table's regions lie. References and links to files of other regions do not
   * count: these are elsewhere by their nature, until a compaction.
   *
   * @param atDaemons addresses of the DataNodes that have a daemon
   * @param seen is told of each file
   */
  List<Locality.Region> regions(TableName table, Set<String> atDaemons, Runnable seen)
      throws IOException {
    Path root = root();
    FileSystem fs = root.getFileSystem(conf);
    RemoteIterator<LocatedFileStatus> all =
        fs.listFiles(CommonFSUtils.getTableDir(root, table), true);
    Map<String, Places> byRegion = new TreeMap<>();
    while (all.hasNext()) {
      LocatedFileStatus file = all.next();
      Matcher name = STORE_FILE.matcher(file.getPath().toUri().getPath());
      if (!name.matches()) {
        continue;
      }
      seen.run();
      Places places = byRegion.computeIfAbsent(name.group(1), region -> new Places());
      for (BlockLocation block : file.getBlockLocations()) {
        places.add(file, block, atDaemons);
      }
    }
    return byRegion.entrySet().stream()
        .map(region -> region.getValue().of(region.getKey()))
        .toList();
  }

  /** Of a stripe each DataNode has a part only, so nobody has it whole. */
  private static List<String> holders(LocatedFileStatus file, BlockLocation block)
      throws IOException {
    List<String> holders = new ArrayList<>();
    String[] names = block.getNames();
    String[] hosts = block.getHosts();
    for (int i = 0; i < names.length && !file.isErasureCoded(); i++) {
      holders.add(names[i]);
      if (i < hosts.length) {
        // Here the name may be looked up as another address of the same machine.
        holders.add(hosts[i] + names[i].substring(names[i].lastIndexOf(':')));
      }
    }
    return holders;
  }

  /** A file for the daemon beside a DataNode to read, by its path; empty if none was seen. */
  String example(String dataNode) {
    Path beside = examples.get(dataNode);
    Path any = beside != null ? beside : examples.values().stream().findFirst().orElse(null);
    return any == null ? "" : any.toUri().getPath();
  }
}
