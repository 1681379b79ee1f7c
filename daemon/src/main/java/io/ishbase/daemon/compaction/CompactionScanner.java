package io.ishbase.daemon.compaction;

import io.ishbase.protocol.SeekKeys;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.regionserver.ScanType;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.regionserver.StoreScanner;
import org.apache.hadoop.hbase.regionserver.compactions.DateTieredCompactor;
import org.apache.hadoop.hbase.regionserver.compactions.DefaultCompactor;
import org.apache.hadoop.hbase.regionserver.compactions.StripeCompactor;

/**
 * HBase's merge of a compaction, which comes to an end where HBase's does not ({@link SeekKeys}),
 * and HBase's compactors that merge so. The one for large objects makes its scanner itself.
 */
class CompactionScanner extends StoreScanner {
  CompactionScanner(
      HStore store,
      ScanInfo family,
      List<StoreFileScanner> scanners,
      ScanType type,
      long readPoint,
      long earliestPut)
      throws IOException {
    super(store, family, scanners, type, readPoint, earliestPut);
  }

  private CompactionScanner(
      HStore store,
      ScanInfo family,
      List<StoreFileScanner> scanners,
      long readPoint,
      long earliestPut,
      byte[] dropsDeletesFrom,
      byte[] dropsDeletesTo)
      throws IOException {
    super(store, family, scanners, readPoint, earliestPut, dropsDeletesFrom, dropsDeletesTo);
  }

  @Override
  public boolean reseek(Cell key) throws IOException {
    return super.reseek(SeekKeys.ahead(key));
  }

  /** Into one file. */
  static class Usual extends DefaultCompactor {
    Usual(Configuration conf, HStore store) {
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
      return new CompactionScanner(ofStore, family, scanners, type, readPoint, earliestPut);
    }
  }

  /** Into a file for each window of time. */
  static final class ByTime extends DateTieredCompactor {
    ByTime(Configuration conf, HStore store) {
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
      return new CompactionScanner(ofStore, family, scanners, type, readPoint, earliestPut);
    }
  }

  /** Into a file for each stripe of rows. */
  static final class ByRow extends StripeCompactor {
    ByRow(Configuration conf, HStore store) {
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
      return new CompactionScanner(ofStore, family, scanners, type, readPoint, earliestPut);
    }

    @Override
    protected InternalScanner createScanner(
        HStore ofStore,
        ScanInfo family,
        List<StoreFileScanner> scanners,
        long readPoint,
        long earliestPut,
        byte[] dropsDeletesFrom,
        byte[] dropsDeletesTo)
        throws IOException {
      return new CompactionScanner(
          ofStore, family, scanners, readPoint, earliestPut, dropsDeletesFrom, dropsDeletesTo);
    }
  }
}
