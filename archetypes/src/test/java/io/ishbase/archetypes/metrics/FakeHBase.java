package io.ishbase.archetypes.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/** A table that knows Puts and Increments, and fails as it is told. */
final class FakeHBase {
  final List<Put> puts = new ArrayList<>();
  final List<Increment> increments = new ArrayList<>();
  final Map<String, Long> counters = new HashMap<>();

  /** What Puts throw; null: they do not. */
  IOException putFailure;

  /** What becomes of each increment that comes, by its number from 0 on. */
  final Map<Integer, IOException> failures = new HashMap<>();

  final Connection connection = proxy(Connection.class, (method, arguments) -> table());

  private interface Call {
    Object on(String method, Object[] arguments) throws Throwable;
  }

  private static <T> T proxy(Class<T> type, Call call) {
    return type.cast(
        Proxy.newProxyInstance(
            FakeHBase.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> call.on(method.getName(), arguments)));
  }

  private Table table() {
    return proxy(
        Table.class,
        (method, arguments) -> {
          switch (method) {
            case "put" -> put((List<?>) arguments[0]);
            case "increment" -> {
              return increment((Increment) arguments[0]);
            }
            case "get" -> {
              return get((List<?>) arguments[0]);
            }
            case "batch" -> batch((List<?>) arguments[0], (Object[]) arguments[1]);
            case "close" -> {}
            default -> throw new UnsupportedOperationException(method);
          }
          return null;
        });
  }

  private void put(List<?> some) throws IOException {
    if (putFailure != null) {
      throw putFailure;
    }
    some.forEach(put -> puts.add((Put) put));
  }

  private void batch(List<?> some, Object[] results) throws IOException {
    IOException failure = null;
    for (int i = 0; i < results.length; i++) {
      try {
        results[i] = increment((Increment) some.get(i));
      } catch (IOException e) {
        results[i] = e;
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private Result increment(Increment increment) throws IOException {
    IOException failure = failures.get(increments.size());
    increments.add(increment);
    if (failure != null) {
      throw failure;
    }
    increment
        .getFamilyMapOfLongs()
        .forEach(
            (family, columns) ->
                columns.forEach(
                    (qualifier, amount) ->
                        counters.merge(
                            name(increment.getRow(), family, qualifier), amount, Long::sum)));
    assertThat(increment.isReturnResults()).isFalse();
    return Result.EMPTY_RESULT;
  }

  private Result[] get(List<?> gets) {
    return gets.stream().map(get -> get((Get) get)).toArray(Result[]::new);
  }

  private Result get(Get get) {
    List<Cell> cells = new ArrayList<>();
    get.getFamilyMap()
        .forEach(
            (family, qualifiers) ->
                qualifiers.forEach(
                    qualifier -> {
                      Long value = counters.get(name(get.getRow(), family, qualifier));
                      if (value != null) {
                        cells.add(
                            new KeyValue(get.getRow(), family, qualifier, Bytes.toBytes(value)));
                      }
                    }));
    return Result.create(cells);
  }

  private static String name(byte[] row, byte[] family, byte[] qualifier) {
    return Bytes.toStringBinary(row)
        + Bytes.toStringBinary(family)
        + Bytes.toStringBinary(qualifier);
  }

  /** The sum of all counters. */
  long sum() {
    return counters.values().stream().mapToLong(value -> value).sum();
  }

  /** Marks that were put. */
  long marks() {
    return puts.stream()
        .flatMap(put -> put.getFamilyCellMap().values().stream())
        .flatMap(List::stream)
        .filter(cell -> CellUtil.cloneQualifier(cell)[0] == Column.Kind.MARK.code())
        .count();
  }
}
