package io.ishbase.dist;

import io.ishbase.cluster.Progress;
import io.ishbase.core.Setting;
import io.ishbase.dist.doctor.HdfsSettings;
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
import java.util.function.Predicate;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.TableDescriptor;
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
  private static final long BEGIN_NANOS = TimeUnit.SECONDS.toNanos(15);

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
      if (conf.get(HConstants.HBASE_DIR) == null) {
        HdfsSettings.complete(conf, admin);
      }
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
      if (!locality.hasDaemons()) {
        throw new CliException(
            "No daemon beside a DataNode is registered: start them, ./ishbase doctor says more");
      }
      List<TableName> names = tables(admin);
      if (move) {
        requireHome(admin.getDescriptor(names.get(0)));
      }
      Map<TableName, List<Region>> all = look(locality, names);
      print(all);
      if (move) {
        TableName name = all.keySet().iterator().next();
        Map<Region, String> moved = bringTogether(admin, name, all.get(name));
        List<String> done =
            moved.keySet().stream()
                .filter(region -> moved.get(region).isEmpty())
                .map(Region::name)
                .toList();
        return (done.isEmpty() || areTogether(locality, name, done)) && done.size() == moved.size()
            ? 0
            : 1;
      }
    }
    return 0;
  }

  /** What region servers' own settings say of it is not known here. */
  private static void requireHome(TableDescriptor table) {
    if ("false".equalsIgnoreCase(table.getValue(Setting.PLACEMENT.key()))) {
      throw new CliException(
          "--move: "
              + Setting.PLACEMENT.key()
              + " of the table "
              + table.getTableName()
              + " is false: its regions have no home, and would be apart again");
    }
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

  /** What there was to do, and of each why it was not done; empty: it was. */
  private static Map<Region, String> bringTogether(Admin admin, TableName name, List<Region> all)
      throws IOException {
    if (!admin.isTableEnabled(name)) {
      throw new CliException("--move: the table " + name + " is not enabled");
    }
    if (!admin.getDescriptor(name).isCompactionEnabled()) {
      throw new CliException("--move: COMPACTION_ENABLED of the table " + name + " is false");
    }
    Map<String, RegionInfo> infos = new LinkedHashMap<>();
    admin.getRegions(name).forEach(info -> infos.put(info.getEncodedName(), info));
    List<Region> apart = new ArrayList<>(apart(all));
    // A parent whose daughters still refer to its files cannot be compacted.
    apart.removeIf(region -> !infos.containsKey(region.name()));
    if (apart.isEmpty()) {
      System.out.println("Nothing to move.");
      return Map.of();
    }
    Map<Region, String> moved = new LinkedHashMap<>();
    long bytes = apart.stream().mapToLong(Region::bytes).sum();
    try (Progress progress = new Progress("bringing regions together", bytes >> 20)) {
      for (Region region : apart) {
        progress.note(region.name());
        moved.put(region, compact(admin, infos.get(region.name()).getRegionName()));
        progress.add(region.bytes() >> 20);
      }
      long done = moved.values().stream().filter(String::isEmpty).count();
      progress.done(done + " of " + apart.size() + " regions");
    }
    moved.forEach(
        (region, why) -> {
          if (!why.isEmpty()) {
            System.err.println(region.name() + " was not brought together: " + why);
          }
        });
    return moved;
  }

  private static Predicate<Region> isOf(List<String> names) {
    return region -> names.contains(region.name());
  }

  /** Shows the table as it is now, and says so if not all of these regions are together. */
  private boolean areTogether(Locality locality, TableName name, List<String> moved)
      throws IOException {
    List<Region> now = awaitArchived(locality, name, moved);
    print(Map.of(name, now));
    long together = now.stream().filter(isOf(moved)).filter(Region::isWhole).count();
    if (together < moved.size()) {
      System.err.println(
          moved.size()
              - together
              + " of the regions that were compacted are apart, or were split or merged: old files"
              + " are read by scans still, or new ones were not written at the region's home");
    }
    return together == moved.size();
  }

  /**
   * HBase archives files that were compacted a while later; until then they are among the others.
   */
  private static List<Region> awaitArchived(Locality locality, TableName name, List<String> moved)
      throws IOException {
    long begun = System.nanoTime();
    try (Progress progress = new Progress("waiting for old files to be archived", 0)) {
      while (true) {
        List<Region> now = locality.of(name, () -> {});
        boolean areWhole = now.stream().filter(isOf(moved)).allMatch(Region::isWhole);
        if (areWhole || System.nanoTime() - begun > ARCHIVED_NANOS) {
          progress.done(areWhole ? "" : "not all");
          return now;
        }
        LockSupport.parkNanos(10 * POLL_NANOS);
      }
    }
  }

  /** Why it was not compacted, such as that it moved meanwhile; empty: it was. */
  private static String compact(Admin admin, byte[] region) {
    try {
      long before = admin.getLastMajorCompactionTimestampForRegion(region);
      boolean hasBegun = false;
      boolean isMajor = false;
      // One that is under way makes of the next, if need be, one of all files only when it has
      // ended.
      for (int i = 0; i < 2; i++) {
        admin.majorCompactRegion(region);
        long idle = System.nanoTime();
        while (System.nanoTime() - idle < BEGIN_NANOS) {
          CompactionState state = admin.getCompactionStateForRegion(region);
          if (state != CompactionState.NONE) {
            hasBegun = true;
            isMajor |= state != CompactionState.MINOR;
            idle = System.nanoTime();
          } else if (isMajor || admin.getLastMajorCompactionTimestampForRegion(region) > before) {
            return "";
          }
          LockSupport.parkNanos(POLL_NANOS);
        }
      }
      return hasBegun
          ? "what was compacted was not all of it"
          : "no compaction has begun; compaction_switch may be off";
    } catch (IOException | IllegalArgumentException e) {
      return String.valueOf(e.getMessage()).lines().findFirst().orElse(e.toString());
    }
  }
}
