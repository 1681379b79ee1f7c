package io.ishbase.dist;

import io.ishbase.cluster.MetricsPage;
import io.ishbase.cluster.TableComparison;
import io.ishbase.core.ReadChoice;
import io.ishbase.core.Setting;
import io.ishbase.core.metric.Metric;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.RegionMetrics;
import org.apache.hadoop.hbase.ServerMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./ishbase verify TABLE}: reads a table in both modes and compares every cell. */
@Command(
    name = "verify",
    description = "Read a table both ways and compare every cell. Nobody should write meanwhile.",
    mixinStandardHelpOptions = true)
final class VerifyCommand implements Callable<Integer> {
  @Mixin private TargetTable target;

  @Option(names = "--raw", description = "Compare delete markers and what they hide, too.")
  private boolean raw;

  @Override
  public Integer call() throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(target.configuration())) {
      TableName table = target.readable(connection);
      requireTwoWays(connection, table);
      try (Admin admin = connection.getAdmin()) {
        Roads before = Roads.of(admin);
        int code = compare(new TableComparison(connection, table));
        return code == 0 ? inStorage(admin, table, before) : code;
      }
    }
  }

  /**
   * What all region servers have counted.
   *
   * @param silent those that do not say
   */
  private record Roads(
      double inStorage, double fallbacks, double differences, List<String> silent) {
    static Roads of(Admin admin) throws IOException {
      double inStorage = 0;
      double fallbacks = 0;
      double differences = 0;
      List<String> silent = new ArrayList<>();
      Map<ServerName, ServerMetrics> servers =
          admin
              .getClusterMetrics(EnumSet.of(ClusterMetrics.Option.LIVE_SERVERS))
              .getLiveServerMetrics();
      for (Map.Entry<ServerName, ServerMetrics> server : servers.entrySet()) {
        String host = server.getKey().getHostname();
        try {
          // Not /jmx, which is as old as HBase's metrics are.
          MetricsPage page = MetricsPage.of(host + ":" + server.getValue().getInfoServerPort());
          inStorage += page.sum(Metric.READS.prometheusName());
          inStorage += page.sum(Metric.CACHED_ROWS.prometheusName());
          fallbacks += page.sum(Metric.FALLBACKS.prometheusName());
          differences += page.sum(Metric.DIFFERENCES.prometheusName());
        } catch (IOException | IllegalArgumentException e) {
          silent.add(server.getKey().toString());
        }
      }
      return new Roads(inStorage, fallbacks, differences, silent);
    }
  }

  // Without daemons, or the plug-in, or where a store is left alone, HBase was compared with
  // itself.
  private static int inStorage(Admin admin, TableName table, Roads before) throws IOException {
    Roads after = Roads.of(admin);
    if (!before.silent.isEmpty() || !after.silent.isEmpty()) {
      System.out.println(
          "Whether storage nodes were asked is not known: no answer from the pages of "
              + String.join(", ", after.silent.isEmpty() ? before.silent : after.silent));
      return 0;
    }
    if (after.inStorage <= before.inStorage && files(admin, table) > 0) {
      throw new CliException(
          "Nothing was read in-storage, so HBase was compared with itself: ./ishbase explain "
              + table
              + " says why");
    }
    if (after.differences > before.differences) {
      // Of ishbase.verify.share, which gives HBase's cells in place of those that differ.
      throw new CliException(
          "Reads that are checked by themselves differed from HBase's meanwhile and were answered"
              + " with its cells, so the tables were not compared: the logs of the region servers"
              + " say which");
    }
    if (after.fallbacks > before.fallbacks) {
      System.out.printf(
          "%.0f reads of the cluster went over HBase's path meanwhile: what these read was compared"
              + " with itself%n",
          after.fallbacks - before.fallbacks);
    }
    return 0;
  }

  /** HFiles of the table, as the region servers have told the master. */
  private static long files(Admin admin, TableName table) throws IOException {
    long files = 0;
    for (ServerName server : admin.getRegionServers()) {
      for (RegionMetrics region : admin.getRegionMetrics(server, table)) {
        files += region.getStoreFileCount();
      }
    }
    return files;
  }

  // Where stock is a prohibition, HBase would be compared with itself.
  private static void requireTwoWays(Connection connection, TableName name) throws IOException {
    try (Table table = connection.getTable(name)) {
      TableDescriptor schema = table.getDescriptor();
      List<String> stock =
          Stream.of(schema.getColumnFamilies())
              .filter(family -> isStockOnly(schema, family))
              .map(ColumnFamilyDescriptor::getNameAsString)
              .toList();
      if (!stock.isEmpty()) {
        throw new CliException(
            String.format(
                "Table %s has %s = stock for %s, so there is one way to read it: give it another"
                    + " value while you compare, with ./ishbase alter",
                name, Setting.READ.key(), String.join(", ", stock)));
      }
    }
  }

  private static boolean isStockOnly(TableDescriptor table, ColumnFamilyDescriptor family) {
    String key = Setting.READ.key();
    String ofFamily = family.getConfigurationValue(key);
    return ReadChoice.of(
            ofFamily == null ? Bytes.toString(family.getValue(Bytes.toBytes(key))) : ofFamily,
            table.getValue(key),
            null)
        .isProhibited();
  }

  private int compare(TableComparison comparison) throws IOException {
    boolean equal = comparison.run(raw);
    String read =
        comparison.rows()
            + " rows, "
            + comparison.cells()
            + " cells, "
            + comparison.bytes()
            + " bytes";
    if (equal) {
      System.out.println(target.given() + ": equal in both modes: " + read);
      return 0;
    }
    System.out.println(
        target.given() + ": different after " + read + ": " + comparison.difference());
    return 1;
  }
}
