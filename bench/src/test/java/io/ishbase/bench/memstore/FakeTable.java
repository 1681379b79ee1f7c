package io.ishbase.bench.memstore;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/** Rows of one column in a map, which can be scanned. */
final class FakeTable {
  private final TreeMap<String, KeyValue> rows = new TreeMap<>();

  void apply(Operation operation) {
    String key = Bytes.toString(operation.key());
    if (operation instanceof Operation.Remove) {
      rows.remove(key);
    } else if (operation instanceof Operation.Write write) {
      rows.put(key, cell(write.put()));
    } else if (operation instanceof Operation.Count count) {
      KeyValue one = cell(count.increment());
      KeyValue before = rows.getOrDefault(key, one);
      long sum = before == one ? 1 : Bytes.toLong(CellUtil.cloneValue(before)) + 1;
      rows.put(
          key,
          new KeyValue(
              operation.key(),
              ScriptRows.FAMILY,
              CellUtil.cloneQualifier(one),
              Bytes.toBytes(sum)));
    }
  }

  private static KeyValue cell(Mutation mutation) {
    Cell cell = mutation.getFamilyCellMap().get(ScriptRows.FAMILY).get(0);
    return new KeyValue(
        mutation.getRow(),
        ScriptRows.FAMILY,
        CellUtil.cloneQualifier(cell),
        CellUtil.cloneValue(cell));
  }

  /** First letters of the rows. */
  Set<String> prefixes() {
    return rows.keySet().stream().map(row -> row.substring(0, 1)).collect(Collectors.toSet());
  }

  String lastRow() {
    return rows.lastKey();
  }

  void remove(String row) {
    rows.remove(row);
  }

  /** The table as clients see it; all it can is scan. */
  Table table() {
    return (Table)
        Proxy.newProxyInstance(
            Table.class.getClassLoader(),
            new Class<?>[] {Table.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("getScanner")) {
                throw new UnsupportedOperationException(method.getName());
              }
              return scanner((Scan) arguments[0]);
            });
  }

  private ResultScanner scanner(Scan scan) {
    String first = Bytes.toString(scan.getStartRow());
    String end = Bytes.toString(scan.getStopRow());
    List<Result> results = new ArrayList<>();
    (end.isEmpty() ? rows.tailMap(first) : rows.subMap(first, end))
        .values()
        .forEach(cell -> results.add(Result.create(List.of(cell))));
    Iterator<Result> iterator = results.iterator();
    return (ResultScanner)
        Proxy.newProxyInstance(
            Table.class.getClassLoader(),
            new Class<?>[] {ResultScanner.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "iterator" -> iterator;
                  case "close" -> null;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }
}
