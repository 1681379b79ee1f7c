package io.ishbase.bench;

import io.ishbase.bench.TableFormat.Stores;
import io.ishbase.cluster.Progress;
import io.ishbase.cluster.Tables;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;

/**
 * Writes all rows of a table, each as often as it is to have versions, and flushes so often that
 * its stores have as many files as they are to have. The last version is the one that reads check.
 */
public final class Filling {
  private static final int LOADERS = 4;

  private final Stores stores;
  private final long rows;

  /** Versions that are hidden say that they were written before this. */
  private final long startMillis;

  /** Makes the Put of a row. */
  public interface Writer {
    /**
     * Makes it.
     *
     * @param version 0 for the one that is to be read, else the number of one that it hides
     * @param timestamp of its cells
     */
    Put put(long row, int version, long timestamp);
  }

  /**
   * Prepares a filling.
   *
   * @param startMillis the time now
   */
  public Filling(Stores stores, long rows, long startMillis) {
    this.stores = stores;
    this.rows = rows;
    this.startMillis = startMillis;
  }

  /** How many Puts there are in all. */
  public long writes() {
    return rows * stores.versions();
  }

  /** The first of the Puts that go into file {@code file}, from 0. */
  long firstOf(int file) {
    return writes() * file / stores.files();
  }

  /** Put number {@code write}, from 0; {@code order} says which row is written when. */
  Put put(long write, LongUnaryOperator order, Writer writer) {
    int version = stores.versions() - 1 - (int) (write / rows);
    long timestamp = version == 0 ? HConstants.LATEST_TIMESTAMP : startMillis - version;
    return writer.put(order.applyAsLong(write % rows), version, timestamp);
  }

  /** Writes, and flushes. */
  public void run(
      Connection connection,
      TableName table,
      LongUnaryOperator order,
      Writer writer,
      Progress progress)
      throws IOException {
    for (int file = 0; file < stores.files(); file++) {
      AtomicLong next = new AtomicLong(firstOf(file));
      long end = firstOf(file + 1);
      Workers.run(
          LOADERS,
          worker -> {
            try (BufferedMutator mutator = connection.getBufferedMutator(table)) {
              for (long write = next.getAndIncrement();
                  write < end;
                  write = next.getAndIncrement()) {
                mutator.mutate(put(write, order, writer));
                progress.add(1);
              }
            }
          });
      Tables.flush(connection, table);
    }
  }
}
