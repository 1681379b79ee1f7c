package io.ishbase.dist;

import io.ishbase.bench.RegionServerJmx;
import io.ishbase.dist.cluster.LocalCluster;
import io.ishbase.plugin.regionserver.StorageNode;
import io.ishbase.plugin.regionserver.StorageNodes;
import io.ishbase.plugin.regionserver.compaction.CompactionClient;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.CompactionProtos.Attempt;
import io.ishbase.protocol.generated.CompactionProtos.ProgressRequest;
import io.ishbase.protocol.generated.CompactionProtos.WorkRequest;
import io.ishbase.protocol.generated.CompactionProtos.WorkResponse;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.WorkerInfo;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./ishbase compactions}: what the workers are at, and where compactions went and why. */
@Command(
    name = "compactions",
    description = "Show the workers and the compactions that they carry out.",
    mixinStandardHelpOptions = true)
final class CompactionsCommand implements Runnable {
  private static final long REGISTRY_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final String RECENT =
      "Hadoop:service=HBase,name=RegionServer,sub=InStorageRecentCompactions";

  @Option(
      names = "--zookeeper",
      paramLabel = "HOST:PORT",
      description = "Of another cluster than the one that ./ishbase up started.")
  private String zooKeeper;

  @Override
  public void run() {
    list();
  }

  @Command(
      name = "list",
      description = "The workers and their compactions.",
      mixinStandardHelpOptions = true)
  void list() {
    StorageNodes nodes = nodes();
    for (StorageNode node : nodes.live()) {
      WorkResponse work = ask(nodes, node, WorkRequest.newBuilder());
      WorkerInfo worker = work.getWorker();
      System.out.printf(
          "%s  %d of %d slots%s, CPU %d %%, %d MB/s%n",
          node.name(),
          worker.getRunning(),
          worker.getSlots(),
          worker.getDraining() ? ", draining" : "",
          worker.getCpuPercent(),
          worker.getBytesPerSecond() >> 20);
      for (Attempt attempt : work.getAttemptList()) {
        System.out.printf(
            "  %s  %s  %s  %d files, %d bytes, %d of %d cells, %d s, for %s%n",
            attempt.getAttempt(),
            attempt.getProgress().getState(),
            attempt.getStore(),
            attempt.getFiles(),
            attempt.getBytes(),
            attempt.getProgress().getCells(),
            attempt.getProgress().getTotalCells(),
            TimeUnit.MILLISECONDS.toSeconds(attempt.getAgeMillis()),
            attempt.getRegionServer());
      }
    }
  }

  @Command(
      name = "explain",
      description = "Where the last compactions were carried out, and why there.",
      mixinStandardHelpOptions = true)
  void explain() throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(configuration());
        Admin admin = connection.getAdmin()) {
      for (ServerName server : admin.getRegionServers()) {
        System.out.println(server);
        RegionServerJmx.of(admin, server)
            .attribute(RECENT, "Recent")
            .ifPresent(
                lines ->
                    lines
                        .getAsJsonArray()
                        .forEach(line -> System.out.println("  " + line.getAsString())));
      }
    }
  }

  @Command(
      name = "cancel",
      description = "Cancel a compaction. Its region server tries elsewhere, or does it itself.",
      mixinStandardHelpOptions = true)
  void cancel(
      @Parameters(paramLabel = "ATTEMPT", description = "As list shows it.") String attempt) {
    StorageNodes nodes = nodes();
    for (StorageNode node : nodes.live()) {
      if (ask(nodes, node, WorkRequest.newBuilder()).getAttemptList().stream()
          .anyMatch(known -> known.getAttempt().equals(attempt))) {
        await(
            node,
            new CompactionClient(nodes.client(), node.address())
                .progress(
                    ProgressRequest.newBuilder()
                        .setVersion(Protocol.VERSION)
                        .setAttempt(attempt)
                        .setCancel(true)
                        .build()));
        System.out.println("cancelled at " + node.name());
        return;
      }
    }
    throw new CliException("No worker has an attempt " + attempt);
  }

  @Command(
      name = "drain",
      description = "Make a worker take no new compactions; those at work go on.",
      mixinStandardHelpOptions = true)
  void drain(
      @Parameters(paramLabel = "WORKER", description = "As list shows it.") String worker,
      @Option(names = "--end", description = "Let it take compactions again.") boolean end) {
    StorageNodes nodes = nodes();
    StorageNode node =
        nodes.live().stream()
            .filter(known -> known.name().equals(worker))
            .findFirst()
            .orElseThrow(() -> new CliException("No worker " + worker + " is registered"));
    ask(nodes, node, WorkRequest.newBuilder().setDrain(!end));
    System.out.println(worker + (end ? " takes compactions" : " is being drained"));
  }

  private Configuration configuration() {
    return zooKeeper == null
        ? Home.running().clientConfiguration()
        : LocalCluster.clientConfiguration(zooKeeper);
  }

  private StorageNodes nodes() {
    StorageNodes nodes = StorageNodes.of(configuration());
    long deadline = System.nanoTime() + REGISTRY_NANOS;
    while (nodes.live().isEmpty()) {
      if (System.nanoTime() - deadline > 0) {
        throw new CliException("No daemon is registered");
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
    return nodes;
  }

  private static WorkResponse ask(
      StorageNodes nodes, StorageNode node, WorkRequest.Builder request) {
    WorkResponse answer =
        await(
            node,
            new CompactionClient(nodes.client(), node.address())
                .work(request.setVersion(Protocol.VERSION).build()));
    if (answer.getCode() != Code.OK) {
      throw new CliException(node.name() + ": " + answer.getCode() + ": " + answer.getMessage());
    }
    return answer;
  }

  private static <T> T await(StorageNode node, CompletableFuture<T> answer) {
    try {
      return answer.get();
    } catch (ExecutionException e) {
      throw new CliException(node.name() + " does not answer: " + e.getCause().getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CliException("Interrupted", e);
    }
  }
}
