package io.ishbase.plugin.scan;

import io.ishbase.core.cache.memory.Columns;
import io.ishbase.plugin.hbase.RowLimit;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.util.NavigableSet;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.io.TimeRange;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.jspecify.annotations.Nullable;

/**
 * What a read asks for, the same for all of its node scanners.
 *
 * @param slice the columns to which a Get's filter keeps, of those that it names; null: it does
 *     not, or this is a scan
 * @param rowLimit rows that the client takes
 * @param multiGet what the Get is a part of; null if it is alone, or a scan
 * @param firstBatchBytes of the first answer to a scan, and of every answer when buffers are short
 * @param maxBatchBytes of any answer
 * @param isMob whether the family may have large objects in MOB files
 * @param cacheCutOff if what such reads fetch goes into the segment cache, while another may be
 *     fetching what this one wants: the timestamp before which it may lack what has expired; {@link
 *     #UNCACHED}: it does not go there
 */
public record ReadSpec(
    Scan scan,
    RegionInfo region,
    ScanInfo family,
    @Nullable NavigableSet<byte[]> columns,
    @Nullable Columns slice,
    long readPoint,
    RowLimit rowLimit,
    @Nullable MultiGet multiGet,
    int firstBatchBytes,
    int maxBatchBytes,
    boolean isMob,
    long cacheCutOff) {
  /** That nothing goes into the segment cache. */
  public static final long UNCACHED = Long.MAX_VALUE;

  /** Of all rows and columns of {@code region}, without a limit: what only looks for files. */
  public static ReadSpec ofAll(RegionInfo region, ScanInfo family, long readPoint) {
    return new ReadSpec(
        new Scan(),
        region,
        family,
        null,
        null,
        readPoint,
        RowLimit.UNKNOWN,
        null,
        0,
        0,
        false,
        UNCACHED);
  }

  /** Whether what such reads fetch goes into the segment cache. */
  boolean fills() {
    return cacheCutOff != UNCACHED;
  }

  /** The time range of the scan in the family. */
  public TimeRange times() {
    TimeRange ofFamily = scan.getColumnFamilyTimeRange().get(family.getFamily());
    return ofFamily == null ? scan.getTimeRange() : ofFamily;
  }

  /**
   * The scan's rows, as far as they are the region's. HBase's reader of half a file does not always
   * stop at the half's end after a seek.
   */
  public RowRange range() {
    RowRange.Builder range = RowRange.newBuilder();
    if (scan.getStartRow().length > 0) {
      range.setStartRow(bytes(scan.getStartRow()));
      if (!scan.includeStartRow()) {
        range.setIncludeStart(false);
      }
    }
    byte[] stop = scan.getStopRow();
    boolean includeStop = scan.includeStopRow();
    byte[] border = scan.isReversed() ? region.getStartKey() : region.getEndKey();
    if (border.length > 0 && !scan.isGetScan()) {
      int order = stop.length == 0 ? 1 : Bytes.compareTo(stop, border);
      if (stop.length == 0 || (scan.isReversed() ? order < 0 : order >= 0)) {
        stop = border;
        includeStop = scan.isReversed();
      }
    }
    if (stop.length > 0) {
      range.setStopRow(bytes(stop)).setIncludeStop(includeStop);
    }
    return range.build();
  }

  private static ByteString bytes(byte[] bytes) {
    return UnsafeByteOperations.unsafeWrap(bytes);
  }
}
