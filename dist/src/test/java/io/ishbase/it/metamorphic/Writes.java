package io.ishbase.it.metamorphic;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/** The writes of a file of operations, and {@code batch}, which may also read. */
final class Writes {
  private final FileTime clock;
  private final Reads reads;

  Writes(FileTime clock, Reads reads) {
    this.clock = clock;
    this.reads = reads;
  }

  static boolean isWrite(Line line) {
    return switch (line.verb()) {
      case "put",
          "delete-version",
          "delete-column",
          "delete-family",
          "delete-family-version",
          "increment",
          "append",
          "check",
          "batch" ->
          true;
      default -> false;
    };
  }

  /** Writes. Servers stamp increments and appends: no two of them in the same millisecond. */
  Answer of(Table table, Line line) {
    awaitNextMilli();
    return Answer.of(
        results -> {
          switch (line.verb()) {
            case "increment" -> results.add(reads.text(table.increment(increment(line))));
            case "append" -> results.add(reads.text(table.append(append(line))));
            case "check" -> results.add(check(table, line));
            case "batch" -> batch(table, line, results);
            case "put" -> table.put(put(line));
            default -> table.delete(delete(line));
          }
        });
  }

  private static void awaitNextMilli() {
    long now = System.currentTimeMillis();
    while (System.currentTimeMillis() == now) {
      LockSupport.parkNanos(100_000);
    }
  }

  private Row row(Line line) throws IOException {
    return switch (line.verb()) {
      case "get" -> reads.get(line, line.word(0));
      case "put" -> put(line);
      case "increment" -> increment(line);
      case "append" -> append(line);
      default -> delete(line);
    };
  }

  private static byte[] key(Line line) {
    return Bytes.toBytes(line.word(0));
  }

  /** The cells that it names behind its row. */
  static List<CellText> cells(Line line) {
    line.word(1);
    return line.words().subList(1, line.words().size()).stream().map(CellText::of).toList();
  }

  Put put(Line line) {
    Put put = new Put(key(line));
    for (CellText cell : cells(line)) {
      put.addColumn(
          cell.familyBytes(), cell.qualifierBytes(), cell.timestamp(clock), cell.valueBytes());
    }
    if (line.option("ttl") != null) {
      put.setTTL(line.number("ttl", 0) * 1000L);
    }
    return put;
  }

  private Delete delete(Line line) {
    Delete delete = new Delete(key(line));
    for (CellText cell : cells(line)) {
      byte[] family = cell.familyBytes();
      long timestamp = cell.timestamp(clock);
      switch (line.verb()) {
        case "delete-version" -> delete.addColumn(family, cell.qualifierBytes(), timestamp);
        case "delete-column" -> delete.addColumns(family, cell.qualifierBytes(), timestamp);
        case "delete-family" -> delete.addFamily(family, timestamp);
        case "delete-family-version" -> delete.addFamilyVersion(family, timestamp);
        default -> throw new IllegalArgumentException("No operation: " + line);
      }
    }
    return delete;
  }

  private static Increment increment(Line line) {
    Increment increment = new Increment(key(line));
    for (CellText cell : cells(line)) {
      increment.addColumn(cell.familyBytes(), cell.qualifierBytes(), Long.parseLong(cell.value()));
    }
    return increment;
  }

  private static Append append(Line line) {
    Append append = new Append(key(line));
    for (CellText cell : cells(line)) {
      append.addColumn(cell.familyBytes(), cell.qualifierBytes(), cell.valueBytes());
    }
    return append;
  }

  // check f:q OPERATOR VALUE ; what is done if so
  private String check(Table table, Line line) throws IOException {
    List<Line> parts = line.parts();
    Line condition = parts.get(0);
    CellText column = CellText.of(condition.verb());
    if (parts.size() != 2) {
      throw new IllegalArgumentException("check COLUMN OPERATOR VALUE ; OPERATION, not " + line);
    }
    Line then = parts.get(1);
    CheckAndMutate.Builder builder =
        CheckAndMutate.newBuilder(key(then))
            .ifMatches(
                column.familyBytes(),
                column.qualifierBytes(),
                CompareOperator.valueOf(condition.word(0)),
                Bytes.toBytes(condition.word(1)));
    return "done " + table.checkAndMutate(built(builder, row(then))).isSuccess();
  }

  private static CheckAndMutate built(CheckAndMutate.Builder builder, Row row) {
    if (row instanceof Put put) {
      return builder.build(put);
    }
    if (row instanceof Delete delete) {
      return builder.build(delete);
    }
    throw new IllegalArgumentException("Neither a put nor a delete: " + row);
  }

  private void batch(Table table, Line line, List<String> results) throws IOException {
    List<Row> rows = new ArrayList<>();
    for (Line part : line.parts()) {
      rows.add(row(part));
    }
    Object[] answers = new Object[rows.size()];
    try {
      table.batch(rows, answers);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
    for (int i = 0; i < answers.length; i++) {
      Row row = rows.get(i);
      if (answers[i] instanceof Result result && !(row instanceof Put || row instanceof Delete)) {
        results.add(reads.text(result));
      } else {
        results.add(row instanceof Mutation ? "done" : String.valueOf(answers[i]));
      }
    }
  }
}
