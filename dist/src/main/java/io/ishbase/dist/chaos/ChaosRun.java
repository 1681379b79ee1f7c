package io.ishbase.dist.chaos;

import io.ishbase.cluster.ClusterServer;
import io.ishbase.cluster.ClusterServer.Kind;
import io.ishbase.cluster.NetworkRig;
import io.ishbase.cluster.Progress;
import io.ishbase.cluster.RegionServerJmx;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Table;

/** Clients, the monkey and the checks of one run. */
public final class ChaosRun {
  private static final int SHARED_ROWS = 8;

  /** One more than there are replicas, or a region server that cannot write its log would end. */
  public static final int STORAGE_NODES = 3;

  public static final int REGION_SERVERS = 2;
  private static final int LINE_MBPS = 4;
  private static final int CALL_MILLIS = 4_000;
  private static final int WAIT_SECONDS = 60;

  /** The servers that may be struck. */
  public interface Servers {
    ClusterServer server(Kind kind, int number);
  }

  /**
   * How it went.
   *
   * @param wrong what must not be; empty: nothing
   */
  public record Report(
      long seed,
      Map<String, Integer> struck,
      String fileChanges,
      long operations,
      long failures,
      int rows,
      long scans,
      long scannedRows,
      Map<String, Long> inStorage,
      List<String> wrong) {
    /** Whether nothing was lost, nothing was wrong, and daemons were asked at all. */
    public boolean isRight() {
      return wrong.isEmpty();
    }

    @Override
    public String toString() {
      return String.format(
          "seed %d%n%,d operations and %,d that failed, in %,d rows: %s%n"
              + "%,d scans, %,d rows of them known before%n"
              + "region servers, since they began last: %s%n%s%nfaults: %s",
          seed,
          operations,
          failures,
          rows,
          wrong.isEmpty()
              ? "every history is linearizable, nothing is lost"
              : "WRONG\n" + String.join("\n", wrong),
          scans,
          scannedRows,
          inStorage,
          fileChanges,
          struck);
    }
  }

  /** Of clients that send nothing twice. */
  private final Configuration conf;

  /** Of one that verifies. */
  private final Configuration patient;

  private final NetworkRig rig;
  private final Servers servers;
  private final int clients;
  private final long seed;
  private final Path events;

  /**
   * @param conf of a client
   * @param events takes what went wrong, and when
   */
  public ChaosRun(
      Configuration conf, NetworkRig rig, Servers servers, int clients, long seed, Path events) {
    this.patient = new Configuration(conf);
    this.conf = new Configuration(conf);
    this.conf.setInt("hbase.client.retries.number", 0);
    this.conf.setInt("hbase.rpc.timeout", CALL_MILLIS);
    this.conf.setInt("hbase.client.operation.timeout", CALL_MILLIS);
    this.conf.setInt("hbase.client.meta.operation.timeout", CALL_MILLIS);
    this.conf.setInt("hbase.client.scanner.timeout.period", CALL_MILLIS);
    this.rig = rig;
    this.servers = servers;
    this.clients = clients;
    this.seed = seed;
    this.events = events;
  }

  private List<Fault> faults() {
    List<Fault> faults = new ArrayList<>();
    for (int node = 1; node <= STORAGE_NODES; node++) {
      ClusterServer daemon = servers.server(Kind.DAEMON, node);
      faults.add(Fault.killed("daemon " + node, daemon));
      faults.add(Fault.gone("daemon " + node, daemon));
      faults.add(Fault.paused("daemon " + node, daemon));
      faults.add(Fault.slow("daemon " + node, daemon));
      ClusterServer dataNode = servers.server(Kind.DATANODE, node);
      faults.add(Fault.killed("DataNode " + node, dataNode));
      faults.add(Fault.paused("DataNode " + node, dataNode));
    }
    for (int number = 1; number <= REGION_SERVERS; number++) {
      ClusterServer server = servers.server(Kind.REGION_SERVER, number);
      faults.add(Fault.killed("region server " + number, server));
      faults.add(Fault.paused("region server " + number, server));
    }
    faults.add(Fault.killed("the master", servers.server(Kind.MASTER, 1)));
    if (rig.canCap()) {
      faults.add(Fault.narrow(rig, LINE_MBPS));
    }
    return faults;
  }

