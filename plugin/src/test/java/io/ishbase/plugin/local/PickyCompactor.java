package io.ishbase.plugin.local;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.regionserver.CellSink;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionProgress;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.compactions.DefaultCompactor;
import org.apache.hadoop.hbase.regionserver.throttle.ThroughputController;
import org.apache.hadoop.hbase.util.Bytes;

/** A compactor that drops the column {@code x}. */
public final class PickyCompactor extends DefaultCompactor {
  private static final byte[] DROPPED = Bytes.toBytes("x");

  /** As HBase makes it. */
  public PickyCompactor(Configuration conf, HStore store) {
    super(conf, store);
  }

  @Override
  protected boolean performCompaction(
      FileDetails details,
      InternalScanner scanner,
      CellSink writer,
      long smallestReadPoint,
      boolean cleanSeqId,
      ThroughputController throughput,
      CompactionRequestImpl request,
      CompactionProgress progress)
      throws IOException {
    return super.performCompaction(
        details,
        new Others(scanner),
        writer,
        smallestReadPoint,
        cleanSeqId,
        throughput,
        request,
        progress);
  }

  private record Others(InternalScanner all) implements InternalScanner {
    @Override
    @SuppressWarnings({"rawtypes", "unchecked"}) // as HBase declares it
    public boolean next(List result, ScannerContext context) throws IOException {
      boolean more = all.next(result, context);
      result.removeIf(cell -> CellUtil.matchingQualifier((Cell) cell, DROPPED));
      return more;
    }

    @Override
    public void close() throws IOException {
      all.close();
    }
  }
}
