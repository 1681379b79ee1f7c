package io.ishbase.dist.packaging;

import io.ishbase.cluster.ClusterServer;
import io.ishbase.cluster.ClusterServer.Kind;
import io.ishbase.cluster.Mode;
import io.ishbase.cluster.RegionServerJmx;
import io.ishbase.dist.cluster.ClusterOptions;
import io.ishbase.dist.cluster.Installed;
import io.ishbase.dist.cluster.LocalCluster;
import io.ishbase.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Daemons, master and region servers of a cluster end one after the other and start again from
 * another release, while clients read and write rows of a table and check what they read. In
 * between, when daemons are of one release and all others of the other, reads and a compaction have
 * to be carried out by daemons. What a region server counts is seen until its regions have left.
 */
final class RollingRestart {
  private static final int CLIENTS = 4;
  private static final long SECONDS_AHEAD = 10;
  private static final long SECONDS_BEFORE = 20;

  /** Between daemons of one release and region servers of the other. */
  private static final int READS_IN_BETWEEN = 1000;

  private static final int SCANNED_ROWS = 10;
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final String READS = "reads";
  private static final String FALLBACKS = "fallbacks, ";
  private static final String OF_RELEASE = FALLBACKS + "version";

  /** What is no sign of a machine that is busy, but of somebody who is not understood. */
  private static final Set<String> NOT_UNDERSTOOD =
      Set.of(
          OF_RELEASE,
          FALLBACKS + "no daemon",
          FALLBACKS + "no answer",
          FALLBACKS + "bad answer",
          FALLBACKS + "bad request",
          FALLBACKS + "refused",
          FALLBACKS + "unsupported",
          FALLBACKS + "corrupt file",
          FALLBACKS + "filter",
          FALLBACKS + "failed");

  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] COUNT = Bytes.toBytes("count");

  private final LocalCluster cluster;
  private final ClusterOptions options;
  private final Connection connection;
  private final TableName table;
  private final int rows;

  /** Of each region server that there was. */
  private final Map<ServerName, RegionServerJmx> pages = new HashMap<>();

  /** What each has said last. */
  private final Map<ServerName, Map<String, Double>> counted = new HashMap<>();

  /** What each row counts, by whose client; 0: nobody knows. */
  private final long[] written;

  private final LongAdder failed = new LongAdder();
  private volatile @Nullable IOException failure;
  private volatile Histogram latency = histogram();
  private volatile boolean isOver;

  /**
   * Among so many rows, which are there.
   *
   * @param options those that the cluster was prepared with
   */
  RollingRestart(
      LocalCluster cluster,
      ClusterOptions options,
      Connection connection,
      TableName table,
      int rows) {
    this.cluster = cluster;
    this.options = options;
    this.connection = connection;
    this.table = table;
    this.rows = rows;
    written = new long[rows];
  }

  private static Histogram histogram() {
    return new ConcurrentHistogram(TimeUnit.MINUTES.toMicros(10), 3);
  }

  /**
   * Restarts all.
   *
   * @param daemonsFirst else they are last
   * @return what happened, a line for all and one for each part
   * @throws IOException if an operation fails, or a read shows what was not written, or daemons and
   *     region servers of the two releases do not understand each other
   */
  String to(Installed release, boolean daemonsFirst)
      throws IOException, InterruptedException, ExecutionException {
    List<Part> parts = new ArrayList<>();
    long operations =
        whileClients(
            () -> {
              parts.add(before());
              parts.add(restart(daemonsFirst, release));
              parts.add(part("in between", this::compact));
              parts.add(restart(!daemonsFirst, release));
            },
            parts);
    Part inBetween = parts.get(2);
    String text =
        String.format(
            Locale.ROOT,
            "daemons %s: %s; %.0f reads by daemons, %.0f fell back for the release%s",
            daemonsFirst ? "first" : "last",
            seen(operations, parts.get(0), parts.get(1), parts.get(3)),
            sum(parts, READS),
            sum(parts, OF_RELEASE),
            parts.stream().map(each -> "\n  " + each).collect(Collectors.joining()));
    if (failed.sum() > 0) {
      throw new IOException(text + "\n  " + failure, failure);
    }
    if (inBetween.counts.keySet().stream().anyMatch(NOT_UNDERSTOOD::contains)
        || sum(parts, OF_RELEASE) > 0) {
      throw new IOException("daemons and region servers do not understand each other: " + text);
    }
    return text;
  }

  /**
   * Restarts master and region servers of a table that HBase reads by itself, to know what of the
   * waits is HBase's.
   *
   * @throws IOException if an operation fails, or a read shows what was not written
   */
  String stock(Installed release) throws IOException, InterruptedException, ExecutionException {
    List<Part> parts = new ArrayList<>();
    long operations =
        whileClients(
            () -> {
              parts.add(before());
              parts.add(part("meanwhile", () -> restartMasterAndRegionServers(release, false)));
            },
            parts);
    String text = seen(operations, parts.get(0), parts.get(1));
    if (failed.sum() > 0) {
      throw new IOException(text + "\n  " + failure, failure);
    }
    if (sum(parts, READS) > 0) {
      throw new IOException("daemons were asked: " + parts);
    }
    return text;
  }

  /**
   * @param parts what was seen so far, should something take too long
   * @return operations of clients
   */
  private long whileClients(Step step, List<Part> parts)
      throws IOException, InterruptedException, ExecutionException {
    isOver = false;
    failed.reset();
    failure = null;
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    List<Future<Long>> clients = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      int client = i;
      clients.add(threads.submit(() -> operate(client)));
    }
    try {
      TimeUnit.SECONDS.sleep(SECONDS_AHEAD);
      step.run();
    } catch (AssertionError e) {
      throw new IOException(
          e.getMessage() + "; " + failed.sum() + " operations failed; so far " + parts, e);
    } finally {
      isOver = true;
      threads.shutdown();
    }
    long operations = 0;
    for (Future<Long> client : clients) {
      operations += client.get();
    }
    return operations;
  }

  private Part before() throws IOException, InterruptedException {
    return part("before", () -> TimeUnit.SECONDS.sleep(SECONDS_BEFORE));
  }

  private String seen(long operations, Part before, Part... restarts) {
    Histogram meanwhile = histogram();
    for (Part each : restarts) {
      meanwhile.add(each.latency);
    }
    return String.format(
        Locale.ROOT,
        "%d operations, %d failed; p99 %.1f ms before, %.1f ms meanwhile (%.2f x), at most %.0f ms",
        operations,
        failed.sum(),
        millis(before.latency.getValueAtPercentile(99)),
        millis(meanwhile.getValueAtPercentile(99)),
        (double) meanwhile.getValueAtPercentile(99) / before.latency.getValueAtPercentile(99),
        millis(meanwhile.getMaxValue()));
  }

  private static double millis(long micros) {
    return micros / 1000.0;
  }

  private static double sum(List<Part> parts, String name) {
    return parts.stream().mapToDouble(each -> each.counts.getOrDefault(name, 0.0)).sum();
  }

  /** What is done while clients go on. */
  private interface Step {
    void run() throws IOException, InterruptedException;
  }

  /**
   * What was seen while a step was done.
   *
   * @param counts {@code reads}, and what else is not zero
   */
  private record Part(String name, Histogram latency, Map<String, Double> counts) {
    @Override
    public String toString() {
      String fallbacks =
          counts.entrySet().stream()
              .filter(each -> each.getKey().startsWith(FALLBACKS))
              .map(each -> Math.round(each.getValue()) + " " + each.getKey().replace(FALLBACKS, ""))
              .collect(Collectors.joining(", "));
      return String.format(
          Locale.ROOT,
          "%s: p99 %.1f ms, %.0f reads by daemons, fell back: %s",
          name,
          millis(latency.getValueAtPercentile(99)),
          counts.get(READS),
          fallbacks.isEmpty() ? "none" : fallbacks);
    }
  }

  private Part part(String name, Step step) throws IOException, InterruptedException {
    Map<String, Double> before = count();
    Histogram seen = histogram();
    latency = seen;
    step.run();
    return new Part(name, seen, since(before));
  }

  private Part restart(boolean daemons, Installed release)
      throws IOException, InterruptedException {
    if (daemons) {
      return part("daemons restart", () -> restartDaemons(release));
    }
    return part(
        "master and region servers restart", () -> restartMasterAndRegionServers(release, true));
  }

  private void restartMasterAndRegionServers(Installed release, boolean isInStorage)
      throws IOException, InterruptedException {
    restart(Kind.MASTER, 1, release);
    for (int number = 1; number <= options.regionServers().size(); number++) {
      restartWithoutRegions(number, release, isInStorage);
    }
  }

  void endRegionServers() throws IOException {
    for (int number = 1; number <= options.regionServers().size(); number++) {
      cluster.server(Kind.REGION_SERVER, number, options).end();
    }
  }

  /** After {@link #endRegionServers}. */
  void startRegionServers(Installed release) throws IOException {
    List<ClusterServer> servers = new ArrayList<>();
    for (int number = 1; number <= options.regionServers().size(); number++) {
      servers.add(cluster.server(Kind.REGION_SERVER, number, options, release));
    }
    for (ClusterServer server : servers) {
      server.start();
    }
    for (ClusterServer server : servers) {
      server.awaitServing();
    }
  }

  /** Reads go on, and daemons carry out a compaction. */
  private void compact() throws IOException {
    try (Admin admin = connection.getAdmin()) {
      Map<String, Double> before = count();
      until("reads by daemons", () -> since(before).get(READS) >= READS_IN_BETWEEN);
      admin.flush(table);
      double compactions = offloaded();
      until("a compaction by a daemon", () -> isCompacted(admin, compactions));
    }
  }

  /** Some who restarted may be left alone for a while. */
  private void awaitNobodyQuarantined() throws IOException {
    try (Admin admin = connection.getAdmin()) {
      until("no daemon in quarantine", () -> isNobodyQuarantined(admin));
    }
  }

  /** Asks seldom enough to leave the servers alone. */
  private static void until(String what, BooleanSupplier condition) {
    Await.until(
        what,
        () -> {
          LockSupport.parkNanos(POLL_NANOS);
          return condition.getAsBoolean();
        });
  }

  private boolean isNobodyQuarantined(Admin admin) {
    try {
      for (ServerName server : admin.getRegionServers()) {
        if (!page(admin, server).quarantined().isEmpty()) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      // One that has just begun shows nothing yet.
      return false;
    }
  }

  private boolean isCompacted(Admin admin, double before) {
    try {
      if (offloaded() > before) {
        return true;
      }
      // On a busy machine a region server may do without.
      if (admin.getCompactionState(table) == CompactionState.NONE) {
        admin.majorCompact(table);
      }
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void restartDaemons(Installed release) throws IOException {
    for (int node = 1; node <= options.storageNodes(); node++) {
      restart(Kind.DAEMON, node, release);
      awaitNobodyQuarantined();
    }
  }

  private void restart(Kind kind, int number, Installed release) throws IOException {
    ClusterServer server = cluster.server(kind, number, options, release);
    server.end();
    server.start();
    server.awaitServing();
  }

  /** Moves the regions of a region server away before it ends, and back, as HBase's scripts do. */
  private void restartWithoutRegions(int number, Installed release, boolean isInStorage)
      throws IOException {
    String address = cluster.regionServers().get(number - 1);
    try (Admin admin = connection.getAdmin()) {
      boolean wasBalanced = admin.balancerSwitch(false, true);
      ServerName from = at(admin, address);
      List<RegionInfo> all = admin.getRegions(from);
      move(admin, all, other(admin, address));
      // HBase keeps system tables on the latest of the versions that run.
      List<RegionInfo> regions =
          all.stream().filter(region -> !region.getTable().isSystemTable()).toList();
      until("no region at " + address, () -> isWithout(admin, regions, from));
      count();
      restart(Kind.REGION_SERVER, number, release);
      ServerName restarted = at(admin, address);
      // One that has just begun is not taken at once: the master may choose another then.
      until(
          "the regions to be at " + restarted + " again",
          () -> moveWhatIsElsewhere(admin, regions, restarted));
      admin.balancerSwitch(wasBalanced, true);
      if (isInStorage && regions.stream().anyMatch(region -> region.getTable().equals(table))) {
        until("reads by daemons for " + restarted, () -> isReading(restarted));
      }
    }
  }

  private boolean isReading(ServerName server) {
    try {
      count();
      return counted.getOrDefault(server, Map.of()).getOrDefault(READS, 0.0) > 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean moveWhatIsElsewhere(Admin admin, List<RegionInfo> all, ServerName to) {
    try {
      List<RegionInfo> elsewhere = new ArrayList<>(all);
      elsewhere.removeAll(admin.getRegions(to));
      move(admin, elsewhere, to);
      return elsewhere.isEmpty();
    } catch (IOException e) {
      // It does not serve yet.
      return false;
    }
  }

  private static void move(Admin admin, List<RegionInfo> regions, ServerName to)
      throws IOException {
    for (RegionInfo region : regions) {
      admin.move(region.getEncodedNameAsBytes(), to);
    }
  }

  private static ServerName at(Admin admin, String address) throws IOException {
    return admin.getRegionServers().stream()
        .filter(server -> server.getAddress().toString().equals(address))
        .findFirst()
        .orElseThrow(() -> new IOException("no region server at " + address));
  }

  private static ServerName other(Admin admin, String address) throws IOException {
    return admin.getRegionServers().stream()
        .filter(server -> !server.getAddress().toString().equals(address))
        .findFirst()
        .orElseThrow(() -> new IOException("no region server but " + address));
  }

  private static boolean isWithout(Admin admin, List<RegionInfo> regions, ServerName server) {
    try {
      return admin.getRegions(server).stream().noneMatch(regions::contains);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Asks region servers what they have counted since they began, and sums up for all so far. */
  private Map<String, Double> count() throws IOException {
    try (Admin admin = connection.getAdmin()) {
      Await.until("all region servers to show what they count", () -> isCounted(admin));
    }
    Map<String, Double> sum = new TreeMap<>();
    counted.values().forEach(each -> each.forEach((name, n) -> sum.merge(name, n, Double::sum)));
    return sum;
  }

  private boolean isCounted(Admin admin) {
    try {
      for (ServerName server : admin.getRegionServers()) {
        counted.put(server, page(admin, server).inStorageReads());
      }
      return true;
    } catch (IOException e) {
      // One that has just begun does not say yet where its page is.
      return false;
    }
  }

  private RegionServerJmx page(Admin admin, ServerName server) throws IOException {
    RegionServerJmx page = pages.get(server);
    if (page == null) {
      page = RegionServerJmx.of(admin, server);
      pages.put(server, page);
    }
    return page;
  }

  /** What has been counted since: {@code reads}, and what is not zero. */
  private Map<String, Double> since(Map<String, Double> before) {
    try {
      Map<String, Double> counts = count();
      counts.replaceAll((name, n) -> n - before.getOrDefault(name, 0.0));
      counts.entrySet().removeIf(each -> each.getValue() == 0 && !each.getKey().equals(READS));
      return counts;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Compactions by daemons, of the region servers that there are. */
  private double offloaded() throws IOException {
    double sum = 0;
    try (Admin admin = connection.getAdmin()) {
      for (ServerName server : admin.getRegionServers()) {
        sum += page(admin, server).offloads().get("Offloaded");
      }
    }
    return sum;
  }

  /** Counts rows of its own up, and reads them. */
  private long operate(int client) throws IOException {
    long operations = 0;
    try (Table open = connection.getTable(table)) {
      for (; !isOver; operations++) {
        int row = ThreadLocalRandom.current().nextInt(rows / CLIENTS) * CLIENTS + client;
        long start = System.nanoTime();
        try {
          operate(open, row);
        } catch (IOException e) {
          failed.increment();
          failure = e;
          // It may be there or not.
          written[row] = 0;
        }
        latency.recordValue((System.nanoTime() - start) / 1000);
      }
    }
    return operations;
  }

  private void operate(Table open, int row) throws IOException {
    int kind = ThreadLocalRandom.current().nextInt(8);
    if (kind < 2) {
      long count = written[row] + 1;
      open.put(new Put(key(row)).addColumn(FAMILY, COUNT, Bytes.toBytes(count)));
      written[row] = count;
    } else if (kind < 7) {
      // Half of them not by the segment cache.
      check(open.get(new Get(key(row)).setCacheBlocks(kind % 2 == 0)), row, written[row]);
    } else {
      Scan scan =
          new Scan()
              .withStartRow(key(row))
              .setLimit(SCANNED_ROWS)
              .addFamily(FAMILY)
              .setFilter(new ColumnPrefixFilter(COUNT));
      Result found = Result.EMPTY_RESULT;
      try (ResultScanner scanner = open.getScanner(scan)) {
        for (Result each : scanner) {
          found = Bytes.equals(each.getRow(), key(row)) ? each : found;
        }
      }
      check(found, row, written[row]);
    }
  }

  /**
   * Reads all rows, both ways.
   *
   * @throws IOException if one does not show what was written to it last
   */
  String checkAll() throws IOException {
    int checked = 0;
    try (Table open = connection.getTable(table)) {
      for (Mode mode : Mode.values()) {
        for (int row = 0; row < rows; row++) {
          check(open.get(mode.on(new Get(key(row)))), row, written[row]);
          checked += written[row] > 0 ? 1 : 0;
        }
      }
    }
    if (checked == 0) {
      throw new IOException("no row was written");
    }
    return "as written: " + checked + " rows, over all ways";
  }

  private static void check(Result found, int row, long written) throws IOException {
    byte[] value = found.getValue(FAMILY, COUNT);
    if (written > 0 && (value == null || Bytes.toLong(value) != written)) {
      throw new IOException(
          "row " + row + " shows " + Bytes.toStringBinary(value) + ", not " + written);
    }
  }

  private static byte[] key(int row) {
    return OtherVersions.row(row);
  }
}
