package io.ishbase.dist;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;

import io.ishbase.cluster.MetricsPage;
import io.ishbase.cluster.Mode;
import io.ishbase.cluster.Progress;
import io.ishbase.cluster.RegionServerJmx;
import io.ishbase.cluster.TableComparison;
import io.ishbase.cluster.WebPages;
import io.ishbase.core.ReadChoice;
import io.ishbase.core.Setting;
import io.ishbase.core.metric.Metric;
import io.ishbase.plugin.settings.StoreSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.RegionMetrics;
import org.apache.hadoop.hbase.ServerMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;
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
        requireOpen(admin, table);
        requireAsked(connection, admin, table);
        Roads before = Roads.of(admin);
        TableComparison comparison = new TableComparison(connection, table);
        boolean equal = comparison.run(raw);
        if (equal) {
          requireInStorage(admin, table, before);
          requireOpen(admin, table);
        }
        print(comparison, equal);
        return equal ? 0 : 1;
      }
    }
  }

  /**
   * What each region server has counted, those of before a restart apart; null: it does not say.
   */
  private record Roads(Map<ServerName, @Nullable MetricsPage> pages) {
    static Roads of(Admin admin) throws IOException {
      Map<ServerName, @Nullable MetricsPage> pages = new TreeMap<>();
      WebPages web = WebPages.ofHBase(admin.getConfiguration());
      Map<ServerName, ServerMetrics> servers =
          admin
              .getClusterMetrics(EnumSet.of(ClusterMetrics.Option.LIVE_SERVERS))
              .getLiveServerMetrics();
      for (Map.Entry<ServerName, ServerMetrics> server : servers.entrySet()) {
        String host = server.getKey().getHostname();
        MetricsPage page = null;
        try {
          // Not /jmx, which is as old as HBase's metrics are.
          page = MetricsPage.of(web, host + ":" + server.getValue().getInfoServerPort());
        } catch (IOException | IllegalArgumentException e) {
          // Nor when it is asked the other time.
        }
        pages.put(server.getKey(), page);
      }
      return new Roads(pages);
    }

    /** Servers of which it is not known what they counted between {@code before} and now. */
    Set<ServerName> unknown(Roads before) {
      Set<ServerName> unknown = new TreeSet<>();
      pages.forEach(
          (server, page) -> {
            if (page == null || before.pages.get(server) == null && before.has(server)) {
              unknown.add(server);
            }
          });
      before.pages.keySet().stream().filter(server -> !has(server)).forEach(unknown::add);
      return unknown;
    }

    private boolean has(ServerName server) {
      return pages.containsKey(server);
    }

    /** What has been added since; none of the servers is {@link #unknown}. */
    double added(Roads before, Metric metric) {
      return sum(metric) - before.sum(metric);
    }

    private double sum(Metric metric) {
      return pages.values().stream().mapToDouble(page -> page.sum(metric.prometheusName())).sum();
    }
  }

  /** Fails where a store is left alone because a read of it differed: then HBase reads it twice. */
  private static void requireOpen(Admin admin, TableName table) throws IOException {
    Set<String> regions =
        admin.getRegions(table).stream().map(RegionInfo::getEncodedName).collect(toSet());
    for (ServerName server : admin.getRegionServers()) {
      for (String name : quarantined(admin, server)) {
        if (name.startsWith(RegionServerJmx.READS_OF)
            && regions.contains(name.substring(RegionServerJmx.READS_OF.length()).split("/")[0])) {
          throw new CliException(
              name
                  + " had other cells than HBase's, so they go over HBase's path and cannot be"
                  + " compared: the log of "
                  + server
                  + " says which");
        }
      }
    }
  }

  private static List<String> quarantined(Admin admin, ServerName server) {
    try {
      return RegionServerJmx.of(admin, server).quarantined();
    } catch (IOException e) {
      // Told as a server that does not say what it reads.
      return List.of();
    }
  }

  /** Says which regions HBase reads itself, at least in part; fails if that is all of them. */
  private void requireAsked(Connection connection, Admin admin, TableName table)
      throws IOException {
    List<String> unasked = new ArrayList<>();
    List<HRegionLocation> regions;
    try (RegionLocator locator = connection.getRegionLocator(table);
        Table client = connection.getTable(table);
        Progress progress =
            new Progress("asking how " + table + " is read", admin.getRegions(table).size())) {
      regions = locator.getAllRegionLocations();
      for (HRegionLocation region : regions) {
        if (!isAsked(client, admin, region)) {
          unasked.add(region.getRegion().getEncodedName());
        }
        progress.add(1);
      }
    }
    if (unasked.isEmpty() || files(admin, table) == 0) {
      return;
    }
    if (unasked.size() == regions.size()) {
      throw new CliException(
          "No region is read in-storage, or not whole, so HBase would be compared with itself:"
              + " ./ishbase explain "
              + table
              + " says why");
    }
    System.out.printf(
        "%d of %d regions are not read in-storage, or not whole: there HBase is compared with itself:"
            + " %s%n",
        unasked.size(), regions.size(), String.join(", ", unasked));
  }

  /** Whether a scan of the region asks storage nodes for all files that it needs. */
  private boolean isAsked(Table client, Admin admin, HRegionLocation region) throws IOException {
    String id = UUID.randomUUID().toString();
    Scan scan =
        Mode.IN_STORAGE
            .on(
                new Scan()
                    .withStartRow(region.getRegion().getStartKey())
                    .withStopRow(region.getRegion().getEndKey())
                    .readAllVersions()
                    .setRaw(raw))
            .setAttribute(ExplainCommand.ATTRIBUTE, Bytes.toBytes(id));
    try (ResultScanner none = client.getScanner(scan)) {
      none.next();
    }
    try {
      List<String> lines = RegionServerJmx.of(admin, region.getServerName()).explanation(id);
      return !lines.isEmpty()
          && lines.stream()
              .noneMatch(line -> line.startsWith("reads ") && line.contains(" itself: "));
    } catch (IOException e) {
      throw new CliException(
          "Whether regions are read in-storage is not known: "
              + region.getServerName()
              + " does not say so at its page, over HTTP and without a login: "
              + e,
          e);
    }
  }

  // Without daemons, or the plug-in, or where a store is left alone, HBase was compared with
  // itself.
  private static void requireInStorage(Admin admin, TableName table, Roads before)
      throws IOException {
    Roads after = Roads.of(admin);
    Set<ServerName> unknown = after.unknown(before);
    if (!unknown.isEmpty()) {
      throw new CliException(
          "Whether storage nodes were asked is not known: no answer from the pages of "
              + unknown.stream().map(ServerName::toString).collect(joining(", ")));
    }
    double inStorage = after.added(before, Metric.READS) + after.added(before, Metric.CACHED_ROWS);
    if (inStorage == 0 && files(admin, table) > 0) {
      throw new CliException(
          "Nothing was read in-storage, so HBase was compared with itself: ./ishbase explain "
              + table
              + " says why");
    }
    if (after.added(before, Metric.DIFFERENCES) > 0) {
      // Of ishbase.verify.share, which gives HBase's cells in place of those that differ.
      throw new CliException(
          "Reads that are checked by themselves differed from HBase's meanwhile and were answered"
              + " with its cells, so the tables were not compared: the logs of the region servers"
              + " say which");
    }
    double fallbacks = after.added(before, Metric.FALLBACKS);
    if (fallbacks > 0) {
      System.out.printf(
          "%.0f reads of the cluster went over HBase's path meanwhile: what these read was compared"
              + " with itself%n",
          fallbacks);
    }
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
    return ReadChoice.of(StoreSettings.value(family, key), table.getValue(key), null)
        .isProhibited();
  }

  private void print(TableComparison comparison, boolean equal) {
    String read =
        comparison.rows()
            + " rows, "
            + comparison.cells()
            + " cells, "
            + comparison.bytes()
            + " bytes";
    System.out.println(
        target.given()
            + (equal
                ? ": equal in both modes: " + read
                : ": different after " + read + ": " + comparison.difference()));
  }
}
