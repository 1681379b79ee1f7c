package io.ishbase.plugin.compaction;

import io.ishbase.protocol.generated.CompactionProtos.StoragePolicy;
import io.ishbase.protocol.generated.CompactionProtos.Windows;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.StoreUtils;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionProgress;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.compactions.DateTieredCompactor;
import org.apache.hadoop.hbase.regionserver.throttle.ThroughputController;
import org.apache.hadoop.hbase.security.User;

/**
 * HBase's date-tiered compactor, which has compactions carried out by storage daemons: {@link
 * Offload}. A daemon is told the windows that HBase's policy chose.
 */
final class OffloadingDateTieredCompactor extends DateTieredCompactor {
  private final Offload offload;

  OffloadingDateTieredCompactor(Configuration conf, HStore store) {
    super(conf, store);
    this.offload = new Offload(conf, store);
  }

  @Override
  public List<Path> compact(
      CompactionRequestImpl request,
      List<Long> lowerBoundaries,
      Map<Long, String> lowerBoundariesPolicies,
      ThroughputController throughput,
      User user)
      throws IOException {
    return offload.compact(
        request,
        asked ->
            asked.setWindows(
                windows(lowerBoundaries, lowerBoundariesPolicies, hasNewestFile(request))),
        throughput,
        user,
        () -> super.compact(request, lowerBoundaries, lowerBoundariesPolicies, throughput, user));
  }

  /** As HBase decides it that there must be a file: one carries on the greatest sequence id. */
  private boolean hasNewestFile(CompactionRequestImpl request) {
    OptionalLong newest = StoreUtils.getMaxSequenceIdInList(request.getFiles());
    return newest.isPresent() && newest.equals(store.getMaxSequenceId());
  }

  private static Windows windows(
      List<Long> lowerBoundaries, Map<Long, String> policies, boolean neverEmpty) {
    Windows.Builder windows =
        Windows.newBuilder().addAllFrom(lowerBoundaries).setNeverEmpty(neverEmpty);
    for (Long from : lowerBoundaries) {
      String policy = policies.get(from);
      if (policy != null) {
        windows.addPolicy(StoragePolicy.newBuilder().setFrom(from).setName(policy));
      }
    }
    return windows.build();
  }

  @Override
  public CompactionProgress getProgress() {
    return offload.progress(super.getProgress());
  }

  @Override
  public boolean isCompacting() {
    return offload.isCompacting() || super.isCompacting();
  }
}
