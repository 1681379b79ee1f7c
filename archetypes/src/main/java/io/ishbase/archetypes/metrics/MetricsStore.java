package io.ishbase.archetypes.metrics;

import java.io.IOException;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * Counters and distributions by series and time in a table of HBase. Safe for several threads; it
 * holds nothing that must be closed.
 */
public final class MetricsStore {
  private final Connection connection;
  private final TableName name;
  private final MetricsOptions options;
  private final LongSupplier clock;

  private MetricsStore(
      Connection connection, TableName name, MetricsOptions options, LongSupplier clock) {
    this.connection = connection;
    this.name = name;
    this.options = options;
    this.clock = clock;
  }

  /** What the table is to be created as; more may be said of it, as where its regions split. */
  public static TableDescriptorBuilder table(TableName name, MetricsOptions options) {
    return MetricsSchema.table(name, options);
  }

  /**
   * The metrics in a table, with the usual options, the table's retention and the system's clock.
   *
   * @param connection stays the caller's, and must not be closed before what is made with it
   * @throws org.apache.hadoop.hbase.TableNotFoundException if there is no such table
   * @throws IllegalArgumentException if it is not one of {@link #table}
   */
  public static MetricsStore open(Connection connection, TableName name) throws IOException {
    long retentionMillis = MetricsSchema.retentionMillis(descriptor(connection, name));
    return new MetricsStore(
        connection,
        name,
        MetricsOptions.of(connection.getConfiguration()).withRetention(retentionMillis),
        System::currentTimeMillis);
  }

  /**
   * The metrics in a table, with other options or another clock.
   *
   * @param clock milliseconds since 1970
   * @throws IllegalArgumentException if it is not one of {@link #table}, or keeps seconds for a
   *     shorter time than {@code options} say
   */
  public static MetricsStore open(
      Connection connection, TableName name, MetricsOptions options, LongSupplier clock)
      throws IOException {
    long kept = MetricsSchema.retentionMillis(descriptor(connection, name));
    if (kept > 0 && (options.retentionMillis() == 0 || options.retentionMillis() > kept)) {
      throw new IllegalArgumentException(
          "The table %s keeps seconds for %d ms, not %d (0: for ever)"
              .formatted(name, kept, options.retentionMillis()));
    }
    return new MetricsStore(connection, name, options, clock);
  }

  private static TableDescriptor descriptor(Connection connection, TableName name)
      throws IOException {
    try (Table table = connection.getTable(name)) {
      TableDescriptor descriptor = table.getDescriptor();
      if (!MetricsSchema.isIn(descriptor.getColumnFamilyNames())) {
        throw new IllegalArgumentException(
            "The table %s does not have the families of metrics".formatted(name));
      }
      return descriptor;
    }
  }

  /** What counts. A process needs one, for all its threads. */
  public MetricsWriter writer() {
    return new MetricsWriter(
        options,
        clock,
        new IncrementSender(
            connection,
            name,
            options,
            clock,
            System::nanoTime,
            new ShardPolicy(ShardPolicy.Settings.DEFAULT)));
  }

  /** What rolls up. One at a time is enough; more do no harm. */
  public RollUp rollUp() {
    return new RollUp(connection, name, options, clock);
  }

  /**
   * What was counted, by groups, without those in which nothing was. What is counted meanwhile may
   * be in it or not, row by row.
   *
   * @throws ArithmeticException if a long cannot hold a sum
   */
  public SortedMap<Group, Summary> read(Query query) throws IOException {
    try (Table table = connection.getTable(name)) {
      List<Series> series = SeriesDirectory.find(table, query.metric(), query.tags());
      return series.isEmpty()
          ? new TreeMap<>()
          : new MetricsReader(table, query).read(series, query.coarsest());
    }
  }

  /** The series of a metric. */
  public List<Series> series(String metric) throws IOException {
    try (Table table = connection.getTable(name)) {
      return SeriesDirectory.find(table, metric, new TreeMap<>());
    }
  }

  /**
   * What HBase's aggregation client is to add up beside the data for the total of a series in some
   * whole hours, if the table has its endpoint: {@code aggregation.sum(table, new
   * LongColumnInterpreter(), scan)}. It reads seconds; what has expired of them is not in it. Sums
   * beyond a long wrap around there.
   *
   * @throws IllegalArgumentException if the times are not whole hours
   */
  public static Scan totals(Series series, long fromMillis, long toMillis) {
    Resolution seconds = Resolution.SECOND;
    if (fromMillis < 0
        || toMillis <= fromMillis
        || fromMillis % seconds.rowMillis() != 0
        || toMillis % seconds.rowMillis() != 0) {
      throw new IllegalArgumentException(
          "Not whole hours: from %d ms to %d ms".formatted(fromMillis, toMillis));
    }
    return new Scan()
        .withStartRow(Keys.data(series, seconds, seconds.base(fromMillis), 0))
        .withStopRow(Keys.data(series, seconds, seconds.base(toMillis), 0))
        .addFamily(MetricsSchema.COUNTERS);
  }
}
