package io.ishbase.dist;

import io.ishbase.cluster.sample.ClusterSample;
import io.ishbase.cluster.sample.Spread;
import io.ishbase.cluster.sample.TableSample;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What a cluster shows of itself as the text of a plan's input. What it does not show stands there
 * as it is assumed, with a wide range, to be put right by hand.
 */
final class PlanOfCluster {
  /** A little less than a plan takes, for numbers are rounded. */
  private static final double MOST_ROW_BYTES = 65_000;

  /** What is smaller is in every cache. */
  private static final double LEAST_TABLE_BYTES = 1 << 17;

  private static final double MOST_UNPACKED = 100;
  private static final double MOST_SCAN_ROWS = 1e5;
  private static final double MOST_BLOCK_BYTES = 16 << 20;

  // What a plan's input bears.
  private static final double LEAST_FLUSH_BYTES = 1 << 20;
  private static final double LEAST_DAYS = 0.01;
  private static final int MOST_REPLICAS = 512;

  /** As HDFS has it where nothing is said. */
  private static final double USUAL_REPLICAS = 3;

  private static final double DAY_MILLIS = 86_400_000;

  /** What HBase gives to the block cache if nobody says how much. */
  private static final double CACHE_OF_HEAP = 0.4;

  /** Encoded keys take as little of a row as this, values being small. */
  private static final double LEAST_ENCODED = 0.5;

  /** Less is what sizes in whole MB are off by. */
  private static final double WORTH_SAYING = 1.1;

  private static final String ASSUMED_MBPS =
      "10000 (1000 to 25000)   # assumed: HBase does not know";

  /** Of more tables a page would take long and say little. */
  private static final int MOST_TABLES = 12;

  private final ClusterSample sample;
  private final List<String> lines = new ArrayList<>();

  private PlanOfCluster(ClusterSample sample) {
    this.sample = sample;
  }

  /**
   * The text.
   *
   * @param where the cluster is
   * @throws CliException if there is no table to plan for
   */
  static List<String> lines(ClusterSample sample, String where) {
    PlanOfCluster plan = new PlanOfCluster(sample);
    plan.write(where);
    return plan.lines;
  }

  private void write(String where) {
    lines.add("# What the cluster at " + where + " showed of itself within " + seconds() + ".");
    lines.add("# Put right what is marked as assumed, then: ./ishbase sim plan THIS-FILE");
    sample.remarks().forEach(remark -> lines.add("# " + remark));
    if (sample.tables().stream().allMatch(table -> operations(table) == 0)) {
      lines.add("# No client asked for anything meanwhile: give gets, scans, puts by hand.");
    }
    lines.add("");
    machines();
    settings();
    List<TableSample> planned =
        sample.tables().stream()
            .filter(this::isPlanned)
            .sorted(Comparator.comparingDouble(this::weight).reversed())
            .toList();
    if (planned.isEmpty()) {
      throw new CliException(
          "The cluster at "
              + where
              + " has no user table with rows in it: there is nothing to plan");
    }
    planned.stream()
        .limit(MOST_TABLES)
        .sorted(Comparator.comparing(TableSample::name))
        .forEach(this::table);
    lines.add("");
    planned.stream().skip(MOST_TABLES).forEach(table -> leftOut(table, "others matter more"));
    sample.tables().stream()
        .filter(table -> !isPlanned(table))
        .forEach(table -> leftOut(table, "next to nothing in it"));
  }

  private String seconds() {
    return number(sample.seconds()) + " s";
  }

