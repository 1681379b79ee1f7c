package io.ishbase.plugin.prewarm;

import io.ishbase.core.cache.Ticket;
import io.ishbase.plugin.cache.CachedRows;
import io.ishbase.plugin.node.StorageNode;
import io.ishbase.plugin.scan.ReadContext;
import io.ishbase.plugin.scan.ReadPlan;
import io.ishbase.plugin.scan.ReadSpec;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileScannerAccess;
import org.jspecify.annotations.Nullable;

/**
 * A storage node that has all files of a store: what it answers may go into the segment cache.
 *
 * @param ticket taken before the files were listed
 * @param readPoint not before any cell of the files
 */
record WholeRows(
    StorageNode node, String directory, List<String> files, long readPoint, Ticket ticket) {
  /**
   * That of the store's present files.
   *
   * @return null if there is none that may be asked now
   */
  static @Nullable WholeRows of(
      HStore store, Prewarmed about, CachedRows cache, ReadContext context) throws IOException {
    Ticket ticket = cache.rows().ticket();
    List<StoreFileScanner> scanners;
    long readPoint;
    store.getStoreEngine().readLock();
    try {
      if (about.readsReplacedFiles()) {
        // Other reads may still see old files in their place.
        return null;
      }
      readPoint = store.getHRegion().getReadPoint(IsolationLevel.READ_COMMITTED);
      scanners =
          StoreFileScanner.getScannersForStoreFiles(
              store.getStorefiles(), true, true, false, false, readPoint);
    } finally {
      store.getStoreEngine().readUnlock();
    }
    try {
      ReadSpec read = ReadSpec.ofAll(store.getRegionInfo(), store.getScanInfo(), readPoint);
      ReadPlan plan = new ReadPlan(store, context, read, List.copyOf(scanners));
      if (!plan.isOneRequest()
          || scanners.stream()
              .anyMatch(file -> StoreFileScannerAccess.maxSequenceId(file) > readPoint)) {
        // Nobody tries the nodes.
        plan.drop();
        return null;
      }
      ReadPlan.Part part = plan.parts().iterator().next();
      return new WholeRows(part.node(), part.directory(), part.names(), readPoint, ticket);
    } finally {
      scanners.forEach(StoreFileScanner::close);
    }
  }

  /** A request for all cells, without ranges. */
  ReadRequest.Builder request(int maxBytes) {
    return ReadRequest.newBuilder()
        .setVersion(Protocol.VERSION)
        .setDirectory(directory)
        .addAllFile(files)
        .setReadPoint(readPoint)
        .setMaxBytes(maxBytes);
  }

  List<String> paths() {
    return files.stream().map(file -> directory + "/" + file).toList();
  }
}
