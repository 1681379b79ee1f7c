package io.ishbase.cluster.sample;

import io.ishbase.cluster.WebPages;
import java.io.IOException;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.RegionMetrics;
import org.apache.hadoop.hbase.ServerMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.Size;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;

/**
 * Looks at a cluster twice and says what happened between: how much comes from the counts of
 * regions, that any client may ask for; of which kind, from the pages of the region servers.
 */
public final class ClusterSampler {
  private static final int ELEMENTS_WITH_REPLICA = 4;
  private static final String NAME_NODE_PAGE = "dfs\\.namenode\\.https?-address.*";
  private static final String ROOT = "hbase.rootdir";
  private static final List<String> NAME_NODE_PORTS = List.of("9870", "9871");

  /** Sizes come in MB; below so many the ratio of two says little. */
  private static final double ENOUGH_MB = 8;

  private final Connection connection;
  private final Admin admin;
  private final WebPages pages;
  private final Map<TableName, Spread> rows = new HashMap<>();
  private final Set<String> remarks = new TreeSet<>();

  /**
   * @param admin of the connection
   */
  public ClusterSampler(Connection connection, Admin admin) {
    this.connection = connection;
    this.admin = admin;
    this.pages = WebPages.ofHBase(admin.getConfiguration());
  }

  /** Asks all region servers. What one does not show is a remark later. */
  public Moment look() throws IOException {
    Map<ServerName, ServerMetrics> servers =
        admin
            .getClusterMetrics(EnumSet.of(ClusterMetrics.Option.LIVE_SERVERS))
            .getLiveServerMetrics();
    long nanos = System.nanoTime();
    Map<String, Moment.Region> regions = new HashMap<>();
    servers.entrySet().parallelStream()
        .map(server -> regions(server.getKey(), server.getValue()))
        .toList()
        .forEach(regions::putAll);
    return new Moment(nanos + (System.nanoTime() - nanos) / 2, servers, regions);
  }

  private Map<String, Moment.Region> regions(ServerName server, ServerMetrics metrics) {
    Map<String, Map<String, Long>> figures = Map.of();
    try {
      figures = ServerPage.of(pages, server, metrics).regions();
    } catch (IOException e) {
      remark("The page of " + server.getAddress() + " is not shown: " + first(e));
    }
    List<RegionMetrics> all;
    try {
      all = admin.getRegionMetrics(server);
    } catch (IOException e) {
      remark(
          server.getAddress()
              + " does not say what its regions count, the master's word is taken: "
              + first(e));
      all = List.copyOf(metrics.getRegionMetrics().values());
    }
    Map<String, Moment.Region> regions = new HashMap<>();
    for (RegionMetrics region : all) {
      TableName table = RegionInfo.getTable(region.getRegionName());
      if (!table.isSystemTable()) {
        String name = RegionInfo.encodeRegionName(region.getRegionName());
        regions.put(
            name,
            new Moment.Region(
                table,
                isReplica(region.getRegionName()),
                region,
                Optional.ofNullable(figures.get(name)).map(Moment.Kinds::of)));
      }
    }
    return regions;
  }

  private static boolean isReplica(byte[] regionName) {
    try {
      return RegionInfo.parseRegionName(regionName).length == ELEMENTS_WITH_REPLICA;
    } catch (IOException e) {
      return false;
    }
  }

  private static String first(IOException e) {
    return e.toString().lines().findFirst().orElse("");
  }

  private void remark(String words) {
    synchronized (remarks) {
      remarks.add(words);
    }
  }

  /** Reads some rows of each table of a moment, to know how large they are. */
  public void lookIntoRows(Moment moment) {
    moment.regions().values().stream()
        .map(Moment.Region::table)
        .distinct()
        .sorted()
        .forEach(
            table -> {
              try {
                RowSizes.of(connection, table).ifPresent(size -> rows.put(table, size));
              } catch (IOException e) {
                remark("Rows of " + table + " could not be read: " + first(e));
              }
            });
  }

