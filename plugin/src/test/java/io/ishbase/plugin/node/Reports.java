package io.ishbase.plugin.node;

import io.ishbase.testing.Await;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;

/** Loads as storage daemons would report them. */
public final class Reports {
  private Reports() {}

  /** Nobody is greeted any more. */
  public static void gone(Configuration conf) {
    StorageNodes.of(conf).changed(List.of());
  }

  /** Waits until all daemons have begun alike: of two, who is met later is spared. */
  public static void awaitMet(Configuration conf) {
    StorageNodes nodes = StorageNodes.of(conf);
    Await.until("a greeting to each", () -> nodes.client().remembered() == nodes.live().size());
  }

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
