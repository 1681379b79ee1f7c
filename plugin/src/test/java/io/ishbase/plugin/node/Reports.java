package io.ishbase.plugin.node;

import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;

/** Loads as storage daemons would report them. */
public final class Reports {
  private Reports() {}

  /** Reports {@code busy} to be busy, and the others to be idle. */
  public static void onlyBusy(Configuration conf, ServerName busy) {
    StorageNodes nodes = StorageNodes.of(conf);
    List<StorageNode> reported =
        nodes.live().stream()
            .map(
                node ->
                    new StorageNode(
                        node.address(),
                        node.dataNode(),
                        node.dataNodeIp(),
                        node.address().equals(busy) ? 90 : 10,
                        node.scans(),
                        node.worker(),
                        node.sharedReads(),
                        node.aggregates(),
                        node.knowsHandles()))
            .toList();
    nodes.changed(reported);
  }
}
