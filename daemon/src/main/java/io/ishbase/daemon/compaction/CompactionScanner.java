package io.ishbase.daemon.compaction;

import io.ishbase.protocol.SeekKeys;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.regionserver.ScanType;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.regionserver.StoreScanner;

/** HBase's merge of a compaction, which comes to an end where HBase's does not. */
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

  @Override
  public boolean reseek(Cell key) throws IOException {
    return super.reseek(SeekKeys.ahead(key));
  }
}
