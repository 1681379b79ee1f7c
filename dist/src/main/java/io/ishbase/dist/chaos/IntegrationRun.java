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
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/** HBase's integration test while the monkey works, and what it wrote when all is mended. */
public final class IntegrationRun {
  private static final String READ = "ishbase.read";

  /**
   * How it went.
   *
   * @param struck how often each fault
   * @param wrong what must not be; empty: nothing
   */
  public record Report(
      long seed,
      String done,
      String fileChanges,
      Map<String, Integer> struck,
      Map<String, Long> inStorage,
      List<String> wrong) {
    public boolean isRight() {
      return wrong.isEmpty();
    }

    @Override
    public String toString() {
      return String.format(
          "seed %d%n%s: %s%nregion servers, since they began last: %s%n%s%nfaults: %s",
          seed,
          done,
          wrong.isEmpty() ? "nothing is lost" : "WRONG\n" + String.join("\n", wrong),
          inStorage,
          fileChanges,
          struck);
    }
  }

  private final LocalCluster cluster;
  private final ClusterOptions options;
  private final BigLinkedList test;
  private final List<Mode> modes;
  private final long seed;
  private final Path events;

  /**
   * @param options those that the cluster was prepared with; its compaction servers run
   * @param nodes of each list
   * @param modes in which is read at the end, one after the other
   * @param events takes what went wrong, and when
   */
  public IntegrationRun(
      LocalCluster cluster,
      ClusterOptions options,
      TestClient client,
      long nodes,
      List<Mode> modes,
      long seed,
      Path events) {
    this.cluster = cluster;
    this.options = options;
    this.test = new BigLinkedList(client, nodes);
    this.modes = List.copyOf(modes);
    this.seed = seed;
    this.events = events;
  }

  /**
   * Lets things go wrong for so long, or until the list ends that has begun by then, mends all, and
   * verifies.
   *
   * @throws IOException if a server did not come back, or the table cannot be changed
   */
  public Report run(Duration time) throws IOException {
    Random seeds = new Random(seed);
    CountDownLatch end = new CountDownLatch(1);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (Progress progress = new Progress("chaos", time.toSeconds());
        EventLog log = new EventLog(events);
        Connection connection = ConnectionFactory.createConnection(cluster.clientConfiguration());
        Connection changing =
            ConnectionFactory.createConnection(ChaosRun.impatient(cluster.clientConfiguration()))) {
      test.prepare(connection);
      List<Fault> faults = Faults.of(cluster, options, seeds.nextLong());
      Monkey monkey = new Monkey(faults, seeds.nextLong(), progress, log::say, cluster, options);
      FileChanges changes = new FileChanges(changing, test.table(), seeds.nextLong());
      List<String> wrong = new ArrayList<>();
      List<Future<?>> disorder = new ArrayList<>();
      try {
        // It ends with the last list, be that later.
        disorder.add(threads.submit(ended(() -> monkey.run(Duration.ofDays(1), end), end)));
        disorder.add(threads.submit(ended(() -> changes.run(end), end)));
        long begin = System.nanoTime();
        Duration left = time;
        while (left.compareTo(Duration.ZERO) > 0 && end.getCount() > 0 && wrong.isEmpty()) {
          log.say(test + ": goes on");
          wrong.addAll(test.work());
          left = time.minusNanos(System.nanoTime() - begin);
        }
      } finally {
        end.countDown();
        threads.shutdown();
        await(disorder);
      }
      wrong.addAll(InStorageReads.awaitNobodyLeftAlone(connection, modes));
      Map<String, Long> before = InStorageReads.since(connection, modes);
      for (Mode mode : modes) {
        log.say("verifying, " + mode);
        progress.note("verifying, " + mode);
        read(connection, mode);
        wrong.addAll(test.verify(mode));
      }
      Map<String, Long> inStorage = InStorageReads.since(connection, modes);
      wrong.addAll(InStorageReads.wrong(before, inStorage, modes, cluster, options));
      wrong.forEach(log::say);
      return new Report(
          seed, test.toString(), changes.toString(), monkey.struck(), inStorage, wrong);
    }
  }

  /** What may fail. */
  private interface Work {
    void run() throws IOException;
  }

  /** Work whose failure ends the run. */
  private Callable<Void> ended(Work work, CountDownLatch end) {
    return () -> {
      try {
        work.run();
        return null;
      } catch (IOException | RuntimeException e) {
        cluster.endClients();
        throw e;
      } finally {
        end.countDown();
      }
    };
  }

  private static void await(List<Future<?>> work) throws IOException {
    for (Future<?> each : work) {
      try {
        each.get();
      } catch (ExecutionException e) {
        throw new IOException("The monkey failed", e.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException(e);
      }
    }
  }

  /** Has the table read in one way from now on. */
  private void read(Connection connection, Mode mode) throws IOException {
    TableName table = test.table();
    try (Admin admin = connection.getAdmin()) {
      admin.modifyTable(
          TableDescriptorBuilder.newBuilder(admin.getDescriptor(table))
              .setValue(READ, mode.toString())
              .build());
    }
  }
}
