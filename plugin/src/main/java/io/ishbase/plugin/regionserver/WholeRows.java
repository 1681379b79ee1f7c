package io.ishbase.plugin.regionserver;

import io.ishbase.core.cache.Ticket;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileScannerAccess;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;

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
  static WholeRows of(InStorageStore store, CachedStore cache, StorageNodes nodes)
      throws IOException {
    Ticket ticket = cache.rows().ticket();
    List<StoreFileScanner> scanners;
    long readPoint;
    store.getStoreEngine().readLock();
    try {
      if (store.warmUps().current() != null) {
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
      NodeRead read =
          new NodeRead(
              new Scan(),
              store.getRegionInfo(),
              store.getScanInfo(),
              null,
              readPoint,
              0,
              null,
              0,
              0,
              null,
              null,
              null);
      ReadPlan plan = new ReadPlan(store, nodes, read, List.copyOf(scanners));
      if (!plan.isOneRequest()
          || scanners.stream()
              .anyMatch(file -> StoreFileScannerAccess.maxSequenceId(file) > readPoint)) {
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

  /** The rows from {@code from} on, before {@code to}; null: to the last. */
  static RowRange range(byte[] from, byte[] to) {
    RowRange.Builder range =
        RowRange.newBuilder().setStartRow(UnsafeByteOperations.unsafeWrap(from));
    if (to != null) {
      range.setStopRow(UnsafeByteOperations.unsafeWrap(to));
    }
    return range.build();
  }

  static RowRange range(byte[] row) {
    ByteString bytes = UnsafeByteOperations.unsafeWrap(row);
    return RowRange.newBuilder().setStartRow(bytes).setStopRow(bytes).setIncludeStop(true).build();
  }
}
