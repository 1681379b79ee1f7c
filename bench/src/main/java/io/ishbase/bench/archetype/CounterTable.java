package io.ishbase.bench.archetype;

import io.ishbase.archetypes.metrics.MetricsOptions;
import io.ishbase.archetypes.metrics.MetricsStore;
import io.ishbase.archetypes.metrics.MetricsWriter;
import io.ishbase.archetypes.metrics.Query;
import io.ishbase.archetypes.metrics.Series;
import io.ishbase.archetypes.metrics.Summary;
import io.ishbase.bench.Load;
import io.ishbase.bench.Moved;
import io.ishbase.bench.Tally;
import io.ishbase.cluster.Tables;
import java.io.IOException;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/** Counters by series and second that clients add to. */
public final class CounterTable {
  /** Of what is counted: series times seconds. */
  public static final int COUNTERS = 100_000;

  /** Increments of an operation, sent together. */
  public static final int BATCH = 1000;

  private static final String METRIC = "requests";
  private static final int SECONDS = 50;
  private static final int SERIES = COUNTERS / SECONDS;

  /** A cell with its key, about. */
  private static final int CELL_BYTES = 100;

  private final Connection connection;
  private final TableName name;

  /** The hour before this one: no measurement is ahead of the clock. */
  private final long base = System.currentTimeMillis() / 3_600_000 * 3_600_000 - 3_600_000;

  public CounterTable(Connection connection, String name) {
    this.connection = connection;
    this.name = TableName.valueOf(name);
  }

  public TableName name() {
    return name;
  }

  /**
   * Creates it anew, empty.
   *
   * @param values of the table
   */
  public void create(Map<String, String> values, long flushBytes) throws IOException {
    MetricsOptions options = MetricsOptions.of(connection.getConfiguration());
    TableDescriptorBuilder table =
        MetricsStore.table(name, options).setMemStoreFlushSize(flushBytes);
    values.forEach(table::setValue);
    Tables.recreate(connection, table.build());
  }

  /** Increments by one of random counters, {@value #BATCH} an operation. */
  public Load increments(long seed) throws IOException {
    MetricsStore store = MetricsStore.open(connection, name);
    return worker -> {
      MetricsWriter writer = store.writer();
      SplittableRandom random = new SplittableRandom(seed + worker);
      return new Load.Client() {
        @Override
        public void operate(Tally tally) throws IOException {
          for (int i = 0; i < BATCH; i++) {
            writer.add(series(random.nextInt(SERIES)), base + random.nextInt(SECONDS) * 1000L, 1);
          }
          writer.flush();
          tally.wrote(new Moved(BATCH, (long) BATCH * Long.BYTES, (long) BATCH * CELL_BYTES));
        }

        @Override
        public void close() throws IOException {
          writer.close();
        }
      };
    };
  }

  private static Series series(int number) {
    return Series.of(METRIC, "host", "host" + number);
  }

  /**
   * Adds up all counters.
   *
   * @throws IOException if they are not {@code wanted}
   */
  public void check(long wanted) throws IOException {
    Query all = Query.of(METRIC, base, base + SECONDS * 1000L).totalsOnly();
    long sum = 0;
    for (Summary group : MetricsStore.open(connection, name).read(all).values()) {
      sum += group.total();
    }
    if (sum != wanted) {
      throw new IOException(name + ": counters add up to " + sum + ", not " + wanted);
    }
  }
}
