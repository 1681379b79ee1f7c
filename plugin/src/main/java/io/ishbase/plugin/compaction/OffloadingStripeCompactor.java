package io.ishbase.plugin.compaction;

import io.ishbase.protocol.generated.CompactionProtos.Stripes;
import io.ishbase.protocol.generated.CompactionProtos.StripesBySize;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionProgress;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.compactions.StripeCompactor;
import org.apache.hadoop.hbase.regionserver.throttle.ThroughputController;
import org.apache.hadoop.hbase.security.User;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * HBase's stripe compactor, which has compactions carried out by storage daemons: {@link Offload}.
 * A daemon is told the stripes that HBase's policy chose.
 */
final class OffloadingStripeCompactor extends StripeCompactor {
  private final Offload offload;

  OffloadingStripeCompactor(Configuration conf, HStore store) {
    super(conf, store);
    this.offload = new Offload(conf, store);
  }

  @Override
  public List<Path> compact(
      CompactionRequestImpl request,
      List<byte[]> targetBoundaries,
      byte @Nullable [] majorRangeFromRow,
      byte @Nullable [] majorRangeToRow,
      ThroughputController throughput,
      User user)
      throws IOException {
    return offload.compact(
        request,
        asked -> {
          Stripes.Builder stripes = stripes(majorRangeFromRow, majorRangeToRow);
          targetBoundaries.forEach(row -> stripes.addBoundary(ByteString.copyFrom(row)));
          asked.setStripes(stripes);
        },
        throughput,
        user,
        () ->
            super.compact(
                request, targetBoundaries, majorRangeFromRow, majorRangeToRow, throughput, user));
  }

  @Override
  public List<Path> compact(
      CompactionRequestImpl request,
      int targetCount,
      long targetCells,
      byte[] left,
      byte[] right,
      byte @Nullable [] majorRangeFromRow,
      byte @Nullable [] majorRangeToRow,
      ThroughputController throughput,
      User user)
      throws IOException {
    return offload.compact(
        request,
        asked ->
            asked.setStripes(
                stripes(majorRangeFromRow, majorRangeToRow)
                    .setBySize(
                        StripesBySize.newBuilder()
                            .setCount(targetCount)
                            .setCells(targetCells)
                            .setLeft(ByteString.copyFrom(left))
                            .setRight(ByteString.copyFrom(right)))),
        throughput,
        user,
        () ->
            super.compact(
                request,
                targetCount,
                targetCells,
                left,
                right,
                majorRangeFromRow,
                majorRangeToRow,
                throughput,
                user));
  }

  private static Stripes.Builder stripes(byte @Nullable [] majorFrom, byte @Nullable [] majorTo) {
    Stripes.Builder stripes = Stripes.newBuilder();
    if (majorFrom != null && majorTo != null) {
      stripes.setMajorFrom(ByteString.copyFrom(majorFrom)).setMajorTo(ByteString.copyFrom(majorTo));
    }
    return stripes;
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
