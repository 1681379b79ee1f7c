package io.ishbase.dist.chaos;

import io.ishbase.cluster.Mode;
import io.ishbase.cluster.Progress;
import io.ishbase.dist.cluster.ClusterOptions;
import io.ishbase.dist.cluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
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
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Table;

/** Clients, the monkey and the checks of one run. */
public final class ChaosRun {
  /** A region may be closed for as long as HBase waits for a log that HDFS cannot recover. */
  private static final int PATIENT_RETRIES = 60;

  private static final int SHARED_ROWS = 8;

  private static final int CALL_MILLIS = 4_000;
  private static final int WAIT_SECONDS = 60;

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

  private final LocalCluster cluster;
  private final ClusterOptions options;
  private final List<Mode> modes;
  private final int clients;
  private final long seed;
  private final Path events;

  /**
   * @param options those that the cluster was prepared with; its compaction servers run
   * @param modes of reads; one is drawn for each
   * @param events takes what went wrong, and when
   */
  public ChaosRun(
      LocalCluster cluster,
      ClusterOptions options,
      List<Mode> modes,
      int clients,
      long seed,
      Path events) {
    this.patient = cluster.clientConfiguration();
    this.patient.setInt("hbase.client.retries.number", PATIENT_RETRIES);
    this.conf = impatient(patient);
    this.cluster = cluster;
    this.options = options;
    this.modes = List.copyOf(modes);
    this.clients = clients;
    this.seed = seed;
    this.events = events;
  }

  /** The same of a client that sends nothing twice. */
  static Configuration impatient(Configuration client) {
    Configuration conf = new Configuration(client);
    conf.setInt("hbase.client.retries.number", 0);
    conf.setInt("hbase.rpc.timeout", CALL_MILLIS);
    conf.setInt("hbase.client.operation.timeout", CALL_MILLIS);
    conf.setInt("hbase.client.meta.operation.timeout", CALL_MILLIS);
    conf.setInt("hbase.client.scanner.timeout.period", CALL_MILLIS);
    return conf;
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
        EventLog log = new EventLog(events);
        Connection connection = ConnectionFactory.createConnection(conf);
        AsyncConnection scanning = scanning()) {
      ChaosTable.create(connection);
      try (Admin admin = connection.getAdmin()) {
        admin.balancerSwitch(false, true);
      }
      List<Fault> faults = Faults.of(cluster, options, seeds.nextLong());
      Monkey monkey = new Monkey(faults, seeds.nextLong(), progress, log::say, cluster, options);
      FileChanges changes = new FileChanges(connection, ChaosTable.NAME, seeds.nextLong());
      List<Future<?>> work = new ArrayList<>();
      try {
        for (int number = 0; number < clients; number++) {
          HistoryClient client =
              new HistoryClient(
                  number,
                  rows,
                  connection.getTable(ChaosTable.NAME),
                  scanning.getTable(ChaosTable.NAME),
                  modes,
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
      log.say("verifying");
      List<String> wrong = new ArrayList<>();
      Map<String, Long> before;
      Map<String, Long> inStorage;
      try (Connection verifying = ConnectionFactory.createConnection(patient);
          Table table = verifying.getTable(ChaosTable.NAME)) {
        wrong.addAll(InStorageReads.awaitNobodyLeftAlone(verifying, modes));
        before = InStorageReads.since(verifying, modes);
        rows.verifyAll(
            table,
            new HistoryClient(
                clients,
                rows,
                table,
                scanning.getTable(ChaosTable.NAME),
                modes,
                counts,
                seeds.nextLong()),
            modes);
        inStorage = InStorageReads.since(verifying, modes);
      }
      rows.violations().stream().map(Rows.Violation::toString).forEach(wrong::add);
      wrong.addAll(InStorageReads.wrong(before, inStorage, modes, cluster, options));
      if (rows.checked() == 0 || counts.operations.get() == 0) {
        wrong.add("Nothing was done: no operation succeeded");
      }
      if (monkey.struck().isEmpty()) {
        wrong.add("Nothing went wrong: no fault struck");
      }
      wrong.forEach(log::say);
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
}
