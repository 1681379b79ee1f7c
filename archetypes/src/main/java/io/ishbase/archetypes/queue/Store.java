package io.ishbase.archetypes.queue;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.jspecify.annotations.Nullable;

/** The table, counted and with a seam before and after each write. Safe for threads. */
record Store(
    Connection connection,
    TableName tableName,
    InstantSource clock,
    Steps steps,
    QueueCounters counters) {

  /** A number that nobody else draws: of a claim, of a write. */
  static long newToken() {
    return ThreadLocalRandom.current().nextLong();
  }

  Result get(Get get) throws IOException {
    counters.gets.increment();
    try (Table table = connection.getTable(tableName)) {
      return table.get(get);
    }
  }

  Result[] get(List<Get> gets) throws IOException {
    counters.gets.add(gets.size());
    try (Table table = connection.getTable(tableName)) {
      return table.get(gets);
    }
  }

  /** Up to {@code limit} rows. */
  List<Result> scan(Scan scan, int limit) throws IOException {
    scan.setLimit(limit).setCaching(Math.min(limit, 10_000)).setScanMetricsEnabled(true);
    List<Result> rows = new ArrayList<>();
    try (Table table = connection.getTable(tableName);
        ResultScanner scanner = table.getScanner(scan)) {
      for (Result row : scanner) {
        rows.add(row);
      }
      counters.scanned(scanner.getScanMetrics());
    }
    return rows;
  }

  void put(Step step, List<Put> puts) throws IOException {
    steps.at(step, false);
    try (Table table = connection.getTable(tableName)) {
      table.put(puts);
    }
    steps.at(step, true);
  }

  void delete(Step step, List<Delete> deletes) throws IOException {
    steps.at(step, false);
    try (Table table = connection.getTable(tableName)) {
      // Which it empties.
      table.delete(new ArrayList<>(deletes));
    }
    steps.at(step, true);
  }

  /**
   * Does it if its condition holds.
   *
   * @return false if the condition does not hold; also if it did not any more when HBase's client
   *     repeated a call that was done but whose answer was lost
   */
  boolean swap(Step step, CheckAndMutate change) throws IOException {
    steps.at(step, false);
    counters.swaps.increment();
    boolean done;
    try (Table table = connection.getTable(tableName)) {
      done = table.checkAndMutate(change).isSuccess();
    }
    if (!done) {
      counters.lostSwaps.increment();
    }
    steps.at(step, true);
    return done;
  }

  /** That a cell of {@link Keys#STATE} is what it was, null for absent. */
  static CheckAndMutate.Builder unchanged(byte[] row, byte[] qualifier, byte @Nullable [] was) {
    CheckAndMutate.Builder builder = CheckAndMutate.newBuilder(row);
    return was == null
        ? builder.ifNotExists(Keys.STATE, qualifier)
        : builder.ifEquals(Keys.STATE, qualifier, was);
  }
}
