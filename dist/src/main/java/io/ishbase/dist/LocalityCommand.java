package io.ishbase.dist;

import io.ishbase.cluster.Progress;
import io.ishbase.dist.doctor.Locality;
import io.ishbase.dist.doctor.Locality.Region;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionInfo;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./ishbase locality [TABLE]}: what of each region one daemon can read where it lies. */
@Command(
    name = "locality",
    description = {
      "Show how much of each table lies so that a read needs one daemon: all files of a region on one",
      "DataNode that has a daemon. What does not is read from several, or over HBase's own path."
    },
    mixinStandardHelpOptions = true)
final class LocalityCommand implements Callable<Integer> {
  private static final String LINE = "%-34s %8s %8s %10s %9s %10s%n";
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** HBase looks every two minutes. */
  private static final long ARCHIVED_NANOS = TimeUnit.MINUTES.toNanos(3);

  /** A compaction that is asked for begins within this time, or does not. */
  private static final long BEGIN_NANOS = TimeUnit.SECONDS.toNanos(5);

  @Parameters(index = "0", arity = "0..1", paramLabel = "TABLE", description = "All unless said.")
  private String table;

  @Mixin private TargetFiles target;

  @Option(names = "--regions", description = "Show the regions that are apart, too.")
  private boolean regions;

  @Option(
      names = "--move",
      description = {
        "Bring the files of TABLE's regions together: a major compaction of each region that is apart,",
        "one after the other. Each writes the region's files once; the daemon at its home does so",
        "where compactions are offloaded, as fast as these may."
      })
  private boolean move;

  @Override
  public Integer call() throws IOException {
    if (move && table == null) {
      throw new CliException("--move: of which table?");
    }
    Configuration conf = target.configuration();
    try (Connection connection = ConnectionFactory.createConnection(conf);
        Admin admin = connection.getAdmin()) {
      TargetCluster.requireAnswer(admin);
      Locality locality = new Locality(conf);
      if (!locality.unknown().isEmpty()) {
        String unknown =
            "Names of DataNodes cannot be looked up here: "
                + String.join(", ", locality.unknown())
                + ". What lies there counts as without a daemon";
        if (move) {
          throw new CliException(unknown + ", and would be moved for nothing");
        }
        System.err.println(unknown);
      }
      if (locality.daemons() == 0) {
        throw new CliException(
            "No daemon beside a DataNode is registered: start them, ./ishbase doctor says more");
      }
      Map<TableName, List<Region>> all = look(locality, tables(admin));
      print(all);
      if (move) {
        TableName name = all.keySet().iterator().next();
        List<Region> moved = bringTogether(admin, name, all.get(name));
        if (!moved.isEmpty()) {
          print(awaitArchived(locality, name, moved));
        }
      }
    }
    return 0;
  }

  private List<TableName> tables(Admin admin) throws IOException {
    if (table == null) {
      return List.of(admin.listTableNames());
    }
    TableName name;
    try {
      name = TableName.valueOf(table);
    } catch (IllegalArgumentException e) {
      throw new CliException("'" + table + "' is no name of a table: " + e.getMessage(), e);
    }
    if (!admin.tableExists(name)) {
      throw new CliException("There is no table " + name + "; ./ishbase tables lists them");
    }
    return List.of(name);
  }

  private static Map<TableName, List<Region>> look(Locality locality, List<TableName> tables)
      throws IOException {
    Map<TableName, List<Region>> all = new LinkedHashMap<>();
    try (Progress progress = new Progress("looking at files", 0)) {
      for (TableName name : tables) {
        all.put(name, locality.of(name, () -> progress.add(1)));
      }
      progress.done("");
    }
    return all;
  }

  private void print(Map<TableName, List<Region>> tables) {
    System.out.printf(LINE, "table", "regions", "apart", "MB", "at one", "no daemon");
    tables.forEach(
        (name, all) -> {
          print(name.getNameAsString(), all);
          if (regions) {
            apart(all).forEach(region -> print("  " + region.name(), List.of(region)));
          }
        });
  }

  private static void print(String name, List<Region> all) {
    long bytes = all.stream().mapToLong(Region::bytes).sum();
    System.out.printf(
        Locale.ROOT,
        LINE,
        name,
        all.size(),
        apart(all).size(),
        String.format(Locale.ROOT, "%.1f", bytes / 1e6),
        percent(all.stream().mapToLong(Region::together).sum(), bytes),
        percent(all.stream().mapToLong(Region::withoutDaemon).sum(), bytes));
  }

  private static String percent(long part, long bytes) {
    return bytes == 0 ? "-" : String.format(Locale.ROOT, "%.1f %%", 100.0 * part / bytes);
  }

  /** Those whose files no one daemon has all of; what is read from most nodes first. */
  private static List<Region> apart(List<Region> all) {
    return all.stream()
        .filter(region -> !region.isWhole())
        .sorted(Comparator.comparingLong(region -> region.together() - region.bytes()))
        .toList();
  }

  /** What there was to do. */
  private static List<Region> bringTogether(Admin admin, TableName name, List<Region> all)
      throws IOException {
    if (!admin.isTableEnabled(name)) {
      throw new CliException("--move: the table " + name + " is not enabled");
    }
    Map<String, RegionInfo> infos = new LinkedHashMap<>();
    admin.getRegions(name).forEach(info -> infos.put(info.getEncodedName(), info));
    List<Region> apart = new ArrayList<>(apart(all));
    // A parent whose daughters still refer to its files cannot be compacted.
    apart.removeIf(region -> !infos.containsKey(region.name()));
    if (apart.isEmpty()) {
      System.out.println("Nothing to move.");
      return List.of();
    }
    long bytes = apart.stream().mapToLong(Region::bytes).sum();
    try (Progress progress = new Progress("bringing regions together", bytes >> 20)) {
      for (Region region : apart) {
        progress.note(region.name());
        compact(admin, infos.get(region.name()).getRegionName());
        progress.add(region.bytes() >> 20);
      }
      progress.done(apart.size() + " regions");
    }
    return apart;
  }

  /**
   * HBase archives files that were compacted a while later; until then they are among the others.
   */
  private static Map<TableName, List<Region>> awaitArchived(
      Locality locality, TableName name, List<Region> moved) throws IOException {
    List<String> names = moved.stream().map(Region::name).toList();
    long begun = System.nanoTime();
    try (Progress progress = new Progress("waiting for old files to be archived", 0)) {
      while (true) {
        List<Region> now = locality.of(name, () -> {});
        boolean areWhole =
            now.stream().filter(region -> names.contains(region.name())).allMatch(Region::isWhole);
        if (areWhole || System.nanoTime() - begun > ARCHIVED_NANOS) {
          progress.done(areWhole ? "" : "not all: some are read by scans, or are apart again");
          return Map.of(name, now);
        }
        LockSupport.parkNanos(10 * POLL_NANOS);
      }
    }
  }

  private static void compact(Admin admin, byte[] region) throws IOException {
    admin.majorCompactRegion(region);
    long begun = System.nanoTime();
    boolean hasBegun = false;
    while (true) {
      boolean runs = admin.getCompactionStateForRegion(region) != CompactionState.NONE;
      hasBegun |= runs;
      if (!runs && (hasBegun || System.nanoTime() - begun > BEGIN_NANOS)) {
        return;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }
}
