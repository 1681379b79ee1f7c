package io.ishbase.dist;

import io.ishbase.cluster.RegionServerJmx;
import io.ishbase.core.compaction.Worker;
import io.ishbase.plugin.node.StorageNode;
import io.ishbase.plugin.node.StorageNodes;
import io.ishbase.plugin.node.WorkerClient;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.generated.CompactionProtos.CompactionState;
import io.ishbase.protocol.generated.CompactionProtos.ProgressRequest;
import io.ishbase.protocol.generated.CompactionProtos.ProgressResponse;
import io.ishbase.protocol.generated.CompactionProtos.WorkRequest;
import io.ishbase.protocol.generated.CompactionProtos.WorkResponse;
import io.ishbase.protocol.generated.IssnProtos.Code;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./ishbase compactions}: what the workers are at, and where compactions went and why. */
@Command(
    name = "compactions",
    description = "Show the workers and the compactions that they carry out.",
    mixinStandardHelpOptions = true)
final class CompactionsCommand implements Runnable {
  private static final long REGISTRY_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final String RECENT =
      "Hadoop:service=HBase,name=RegionServer,sub=InStorageRecentCompactions";

  @Spec private CommandSpec spec;

  @Mixin private TargetCluster cluster;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "What of them? list, explain, cancel or drain");
  }

  @Command(
      name = "list",
      description = "The workers, and what they carry out for each region server.",
      mixinStandardHelpOptions = true)
  void list() throws IOException {
    for (StorageNode node : nodes().live()) {
      Worker worker = node.worker();
      System.out.printf(
          "%s  %d of %d slots%s, CPU %d %% busy with other things, %d MB/s%n",
          node.name(),
          worker.running(),
          worker.slots(),
          worker.draining() ? ", draining" : "",
          worker.cpuPercent(),
          worker.bytesPerSecond() >> 20);
    }
    print("Running");
  }

  @Command(
      name = "explain",
      description = "Where the last compactions were carried out, and why there.",
      mixinStandardHelpOptions = true)
  void explain() throws IOException {
    print("Recent");
  }

  private void print(String attribute) throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration());
        Admin admin = connection.getAdmin()) {
      for (ServerName server : admin.getRegionServers()) {
        System.out.println(server);
        try {
          RegionServerJmx.of(admin, server)
              .attribute(RECENT, attribute)
              .ifPresent(
                  lines ->
                      lines
                          .getAsJsonArray()
                          .forEach(line -> System.out.println("  " + line.getAsString())));
        } catch (IOException e) {
          // The others have something to say.
          System.out.println("  does not answer: " + e);
        }
      }
    }
  }

  @Command(
      name = "cancel",
      description = {
        "Cancel a compaction. Its region server tries elsewhere, or does it itself.",
        "From a machine that reaches the workers."
      },
      mixinStandardHelpOptions = true)
  void cancel(
      @Parameters(paramLabel = "ATTEMPT", description = "As list shows it.") String attempt) {
    StorageNodes nodes = nodes();
    List<String> silent = new ArrayList<>();
    for (StorageNode node : nodes.live()) {
      WorkResponse work;
      try {
        work = ask(nodes, node, WorkRequest.newBuilder());
      } catch (CliException e) {
        silent.add(e.getMessage());
        continue;
      }
      if (work.getAttemptList().stream().anyMatch(known -> known.getAttempt().equals(attempt))) {
        ProgressResponse answer =
            await(
                node,
                new WorkerClient(nodes.client(), node.address())
                    .progress(
                        ProgressRequest.newBuilder()
                            .setVersion(Protocol.VERSION)
                            .setAttempt(attempt)
                            .setCancel(true)
                            .build()));
        // It may have stopped at once.
        if (answer.getState() != CompactionState.RUNNING && answer.getCode() != Code.STOPPING) {
          throw new CliException(
              attempt + " had ended before, at " + node.name() + ": " + answer.getState());
        }
        System.out.println("cancelled at " + node.name());
        return;
      }
    }
    throw new CliException(
        "No worker "
            + (silent.isEmpty() ? "" : "that answers ")
            + "has an attempt "
            + attempt
            + silent.stream().map(why -> "; " + why).collect(Collectors.joining()));
  }

  @Command(
      name = "drain",
      description = {
        "Make a worker take no new compactions; those at work go on.",
        "From a machine that reaches the workers."
      },
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

  private StorageNodes nodes() {
    StorageNodes nodes = StorageNodes.of(cluster.configuration());
    long deadline = System.nanoTime() + REGISTRY_NANOS;
    while (!nodes.isComplete() && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
    if (nodes.live().isEmpty()) {
      throw new CliException("No daemon is registered");
    }
    if (!nodes.isComplete()) {
      System.err.println("Not all daemons are known: names of DataNodes are still looked up");
    }
    return nodes;
  }

  private static WorkResponse ask(
      StorageNodes nodes, StorageNode node, WorkRequest.Builder request) {
    WorkResponse answer =
        await(
            node,
            new WorkerClient(nodes.client(), node.address())
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
      String why = String.valueOf(e.getCause().getMessage()).lines().findFirst().orElse("");
      throw new CliException(node.name() + " does not answer: " + why, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CliException("Interrupted", e);
    }
  }
}
