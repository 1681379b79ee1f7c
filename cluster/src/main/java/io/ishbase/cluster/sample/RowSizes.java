package io.ishbase.cluster.sample;

import java.io.IOException;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/** How large rows are, by some of them: the first ones of some regions. */
final class RowSizes {
  private static final int REGIONS = 8;
  private static final int ROWS = 16;
  private static final int MOST_BYTES = 1 << 20;

  private RowSizes() {}

  /** The mean of each region that was looked into, keys included. */
  static Optional<Spread> of(Connection connection, TableName name) throws IOException {
    DoubleSummaryStatistics means = new DoubleSummaryStatistics();
    try (Table table = connection.getTable(name);
        RegionLocator locator = connection.getRegionLocator(name)) {
      List<HRegionLocation> regions = locator.getAllRegionLocations();
      int looked = Math.min(REGIONS, regions.size());
      for (int i = 0; i < looked; i++) {
        HRegionLocation region = regions.get((int) ((long) i * regions.size() / looked));
        double mean = mean(table, region.getRegion().getStartKey(), region.getRegion().getEndKey());
        if (mean > 0) {
          means.accept(mean);
        }
      }
    }
    return Spread.of(means);
  }

  private static double mean(Table table, byte[] start, byte[] end) throws IOException {
    Scan scan =
        new Scan()
            .withStartRow(start)
            .withStopRow(end)
            .setLimit(ROWS)
            .setMaxResultSize(MOST_BYTES)
            .setAllowPartialResults(true)
            .setCacheBlocks(false);
    double bytes = 0;
    int rows = 0;
    try (ResultScanner parts = table.getScanner(scan)) {
      for (Result part = parts.next(); part != null; part = parts.next()) {
        for (Cell cell : part.rawCells()) {
          bytes += cell.getSerializedSize();
        }
        rows += part.mayHaveMoreCellsInRow() ? 0 : 1;
        if (bytes > MOST_BYTES) {
          break; // Of a very wide row, its beginning is enough.
        }
      }
    }
    return bytes / Math.max(1, rows);
  }
}
