package io.ishbase.daemon.compaction;

import io.ishbase.protocol.CompactionLayout;
import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.ishbase.protocol.generated.CompactionProtos.StoragePolicy;
import io.ishbase.protocol.generated.CompactionProtos.Stripes;
import io.ishbase.protocol.generated.CompactionProtos.StripesBySize;
import io.ishbase.protocol.generated.CompactionProtos.Windows;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.compactions.StripeCompactor;
import org.apache.hadoop.hbase.regionserver.throttle.ThroughputController;
import org.apache.hadoop.hbase.security.User;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;

/**
 * The compactor of HBase that divides what it writes as the region server's would. It uses no other
 * part of the engine that it belongs to.
 */
final class LayoutCompactor {
  private final CompactRequest request;
  private final HStore store;

  LayoutCompactor(CompactRequest request, HStore store) {
    this.request = request;
    this.store = store;
  }

  /** Compacts; returns the paths of what it has written. */
  List<Path> compact(CompactionRequestImpl compaction, ThroughputController throttle)
      throws IOException {
    return switch (request.getLayoutCase()) {
      case WINDOWS -> byTime(request.getWindows(), compaction, throttle);
      case STRIPES -> byRow(request.getStripes(), compaction, throttle);
      default -> AttemptStore.compactor(store).compact(compaction, throttle, User.getCurrent());
    };
  }

  private List<Path> byTime(
      Windows windows, CompactionRequestImpl compaction, ThroughputController throttle)
      throws IOException {
    Map<Long, String> policies =
        windows.getPolicyList().stream()
            .collect(
                Collectors.toMap(
                    StoragePolicy::getFrom, StoragePolicy::getName, (first, second) -> second));
    if (windows.getNeverEmpty() && store instanceof CompactionStore own) {
      own.hasAsNewest(compaction.getFiles());
    }
    return new CompactionScanner.ByTime(store.getReadOnlyConfiguration(), store)
        .compact(compaction, windows.getFromList(), policies, throttle, User.getCurrent());
  }

  private List<Path> byRow(
      Stripes stripes, CompactionRequestImpl compaction, ThroughputController throttle)
      throws IOException {
    byte[] majorFrom = stripes.hasMajorFrom() ? stripes.getMajorFrom().toByteArray() : null;
    byte[] majorTo = stripes.hasMajorTo() ? stripes.getMajorTo().toByteArray() : null;
    StripeCompactor compactor =
        new CompactionScanner.ByRow(store.getReadOnlyConfiguration(), store);
    if (!stripes.hasBySize()) {
      List<byte[]> boundaries =
          stripes.getBoundaryList().stream().map(ByteString::toByteArray).toList();
      return compactor.compact(
          compaction, boundaries, majorFrom, majorTo, throttle, User.getCurrent());
    }
    StripesBySize bySize = stripes.getBySize();
    return compactor.compact(
        compaction,
        // HBase says as many as it takes when it compacts halves of files. Where the last file
        // takes the rest, nothing is wrong: HBase divides a stripe that is too large.
        Math.min(bySize.getCount(), CompactionLayout.MAX_FILES),
        bySize.getCells(),
        bySize.getLeft().toByteArray(),
        bySize.getRight().toByteArray(),
        majorFrom,
        majorTo,
        throttle,
        User.getCurrent());
  }
}
