package io.ishbase.it.metamorphic;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.shaded.protobuf.ProtobufUtil;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Gets and scans of a table at its regions themselves. A scan by a client is calls above all, where
 * one brings few rows. What only calls have means nothing here: how many rows or bytes one brings,
 * and parts of rows.
 */
final class RegionTable {
  /** One who is given a result, and is done with its cells when he returns. */
  interface Reader {
    void read(Result result);
  }

  private final Supplier<List<HRegion>> regions;

  /**
   * @param regions those that are served, in their order
   */
  RegionTable(Supplier<List<HRegion>> regions) {
    this.regions = regions;
  }

  // A filter keeps what it has seen: as from a client, each region gets one of its own.

  Result get(Get get) throws IOException {
    for (HRegion region : regions.get()) {
      if (region.getRegionInfo().containsRow(get.getRow())) {
        Result result = region.get(ProtobufUtil.toGet(ProtobufUtil.toGet(get)));
        return get.isCheckExistenceOnly() ? Result.create(null, !result.isEmpty()) : result;
      }
    }
    throw new IOException("No region has the row " + Bytes.toStringBinary(get.getRow()));
  }

  void scan(Scan scan, Reader reader) throws IOException {
    List<HRegion> inOrder = new ArrayList<>(regions.get());
    if (scan.isReversed()) {
      Collections.reverse(inOrder);
    }
    int rest = scan.getLimit() > 0 ? scan.getLimit() : Integer.MAX_VALUE;
    for (HRegion region : inOrder) {
      RegionInfo info = region.getRegionInfo();
      if (!isOver(scan, info)) {
        Scan ofRegion = ProtobufUtil.toScan(ProtobufUtil.toScan(scan));
        if (!begin(ofRegion, info)) {
          continue;
        }
        try (RegionScanner scanner = region.getScanner(ofRegion)) {
          boolean hasMore = true;
          while (hasMore && rest > 0) {
            List<Cell> cells = new ArrayList<>();
            hasMore = scanner.next(cells);
            if (!cells.isEmpty()) {
              reader.read(Result.create(cells));
              rest--;
            }
          }
          if (rest == 0 || scanner.isFilterDone()) {
            return;
          }
        }
      }
    }
  }

  /** Whether the scan has ended before the region. */
  private static boolean isOver(Scan scan, RegionInfo region) {
    byte[] stop = scan.getStopRow();
    byte[] end = region.getEndKey();
    if (stop.length == 0) {
      return false;
    }
    return scan.isReversed()
        ? end.length > 0 && Bytes.compareTo(end, stop) <= 0
        : Bytes.compareTo(region.getStartKey(), stop) > (scan.includeStopRow() ? 0 : -1);
  }

  /** Has the scan begin in the region, or says that it begins behind. */
  private static boolean begin(Scan scan, RegionInfo region) {
    byte[] start = scan.getStartRow();
    byte[] first = region.getStartKey();
    byte[] end = region.getEndKey();
    if (scan.isReversed()) {
      if (end.length > 0 && (start.length == 0 || Bytes.compareTo(start, end) >= 0)) {
        scan.withStartRow(end, false);
      }
      return start.length == 0 || Bytes.compareTo(start, first) >= 0;
    }
    if (Bytes.compareTo(start, first) < 0) {
      scan.withStartRow(first, true);
    }
    return end.length == 0 || Bytes.compareTo(start, end) < 0;
  }
}