  /**
   * Lets things go wrong for so long, mends all, and checks.
   *
   * @throws IOException if a server did not come back, or what was written cannot be read
   */
  public Report run(Duration time) throws IOException {
    Random seeds = new Random(seed);
    Rows rows = new Rows(SHARED_ROWS);
    HistoryClient.Counts counts = new HistoryClient.Counts();
    AtomicBoolean isOver = new AtomicBoolean();
    CountDownLatch end = new CountDownLatch(1);
    ExecutorService threads = Executors.newFixedThreadPool(clients + 1);
    try (Progress progress = new Progress("chaos", time.toSeconds());
        PrintWriter log = new PrintWriter(Files.newBufferedWriter(events), true);
        Connection connection = ConnectionFactory.createConnection(conf);
        AsyncConnection scanning = scanning()) {
      ChaosTable.create(connection);
      try (Admin admin = connection.getAdmin()) {
        admin.balancerSwitch(false, true);
      }
      Monkey monkey = new Monkey(faults(), seeds.nextLong(), progress, line -> say(log, line));
      FileChanges changes = new FileChanges(connection, seeds.nextLong());
      List<Future<?>> work = new ArrayList<>();
      try {
        for (int number = 0; number < clients; number++) {
          HistoryClient client =
              new HistoryClient(
                  number,
                  rows,
                  connection.getTable(ChaosTable.NAME),
                  scanning.getTable(ChaosTable.NAME),
                  counts,
                  seeds.nextLong());
          work.add(threads.submit(() -> client.run(isOver)));
        }
        work.add(
            threads.submit(
                () -> {
                  changes.run(end);
                  return null;
                }));
        monkey.run(time, end);
      } finally {
        isOver.set(true);
        end.countDown();
        threads.shutdown();
      }
      await(work);
      say(log, "verifying");
      Map<String, Long> inStorage;
      try (Connection verifying = ConnectionFactory.createConnection(patient);
          Table table = verifying.getTable(ChaosTable.NAME)) {
        rows.verifyAll(
            table,
            new HistoryClient(
                clients,
                rows,
                table,
                scanning.getTable(ChaosTable.NAME),
                counts,
                seeds.nextLong()));
        inStorage = inStorage(verifying);
      }
      List<String> wrong =
          new ArrayList<>(rows.violations().stream().map(Rows.Violation::toString).toList());
      if (!inStorage.containsKey("reads")) {
        wrong.add("Nothing was read at the daemons");
      }
      if (inStorage.containsKey("verifyDifferences")) {
        wrong.add("Reads that differed from HBase's own: see the region servers' logs");
      }
      wrong.forEach(each -> say(log, each));
      return new Report(
          seed,
          monkey.struck(),
          changes.toString(),
          counts.operations.get(),
          counts.failures.get(),
          rows.checked(),
          counts.scans.get(),
          counts.scannedRows.get(),
          inStorage,
          wrong);
    }
  }

  private AsyncConnection scanning() throws IOException {
    try {
      return ConnectionFactory.createAsyncConnection(conf).join();
    } catch (CompletionException e) {
      throw new IOException("No connection for scans", e);
    }
  }

  private static void say(PrintWriter log, String line) {
    log.println(LocalTime.now().truncatedTo(ChronoUnit.MILLIS) + " " + line);
  }

  private static void await(List<Future<?>> work) throws IOException {
    for (Future<?> each : work) {
      try {
        each.get(WAIT_SECONDS, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        throw new IOException("A client failed", e.getCause());
      } catch (TimeoutException e) {
        throw new IOException("A client does not end: its call has no end", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException(e);
      }
    }
  }

  /** What the region servers counted since they were started last. */
  private static Map<String, Long> inStorage(Connection connection) throws IOException {
    Map<String, Long> sum = new TreeMap<>();
    try (Admin admin = connection.getAdmin()) {
      for (ServerName server : admin.getRegionServers()) {
        RegionServerJmx.of(admin, server)
            .inStorageReads()
            .forEach(
                (name, count) -> {
                  if (count > 0) {
                    sum.merge(name, count.longValue(), Long::sum);
                  }
                });
      }
    }
    return sum;
  }
}
