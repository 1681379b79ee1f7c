package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/** The same scans of a table and its twin, open at once. */
final class OpenScans implements AutoCloseable {
  private final List<AutoCloseable> opened = new ArrayList<>();
  private final List<ResultScanner> found = new ArrayList<>();
  private final List<ResultScanner> expected = new ArrayList<>();

  OpenScans(MiniCluster cluster, WarmTable warm, Scan... scans) throws IOException {
    Table table = cluster.connection().getTable(warm.name());
    Table twin = cluster.connection().getTable(warm.twin());
    opened.addAll(List.of(table, twin));
    for (Scan scan : scans) {
      found.add(table.getScanner(scan));
      expected.add(twin.getScanner(scan));
    }
  }

  void checkNext(int rows) throws IOException {
    for (int i = 0; i < found.size(); i++) {
      assertThat(next(found.get(i), rows)).isEqualTo(next(expected.get(i), rows));
    }
  }

  private static List<String> next(ResultScanner scanner, int rows) throws IOException {
    List<String> cells = new ArrayList<>();
    for (Result result : scanner.next(rows)) {
      WarmTable.add(result, cells);
    }
    return cells;
  }

  @Override
  public void close() throws Exception {
    found.forEach(ResultScanner::close);
    expected.forEach(ResultScanner::close);
    for (AutoCloseable each : opened) {
      each.close();
    }
  }
}