  private void machines() {
    value("region.servers", Integer.toString(sample.regionServers()));
    boolean knowsCores = sample.processors().isPresent();
    double cores = Math.max(1, Math.rint(sample.processors().orElse(8)));
    value(
        "region.server.cores",
        whole(cores) + (knowsCores ? "" : " (4 to 32)   # assumed: no server's page is shown"));
    value("region.server.mbps", ASSUMED_MBPS);
    value(
        "block.cache",
        sample.blockCacheBytes().isPresent()
            ? bytes(sample.blockCacheBytes().getAsDouble())
            : bytes(CACHE_OF_HEAP * sample.heapBytes())
                + "   # assumed: what HBase takes of the heap");
    int servers = sample.regionServers();
    value(
        "storage.nodes",
        sample.dataNodes().isPresent()
            ? Integer.toString(Math.max(1, sample.dataNodes().getAsInt()))
            : servers
                + (" (" + servers + " to " + 4 * servers + ")")
                + "   # assumed: as many as region servers, or more");
    value(
        "storage.cores",
        whole(cores)
            + (" (" + whole(Math.max(1, cores / 2)) + " to " + whole(2 * cores) + ")")
            + "   # assumed: as the region servers have");
    value("storage.mbps", ASSUMED_MBPS);
  }

  private void settings() {
    Map<String, String> settings = sample.settings();
    lines.add("");
    positive("hbase.hregion.memstore.flush.size")
        .ifPresent(size -> value("flush.bytes", bytes(Math.max(LEAST_FLUSH_BYTES, size))));
    positive("hbase.hstore.blockingStoreFiles")
        .ifPresent(files -> value("blocking.files", number(files)));
    positive("hbase.hregion.majorcompaction")
        .ifPresent(
            millis -> value("major.days", number(Math.max(LEAST_DAYS, millis / DAY_MILLIS))));
    if ("0".equals(settings.get("hbase.hregion.majorcompaction"))) {
      value("major.days", "3650   # switched off there");
    }
    positive("io.storefile.bloom.error.rate")
        .filter(rate -> rate <= 1)
        .ifPresent(rate -> value("bloom.errors", number(rate)));
    replication();
  }

  private void replication() {
    Optional<Double> ofHdfs = positive("dfs.replication").map(PlanOfCluster::replicas);
    List<TableSample> own =
        sample.tables().stream()
            .filter(table -> table.schema().map(TableSample.Schema::replicas).orElse(0) > 0)
            .toList();
    if (own.isEmpty()) {
      ofHdfs.ifPresent(count -> value("replication", whole(count)));
      return;
    }
    double replicas = 0;
    double bytes = 0;
    for (TableSample table : sample.tables()) {
      int families = table.schema().map(TableSample.Schema::replicas).orElse(0);
      // Tables that are empty count as well.
      double weight = Math.max(1, table.bytes());
      replicas += weight * (families > 0 ? replicas(families) : ofHdfs.orElse(USUAL_REPLICAS));
      bytes += weight;
    }
    value(
        "replication",
        whole(Math.rint(replicas / bytes))
            + "   # on average over all bytes; "
            + own.stream()
                .map(table -> table.name() + " says " + table.schema().orElseThrow().replicas())
                .collect(Collectors.joining(", ")));
  }

  private static double replicas(double count) {
    return Math.max(1, Math.min(MOST_REPLICAS, Math.rint(count)));
  }

  private Optional<Double> positive(String setting) {
    String text = sample.settings().getOrDefault(setting, "");
    return text.matches("\\d{1,15}(\\.\\d{1,9})?") && !text.matches("[0.]*")
        ? Optional.of(Double.parseDouble(text))
        : Optional.empty();
  }

  private boolean isPlanned(TableSample table) {
    return table.regions() > 0 && table.bytes() > LEAST_TABLE_BYTES;
  }

  /** A table's part of the operations and of the bytes. */
  private double weight(TableSample table) {
    double operations = 0;
    double bytes = 0;
    for (TableSample each : sample.tables()) {
      operations += operations(each);
      bytes += each.bytes();
    }
    return operations(table) / Math.max(1, operations) + table.bytes() / Math.max(1, bytes);
  }

  private static double operations(TableSample table) {
    return (double) table.reads() + table.writes();
  }

