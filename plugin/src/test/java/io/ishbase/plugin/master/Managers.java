package io.ishbase.plugin.master;

import io.ishbase.core.compaction.CompactionQueue;
import io.ishbase.core.compaction.Placement;
import io.ishbase.core.compaction.Worker;
import io.ishbase.plugin.node.StorageNode;
import io.ishbase.plugin.node.StorageNodes;
import io.ishbase.protocol.generated.CompactionProtos.ManagerService;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hbase.thirdparty.com.google.protobuf.BlockingService;

/** A manager's service without its server. */
public final class Managers {
  private Managers() {}

  /** One that knows some workers, which begin nothing. */
  public static BlockingService overWorkers(Configuration conf, int workers) throws IOException {
    List<StorageNode> nodes = new ArrayList<>();
    for (int i = 1; i <= workers; i++) {
      ServerName name = ServerName.valueOf("node" + i, 1, 1);
      Worker worker = new Worker(name.toString(), 2, 0, 0, 1L << 30, 0, 0, 0, false, 0);
      nodes.add(
          new StorageNode(
              name, "node" + i + ":2", "node" + i + ":2", 0, true, worker, 0, true, true));
    }
    StorageNodes.useFixed(nodes, null);
    return ManagerService.newReflectiveBlockingService(
        new ManagerEndpoint(
            StorageNodes.of(conf), new CompactionQueue(new Placement(100 << 20)), conf));
  }
}
