package io.ishbase.daemon.compaction;

import io.ishbase.protocol.ReleaseAdapter;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.regionserver.CellSink;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.regionserver.ScanType;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionProgress;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.throttle.ThroughputController;

/**
 * HBase's compactor, which copies blocks as they lie where merging them would give the same cells;
 * see {@link CopyingScanner}. Where it cannot, it is HBase's.
 */
final class CopyingCompactor extends CompactionScanner.Usual {
  CopyingCompactor(Configuration conf, HStore store) {
    super(conf, store);
  }

  @Override
  protected InternalScanner createScanner(
      HStore ofStore,
      ScanInfo family,
      List<StoreFileScanner> scanners,
      ScanType type,
      long readPoint,
      long earliestPut)
      throws IOException {
    return ofStore.getCoprocessorHost() == null
            && ReleaseAdapter.isInnerStoreComparator(family.getComparator())
            && CopyTarget.isPossible(ofStore.getColumnFamilyDescriptor(), conf)
        ? new CopyingScanner(ofStore, family, scanners, type, readPoint, earliestPut)
        : super.createScanner(ofStore, family, scanners, type, readPoint, earliestPut);
  }

  @Override
  protected boolean performCompaction(
      FileDetails details,
      InternalScanner scanner,
      CellSink writer,
      long readPoint,
      boolean cleansSequenceIds,
      ThroughputController throttle,
      CompactionRequestImpl request,
      CompactionProgress progress)
      throws IOException {
    if (scanner instanceof CopyingScanner copying
        && writer instanceof StoreFileWriter file
        && throttle instanceof JobThrottle ofJob) {
      copying.copyInto(
          CopyTarget.of(
              file,
              copying.scanners(),
              conf,
              store.getScanInfo(),
              cleansSequenceIds ? readPoint : StayingCells.KEEPS_SEQUENCE_IDS,
              ofJob,
              progress));
    }
    return super.performCompaction(
        details, scanner, writer, readPoint, cleansSequenceIds, throttle, request, progress);
  }
}