  /** What happened between two moments. */
  public ClusterSample between(Moment before, Moment after) throws IOException {
    Map<ServerName, ServerMetrics> servers = after.servers();
    Map<String, String> settings = settings(servers);
    Map<TableName, List<String>> ofTables = new TreeMap<>();
    after
        .regions()
        .forEach(
            (name, region) ->
                ofTables.computeIfAbsent(region.table(), table -> new ArrayList<>()).add(name));
    Map<TableName, TableDescriptor> schemas = new HashMap<>();
    for (TableDescriptor table : admin.listTableDescriptors()) {
      schemas.put(table.getTableName(), table);
    }
    List<TableSample> tables = new ArrayList<>();
    ofTables.forEach(
        (name, regions) ->
            tables.add(
                table(name, regions, Optional.ofNullable(schemas.get(name)), before, after)));
    return new ClusterSample(
        (after.nanos() - before.nanos()) / 1e9,
        servers.size(),
        mean(servers, ServerPage::processors),
        mean(servers, ServerPage::blockCacheBytes),
        servers.values().stream()
            .mapToDouble(server -> server.getMaxHeapSize().get(Size.Unit.BYTE))
            .average()
            .orElse(0),
        dataNodes(settings),
        settings,
        tables,
        List.copyOf(remarks));
  }

  @FunctionalInterface
  private interface Figure {
    Optional<Double> of(ServerPage page) throws IOException;
  }

  private OptionalDouble mean(Map<ServerName, ServerMetrics> servers, Figure figure) {
    return servers.entrySet().parallelStream()
        .map(
            server -> {
              try {
                return figure.of(ServerPage.of(pages, server.getKey(), server.getValue()));
              } catch (IOException e) {
                return Optional.<Double>empty(); // Whoever looked has remarked it.
              }
            })
        .flatMap(Optional::stream)
        .mapToDouble(number -> number)
        .average();
  }

  private Map<String, String> settings(Map<ServerName, ServerMetrics> servers) {
    for (Map.Entry<ServerName, ServerMetrics> server : servers.entrySet()) {
      try {
        return ServerPage.of(pages, server.getKey(), server.getValue()).configuration();
      } catch (IOException e) {
        // Another may show it; that this one does not is remarked.
      }
    }
    return Map.of();
  }

  /** By the page of one of the NameNodes that the region servers' settings name. */
  private OptionalInt dataNodes(Map<String, String> settings) {
    String host = settings.getOrDefault(ROOT, "").replaceFirst("^hdfs://([^:/]+).*", "$1");
    List<String> addresses =
        Stream.concat(
                settings.entrySet().stream()
                    .filter(setting -> setting.getKey().matches(NAME_NODE_PAGE))
                    .map(setting -> setting.getValue().replaceFirst("^0\\.0\\.0\\.0", host)),
                NAME_NODE_PORTS.stream().map(port -> host + ":" + port))
            .filter(address -> address.matches("[\\w.-]+:\\d+"))
            .distinct()
            .toList();
    WebPages ofHdfs = WebPages.ofHdfs(admin.getConfiguration(), settings);
    for (String address : addresses) {
      try {
        Optional<Integer> nodes = new ServerPage(ofHdfs, address).dataNodes();
        if (nodes.isPresent()) {
          return OptionalInt.of(nodes.get());
        }
      } catch (IOException e) {
        // Another may answer.
      }
    }
    remark("No NameNode's page says how many DataNodes there are (asked: " + addresses + ")");
    return OptionalInt.empty();
  }

