package io.ishbase.plugin.regionserver.compaction;

import io.ishbase.core.Setting;
import io.ishbase.core.compaction.Placement;
import io.ishbase.core.compaction.Worker;
import io.ishbase.plugin.regionserver.StorageNode;
import io.ishbase.plugin.regionserver.StorageNodes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;

/** Who could carry out a compaction, by what the daemons last said of themselves. */
final class Workers {
  private Workers() {}

  /** The free ones, the best first. */
  static List<StorageNode> ranked(
      StorageNodes nodes, HStore store, Configuration conf, CompactionRequestImpl request) {
    Map<Worker, StorageNode> admitted =
        nodes.live().stream()
            .filter(nodes::admitsCompactions)
            .collect(Collectors.toMap(StorageNode::worker, Function.identity()));
    Map<String, Long> held = new HashMap<>();
    for (HStoreFile file : request.getFiles()) {
      List<String> holders = nodes.holders(store.getFileSystem(), file.getPath());
      for (StorageNode node : admitted.values()) {
        if (holders.contains(node.dataNodeIp())) {
          held.merge(node.name(), file.getReader().length(), Long::sum);
        }
      }
    }
    return new Placement((long) Setting.COMPACTION_NETWORK.integer(conf::get) << 20)
        .rank(admitted.keySet(), request.getSize(), held).stream().map(admitted::get).toList();
  }
}
