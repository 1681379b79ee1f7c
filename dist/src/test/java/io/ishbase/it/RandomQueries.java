package io.ishbase.it;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Random;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;

/** Gets and scans over the whole of HBase's options. */
final class RandomQueries {
  private final Random random;
  private final RandomCells cells;
  private final RandomFilters filters;
  private final boolean fill;

  RandomQueries(Random random, RandomCells cells) {
    this(random, cells, false);
  }

  /**
   * @param fill whether no query may be kept out of the segment cache by time ranges, or because it
   *     asks for that
   */
  RandomQueries(Random random, RandomCells cells, boolean fill) {
    this.random = random;
    this.cells = cells;
    this.fill = fill;
    this.filters = new RandomFilters(random, cells);
  }

  Get get() throws IOException {
    Get get = new Get(cells.row());
    if (random.nextBoolean()) {
      for (int i = 0; i <= random.nextInt(3); i++) {
        if (random.nextInt(4) == 0) {
          get.addFamily(cells.family());
        } else {
          get.addColumn(cells.family(), cells.qualifier());
        }
      }
    }
    get.readVersions(1 + random.nextInt(4));
    if (!fill && random.nextInt(3) == 0) {
      long from = cells.timestamp();
      get.setTimeRange(from, from + 1 + random.nextInt(20));
    }
    if (random.nextInt(4) == 0) {
      get.setMaxResultsPerColumnFamily(1 + random.nextInt(4));
      get.setRowOffsetPerColumnFamily(random.nextInt(3));
    }
    if (random.nextInt(3) == 0) {
      get.setFilter(filters.next());
    }
    get.setCacheBlocks(fill || random.nextBoolean());
    get.setIsolationLevel(isolation());
    get.setCheckExistenceOnly(random.nextInt(10) == 0);
    return get;
  }

  /** Gets for one call: most ask the same of different rows, some of the same row. */
  List<Get> gets() throws IOException {
    List<Get> gets = new ArrayList<>();
    Get like = get();
    for (int i = 0; i < 2 + random.nextInt(8); i++) {
      gets.add(random.nextInt(5) == 0 ? get() : withRow(like, cells.row()));
    }
    return gets;
  }

  private static Get withRow(Get like, byte[] row) throws IOException {
    Get get = new Get(row);
    for (Map.Entry<byte[], NavigableSet<byte[]>> family : like.getFamilyMap().entrySet()) {
      if (family.getValue() == null) {
        get.addFamily(family.getKey());
      } else {
        family.getValue().forEach(qualifier -> get.addColumn(family.getKey(), qualifier));
      }
    }
    get.readVersions(like.getMaxVersions());
    get.setTimeRange(like.getTimeRange().getMin(), like.getTimeRange().getMax());
    get.setMaxResultsPerColumnFamily(like.getMaxResultsPerColumnFamily());
    get.setRowOffsetPerColumnFamily(like.getRowOffsetPerColumnFamily());
    get.setFilter(like.getFilter());
    get.setCacheBlocks(like.getCacheBlocks());
    get.setIsolationLevel(like.getIsolationLevel());
    get.setCheckExistenceOnly(like.isCheckExistenceOnly());
    return get;
  }

  Scan scan() throws IOException {
    Scan scan = new Scan();
    boolean reversed = random.nextInt(8) == 0;
    scan.setReversed(reversed);
    if (random.nextInt(3) > 0) {
      byte[] a = cells.row();
      byte[] b = cells.row();
      boolean ordered = Bytes.compareTo(a, b) <= 0;
      scan.withStartRow(ordered != reversed ? a : b, random.nextInt(4) > 0);
      if (random.nextInt(4) > 0) {
        scan.withStopRow(ordered != reversed ? b : a, random.nextInt(3) == 0);
      }
    }
    boolean raw = !fill && random.nextInt(8) == 0;
    scan.setRaw(raw);
    if (!raw && random.nextBoolean()) {
      for (int i = 0; i <= random.nextInt(3); i++) {
        if (random.nextInt(4) == 0) {
          scan.addFamily(cells.family());
        } else {
          scan.addColumn(cells.family(), cells.qualifier());
        }
      }
    }
    if (random.nextBoolean()) {
      scan.readVersions(random.nextInt(4) == 0 ? Integer.MAX_VALUE : 1 + random.nextInt(4));
    }
    if (!fill && random.nextInt(3) == 0) {
      long from = cells.timestamp();
      scan.setTimeRange(from, from + 1 + random.nextInt(20));
    }
    if (!fill && random.nextInt(6) == 0) {
      long from = cells.timestamp();
      scan.setColumnFamilyTimeRange(cells.family(), from, from + 1 + random.nextInt(10));
    }
    if (random.nextInt(4) == 0) {
      scan.setMaxResultsPerColumnFamily(1 + random.nextInt(4));
      scan.setRowOffsetPerColumnFamily(random.nextInt(3));
    }
    // Seek hints of filters make stock HBase's reverse scans loop for ever (FuzzyRowFilter does).
    if (!reversed && random.nextInt(2) == 0) {
      scan.setFilter(filters.ofScan());
    }
    if (random.nextInt(4) == 0) {
      scan.setLimit(1 + random.nextInt(10));
    }
    // HBase refuses a batch for a filter that looks at whole rows.
    if (random.nextInt(4) == 0 && (scan.getFilter() == null || !scan.getFilter().hasFilterRow())) {
      scan.setBatch(1 + random.nextInt(5));
    }
    if (random.nextInt(3) == 0) {
      scan.setCaching(1 + random.nextInt(20));
    }
    if (random.nextInt(4) == 0) {
      scan.setMaxResultSize(100 + random.nextInt(2000));
    }
    scan.setAllowPartialResults(random.nextInt(6) == 0);
    if (scan.getBatch() > 0 || scan.getAllowPartialResults()) {
      // Where a result ends by size depends on how the server holds its cells, and a limit counts
      // results.
      scan.setLimit(-1);
    }
    scan.setCacheBlocks(fill || random.nextBoolean());
    scan.setIsolationLevel(isolation());
    scan.setReadType(
        scan.hasFilter()
            // Else HBase ends a call within a row to go on as a stream, and a filter loses the row.
            ? random.nextBoolean() ? Scan.ReadType.PREAD : Scan.ReadType.STREAM
            : Scan.ReadType.values()[random.nextInt(3)]);
    return scan;
  }

  /** A scan of whole rows without filter, a few rows with each call. */
  Scan plainScan() {
    Scan scan = new Scan().setCaching(1 + random.nextInt(5));
    scan.withStartRow(random.nextBoolean() ? cells.row() : new byte[0]);
    if (random.nextInt(3) == 0) {
      scan.addColumn(cells.family(), cells.qualifier());
    }
    return scan.readVersions(1 + random.nextInt(4));
  }

  private IsolationLevel isolation() {
    return random.nextInt(8) == 0 ? IsolationLevel.READ_UNCOMMITTED : IsolationLevel.READ_COMMITTED;
  }
}