  private TableSample table(
      TableName name,
      List<String> regions,
      Optional<TableDescriptor> schema,
      Moment before,
      Moment after) {
    DoubleSummaryStatistics files = new DoubleSummaryStatistics();
    double bytes = 0;
    double packedMb = 0;
    double unpackedMb = 0;
    int count = 0;
    for (String region : regions) {
      Moment.Region now = Objects.requireNonNull(after.regions().get(region));
      RegionMetrics metrics = now.metrics();
      if (now.isReplica()) {
        continue;
      }
      count++;
      bytes +=
          // One comes in whole MB, the other is up to a minute old.
          Math.max(
              now.kinds().map(Moment.Kinds::bytes).orElse(0.0),
              metrics.getStoreFileSize().get(Size.Unit.BYTE)
                  + metrics.getMemStoreSize().get(Size.Unit.BYTE));
      packedMb += metrics.getStoreFileSize().get(Size.Unit.MEGABYTE);
      unpackedMb += metrics.getUncompressedStoreFileSize().get(Size.Unit.MEGABYTE);
      if (metrics.getStoreCount() > 0) {
        files.accept((double) metrics.getStoreFileCount() / metrics.getStoreCount());
      }
    }
    if (schema.isEmpty()) {
      remark("The definition of " + name + " is not shown to this user");
    }
    Counts counts = new Counts(regions, before, after);
    return new TableSample(
        name.getNameAsString(),
        count,
        bytes,
        packedMb < ENOUGH_MB ? 1 : Math.max(1, unpackedMb / packedMb),
        Spread.of(files),
        Optional.ofNullable(rows.get(name)),
        schema.map(ClusterSampler::schema),
        counts.meanwhile(region -> region.metrics().getReadRequestCount()),
        counts.meanwhile(region -> region.metrics().getWriteRequestCount()),
        counts.kinds());
  }

  private static TableSample.Schema schema(TableDescriptor table) {
    ColumnFamilyDescriptor[] families = table.getColumnFamilies();
    return new TableSample.Schema(
        Stream.of(families)
            .map(
                family ->
                    family.getNameAsString()
                        + ": "
                        + family.getCompressionType()
                        + ", "
                        + family.getDataBlockEncoding())
            .toList(),
        mean(families, ColumnFamilyDescriptor::getBlocksize),
        Stream.of(families)
            .anyMatch(family -> family.getDataBlockEncoding() != DataBlockEncoding.NONE),
        Stream.of(families).mapToInt(ColumnFamilyDescriptor::getDFSReplication).max().orElse(0));
  }

  private static double mean(
      ColumnFamilyDescriptor[] families, ToDoubleFunction<ColumnFamilyDescriptor> figure) {
    return Stream.of(families).mapToDouble(figure).average().orElse(0);
  }

  /** What a table's regions counted. A region that was opened meanwhile began at 0. */
  private record Counts(List<String> regions, Moment before, Moment after) {
    long meanwhile(ToLongFunction<Moment.Region> count) {
      long all = 0;
      for (String name : regions) {
        Moment.Region then = before.regions().get(name);
        long now = count.applyAsLong(Objects.requireNonNull(after.regions().get(name)));
        long since = then == null ? 0 : count.applyAsLong(then);
        all += now >= since ? now - since : now;
      }
      return all;
    }

    private long meanwhileByPage(ToLongFunction<Moment.Kinds> count) {
      return meanwhile(region -> region.kinds().map(count::applyAsLong).orElse(0L));
    }

    private long sinceOpened(ToLongFunction<Moment.Kinds> count) {
      return regions.stream()
          .flatMap(name -> Objects.requireNonNull(after.regions().get(name)).kinds().stream())
          .mapToLong(count)
          .sum();
    }

    Optional<TableSample.Kinds> kinds() {
      long reads = meanwhileByPage(Moment.Kinds::reads);
      if (reads > 0) {
        return Optional.of(
            new TableSample.Kinds(
                (double) meanwhileByPage(Moment.Kinds::gets) / reads,
                (double) meanwhileByPage(Moment.Kinds::scans) / reads,
                true));
      }
      reads = sinceOpened(Moment.Kinds::reads);
      return reads == 0
          ? Optional.empty()
          : Optional.of(
              new TableSample.Kinds(
                  (double) sinceOpened(Moment.Kinds::gets) / reads,
                  (double) sinceOpened(Moment.Kinds::scans) / reads,
                  false));
    }
  }
}
