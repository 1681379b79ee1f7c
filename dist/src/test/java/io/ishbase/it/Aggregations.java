package io.ishbase.it;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.coprocessor.AggregationClient;
import org.apache.hadoop.hbase.client.coprocessor.LongColumnInterpreter;
import org.apache.hadoop.hbase.util.Bytes;

/** Aggregates of longs of a table of one region, and what they are by a stock scan. */
final class Aggregations {
  /** Those that storage daemons compute. */
  static final List<String> METHODS = List.of("GetRowNum", "GetSum", "GetMin", "GetMax");

  private Aggregations() {}

  /** What HBase's own client has from the endpoint; null: no value. */
  static Long got(Table table, String method, Scan scan) throws Exception {
    LongColumnInterpreter longs = new LongColumnInterpreter();
    try (AggregationClient client = new AggregationClient(table.getConfiguration())) {
      return switch (method) {
        case "GetRowNum" -> (Long) client.rowCount(table, longs, scan);
        case "GetSum" -> client.sum(table, longs, scan);
        case "GetMin" -> client.min(table, longs, scan);
        case "GetMax" -> client.max(table, longs, scan);
        default -> throw new IllegalArgumentException(method);
      };
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** What it is to answer; null: no value. */
  static Long wanted(Table table, String method, Scan asked) throws IOException {
    long rows = 0;
    Long value = null;
    try (ResultScanner scanner =
        table.getScanner(MiniCluster.in(MiniCluster.STOCK, new Scan(asked)))) {
      for (Result result : scanner) {
        rows++;
        for (Cell cell : result.rawCells()) {
          if (cell.getValueLength() == Long.BYTES) {
            long one = Bytes.toLong(cell.getValueArray(), cell.getValueOffset());
            value = value == null ? (Long) one : of(method, value, one);
          }
        }
      }
    }
    return method.equals("GetRowNum") ? (Long) rows : value;
  }

  private static Long of(String method, long left, long right) {
    return switch (method) {
      case "GetMax" -> Math.max(left, right);
      case "GetMin" -> Math.min(left, right);
      default -> left + right;
    };
  }
}
