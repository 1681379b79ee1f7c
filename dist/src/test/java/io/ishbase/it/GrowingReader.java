package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Scan.ReadType;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;

/** Reads growing tables in random ways, and checks all that it finds. Used by one thread. */
final class GrowingReader {
  private final Random random;
  private int gets;
  private int scans;
  private int resumed;

  GrowingReader(Random random) {
    this.random = random;
  }

  int gets() {
    return gets;
  }

  /** Scans that the client did not resume: those were checked in full. */
  int scans() {
    return scans;
  }

  /** Scans that the client resumed, or may have, after a region had moved or was split. */
  int resumed() {
    return resumed;
  }

  void read(GrowingTable growing, Table table) throws IOException {
    switch (random.nextInt(4)) {
      case 0 -> get(growing, table);
      case 1 -> multiGet(growing, table);
      default -> scan(growing, table);
    }
  }

  private Get get(int row) {
    Get get = new Get(GrowingTable.row(row));
    if (random.nextInt(4) == 0) {
      // Cached beside whole rows.
      get.addColumn(GrowingTable.FAMILY, GrowingTable.B);
    }
    return get;
  }

  private void get(GrowingTable growing, Table table) throws IOException {
    int row = random.nextInt(GrowingTable.ROWS);
    long[] atLeast = growing.acknowledged();
    growing.check(table.get(get(row)), row, atLeast[row]);
    gets++;
  }

  private void multiGet(GrowingTable growing, Table table) throws IOException {
    List<Integer> rows = new ArrayList<>();
    List<Get> wanted = new ArrayList<>();
    for (int i = 0; i < 2 + random.nextInt(8); i++) {
      int row = random.nextInt(GrowingTable.ROWS);
      rows.add(row);
      wanted.add(get(row));
    }
    long[] atLeast = growing.acknowledged();
    Result[] results = table.get(wanted);
    for (int i = 0; i < results.length; i++) {
      growing.check(results[i], rows.get(i), atLeast[rows.get(i)]);
    }
    gets++;
  }

  /**
   * One scan, with Gets in between. The client resumes a scan whose region was moved or split, at
   * its old read point; stock HBase, too, has dropped by then what only that would show, so such a
   * scan may miss rows and show older numbers.
   */
  private void scan(GrowingTable growing, Table table) throws IOException {
    int from = random.nextInt(GrowingTable.ROWS);
    int to = from + 1 + random.nextInt(GrowingTable.ROWS - from);
    boolean reversed = random.nextInt(5) == 0;
    Scan scan = new Scan().setReversed(reversed).setScanMetricsEnabled(true);
    scan.withStartRow(GrowingTable.row(reversed ? to - 1 : from));
    scan.withStopRow(GrowingTable.row(reversed ? from : to - 1), true);
    scan.setReadType(ReadType.values()[random.nextInt(ReadType.values().length)]);
    scan.setCaching(random.nextInt(3) == 0 ? GrowingTable.ROWS : 1 + random.nextInt(20));
    if (random.nextInt(4) == 0) {
      scan.addColumn(GrowingTable.FAMILY, GrowingTable.B);
    }
    long[] atLeast = growing.acknowledged();
    long regionChanges = growing.regionChanges();
    List<Result> results = new ArrayList<>();
    ScanMetrics metrics;
    try (ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) {
        results.add(result);
        if (random.nextInt(20) == 0) {
          get(growing, table);
        }
      }
      metrics = scanner.getScanMetrics();
    }
    // A scanner that a server does not know any more is opened anew without being counted.
    boolean mayBeResumed =
        metrics.countOfRegions.get() > 1
            && (regionChanges % 2 == 1 || growing.regionChanges() != regionChanges);
    if (metrics.countOfNSRE.get() > 0 || metrics.countOfRPCRetries.get() > 0 || mayBeResumed) {
      resumed++;
      checkResumed(growing, results, reversed);
      return;
    }
    scans++;
    List<Integer> found = results.stream().map(r -> GrowingTable.number(r.getRow())).toList();
    List<Integer> expected = new ArrayList<>();
    for (int i = 0; i < to - from; i++) {
      expected.add(reversed ? to - 1 - i : from + i);
    }
    assertThat(found).as("rows that %s finds", scan).isEqualTo(expected);
    for (int i = 0; i < found.size(); i++) {
      growing.check(results.get(i), found.get(i), atLeast[found.get(i)]);
    }
  }

  private static void checkResumed(GrowingTable growing, List<Result> results, boolean reversed) {
    int last = reversed ? GrowingTable.ROWS : -1;
    for (Result result : results) {
      int row = GrowingTable.number(result.getRow());
      assertThat(reversed ? last - row : row - last).as("order of rows").isPositive();
      growing.check(result, row, 1);
      last = row;
    }
  }
}
