package io.ishbase.bench.scenario;

import io.ishbase.bench.Load;
import io.ishbase.bench.Moved;
import io.ishbase.bench.Tally;
import io.ishbase.cluster.Mode;
import java.io.IOException;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.coprocessor.AggregationClient;
import org.apache.hadoop.hbase.client.coprocessor.LongColumnInterpreter;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Rows numbered from 0, each with its number as a column, and the loads that count rows or add the
 * numbers up through HBase's own client. Every result is checked.
 */
final class AggregatedTable {
  private static final byte[] NUMBER = Bytes.toBytes("n");

  private final Connection connection;
  private final NumberedTable rows;
  private final byte[] family;

  /** A table whose aggregates an endpoint of the class {@code endpoint} computes. */
  AggregatedTable(Connection connection, NumberedTable.Shape shape, String endpoint) {
    this.connection = connection;
    this.rows =
        new NumberedTable(connection, shape.withValue("coprocessor$1", "|" + endpoint + "|1001|"));
    this.family = shape.format().families().get(0);
  }

  void fill() throws IOException {
    rows.create();
    rows.fill(
        put -> put.addColumn(family, NUMBER, Bytes.toBytes(NumberedTable.number(put.getRow()))));
  }

  NumberedTable rows() {
    return rows;
  }

  /** Counts of all rows. */
  Load counts(Mode mode) {
    return load(
        (client, table, numbers) -> client.rowCount(table, numbers, scan(mode)),
        rows.shape().rows());
  }

  /** Sums of all numbers. */
  Load sums(Mode mode) {
    long count = rows.shape().rows();
    return load(
        (client, table, numbers) -> client.sum(table, numbers, scan(mode)),
        count * (count - 1) / 2);
  }

  private Scan scan(Mode mode) {
    return mode.on(new Scan().addColumn(family, NUMBER));
  }

  private interface Aggregate {
    Long of(AggregationClient client, Table table, LongColumnInterpreter numbers) throws Throwable;
  }

  private Load load(Aggregate aggregate, long wanted) {
    return worker -> {
      Table table = connection.getTable(rows.name());
      AggregationClient client = new AggregationClient(connection.getConfiguration());
      LongColumnInterpreter numbers = new LongColumnInterpreter();
      return new Load.Client() {
        @Override
        public void operate(Tally tally) throws IOException {
          tally.kind(Aggregates.AGGREGATE);
          long got = compute();
          if (got != wanted) {
            throw new IOException("the aggregate is " + got + ", not " + wanted);
          }
          tally.read(new Moved(rows.shape().rows(), 0, 0));
        }

        private long compute() throws IOException {
          try {
            return aggregate.of(client, table, numbers);
          } catch (IOException | Error | RuntimeException e) {
            throw e;
          } catch (Throwable e) {
            throw new IOException(e);
          }
        }

        @Override
        public void close() throws IOException {
          client.close();
          table.close();
        }
      };
    };
  }
}
