package io.ishbase.dist.doctor;

import io.ishbase.plugin.node.StorageNode;
import io.ishbase.protocol.generated.IssnProtos.DaemonInfo;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;

/**
 * How much of a table lies so that a read needs one daemon: all files of a region on a DataNode
 * that has one.
 */
public final class Locality {
  private final StoredFiles files;
  private final Set<String> atDaemons = new TreeSet<>();
  private final Set<String> unknown = new TreeSet<>();

  /**
   * A region that has files.
   *
   * @param name its encoded name
   * @param bytes of its files
   * @param together of these, what the one DataNode with a daemon holds that holds most of them
   * @param withoutDaemon of these, what no DataNode with a daemon holds
   */
  public record Region(String name, long bytes, long together, long withoutDaemon) {
    /** Whether one daemon can read all of it where it lies. */
    public boolean isWhole() {
      return together == bytes;
    }
  }

  /**
   * By the daemons that are registered now.
   *
   * @param conf a client's of HBase and of HDFS
   * @throws IOException if ZooKeeper does not answer
   */
  public Locality(Configuration conf) throws IOException {
    files = new StoredFiles(conf);
    for (Map.Entry<String, DaemonInfo> daemon : RegistryReader.read(conf).daemons().entrySet()) {
      if (RegistryReader.fault(daemon.getKey(), daemon.getValue()).isEmpty()) {
        String dataNode = DaemonLook.dataNode(daemon.getValue());
        if (StorageNode.needsLookup(dataNode)) {
          unknown.add(dataNode);
        } else if (!dataNode.isEmpty()) {
          atDaemons.add(dataNode);
          // What HDFS calls it, where this machine looks it up as another address.
          atDaemons.add(daemon.getValue().getDatanode());
        }
      }
    }
  }

  /**
   * DataNodes that have a daemon and a name that cannot be looked up here: not among the others.
   */
  public Set<String> unknown() {
    return unknown;
  }

  /** Whether any DataNode has a daemon. */
  public boolean hasDaemons() {
    return !atDaemons.isEmpty();
  }

  /**
   * The regions of a table that have files, by their names.
   *
   * @param seen is told of each file
   */
  public List<Region> of(TableName table, Runnable seen) throws IOException {
    return files.regions(table, atDaemons, seen);
  }
}
