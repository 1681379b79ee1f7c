package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Reason;
import io.ishbase.plugin.metrics.InStorageMetrics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/** Scans a table stock and in-storage, and looks at what the region server counted meanwhile. */
final class ReadCheck {
  private ReadCheck() {}

  /** The cells that {@code scan} finds, as text. */
  static List<String> scan(Connection connection, TableName name, Scan scan) throws IOException {
    List<String> cells = new ArrayList<>();
    try (Table table = connection.getTable(name);
        ResultScanner scanner = table.getScanner(scan)) {
      for (Result result : scanner) {
        for (Cell cell : result.rawCells()) {
          cells.add(
              CellUtil.getCellKeyAsString(cell)
                  + "="
                  + Bytes.toStringBinary(CellUtil.cloneValue(cell)));
        }
      }
    }
    return cells;
  }

  /**
   * Scans both ways and demands the same cells.
   *
   * @param reason must be counted, and no other; null: none
   * @param asked whether daemons must be asked, or must not
   */
  static void equal(Connection connection, TableName name, Scan scan, Reason reason, boolean asked)
      throws IOException {
    List<String> stock = scan(connection, name, MiniCluster.in(MiniCluster.STOCK, new Scan(scan)));
    assertThat(stock).isNotEmpty();
    InStorageMetrics metrics = InStorageMetrics.get();
    long requests = metrics.requests();
    Map<Reason, Long> counted = fallbacks();
    assertThat(scan(connection, name, MiniCluster.in(MiniCluster.IN_STORAGE, new Scan(scan))))
        .isEqualTo(stock);
    assertThat(since(counted)).isEqualTo(reason == null ? Set.of() : Set.of(reason));
    assertThat(metrics.requests() > requests).as("daemons are asked").isEqualTo(asked);
  }

  /** Reads over HBase's own path so far, by reason. */
  static Map<Reason, Long> fallbacks() {
    Map<Reason, Long> counts = new EnumMap<>(Reason.class);
    for (Reason reason : Reason.values()) {
      counts.put(reason, InStorageMetrics.get().fallbacks(reason));
    }
    return counts;
  }

  /** The reasons that were counted since then. */
  static Set<Reason> since(Map<Reason, Long> counted) {
    Set<Reason> reasons = EnumSet.noneOf(Reason.class);
    fallbacks()
        .forEach(
            (reason, count) -> {
              if (count > counted.get(reason)) {
                reasons.add(reason);
              }
            });
    return reasons;
  }
}