  private void table(TableSample table) {
    lines.add("");
    lines.add("[table " + table.name() + "]");
    table
        .schema()
        .ifPresent(schema -> schema.families().forEach(family -> lines.add("# " + family)));
    value("regions", Integer.toString(table.regions()));
    value("bytes", bytes(table.bytes()));
    value("row.bytes", rowBytes(table));
    table
        .schema()
        .ifPresent(
            schema ->
                value(
                    "block.bytes",
                    bytes(Math.min(MOST_BLOCK_BYTES, schema.blockBytes() / unpacked(table)))));
    if (table.unpacked() > WORTH_SAYING) {
      value("unpacked", number(unpacked(table)));
    }
    table.files().ifPresent(files -> value("files", range(files.map(each -> Math.max(1, each)))));
    load(table);
    lines.add("# skew: HBase does not know; see ./ishbase sim plan --parameters");
  }

  private static double unpacked(TableSample table) {
    return Math.min(MOST_UNPACKED, table.unpacked());
  }

  private String rowBytes(TableSample table) {
    if (table.rows().isEmpty()) {
      double most = Math.floor(Math.min(10_000, MOST_ROW_BYTES / unpacked(table)));
      return range(new Spread(Math.min(100, most), Math.min(1_000, most), most))
          + "   # assumed: no row could be read";
    }
    Spread packed =
        table.rows().get().map(row -> Math.max(1, Math.min(MOST_ROW_BYTES, row) / unpacked(table)));
    boolean isEncoded = table.schema().map(TableSample.Schema::isEncoded).orElse(false);
    Spread encoded =
        isEncoded
            ? new Spread(LEAST_ENCODED * packed.least(), packed.mean(), packed.most())
            : packed;
    return range(encoded)
        + (table.rows().get().most() > MOST_ROW_BYTES
            ? "   # wider rows than a plan can have"
            : isEncoded ? "   # HBase does not say how small encoding makes them" : "");
  }

  private void load(TableSample table) {
    double perSecond = 1 / sample.seconds();
    lines.add(
        String.format(
                Locale.ROOT,
                "# %,d rows read and %,d written in %s",
                table.reads(),
                table.writes(),
                seconds())
            + kinds(table));
    value("gets", number(table.gets() * perSecond));
    value("scans", number(table.scans() * perSecond));
    if (table.scans() > 0) {
      value("scan.rows", whole(Math.min(MOST_SCAN_ROWS, Math.rint(table.scanRows()))));
    }
    value("puts", number(table.writes() * perSecond));
  }

  private static String kinds(TableSample table) {
    if (table.reads() == 0) {
      return "";
    }
    return table
        .kinds()
        .map(kinds -> kinds.isMeanwhile() ? "" : "; kinds of reads as since the regions opened")
        .orElse("; of which kind the reads are is not shown: taken for Gets");
  }

  private void leftOut(TableSample table, String why) {
    lines.add(
        String.format(
            Locale.ROOT,
            "# left out, %s: %s, %s, %,d rows read, %,d written",
            why,
            table.name(),
            bytes(table.bytes()),
            table.reads(),
            table.writes()));
  }

  private void value(String name, String text) {
    lines.add(name + " = " + text);
  }

  private static String range(Spread spread) {
    String mean = number(spread.mean());
    String least = number(spread.least());
    String most = number(spread.most());
    return least.equals(most) ? mean : mean + " (" + least + " to " + most + ")";
  }

  private static String whole(double number) {
    return Long.toString((long) number);
  }

  /** Four digits, which is more than what was measured is worth. */
  private static String number(double number) {
    return new BigDecimal(number)
        .round(new MathContext(4, RoundingMode.HALF_EVEN))
        .stripTrailingZeros()
        .toPlainString();
  }

  private static String bytes(double bytes) {
    String[] units = {"", " KB", " MB", " GB", " TB"};
    int unit = 0;
    double number = bytes;
    while (number >= 1024 && unit < units.length - 1) {
      number /= 1024;
      unit++;
    }
    return number(number) + units[unit];
  }
}
