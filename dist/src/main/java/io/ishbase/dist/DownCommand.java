package io.ishbase.dist;

import io.ishbase.cluster.Progress;
import io.ishbase.dist.cluster.ClusterFiles;
import io.ishbase.dist.cluster.LocalCluster;
import java.nio.file.Files;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./ishbase down}: stops the cluster that {@code up} started. */
@Command(name = "down", description = "Stop the local cluster.", mixinStandardHelpOptions = true)
final class DownCommand implements Callable<Integer> {
  @Option(names = "--delete", description = "Delete its data too.")
  private boolean delete;

  @Override
  public Integer call() {
    Optional<LocalCluster> cluster = LocalCluster.open(Home.cluster());
    if (cluster.isEmpty() && !(delete && Files.exists(Home.cluster()))) {
      throw new CliException("No cluster runs here: nothing to stop");
    }
    if (cluster.filter(LocalCluster::hasLivingOwner).isPresent()) {
      throw new CliException("./ishbase up is at work here: wait for its end, or end it");
    }
    if (cluster.isPresent()) {
      try (Progress progress = new Progress("stopping the cluster", 0)) {
        cluster.get().stop();
        progress.done("");
      }
    }
    if (delete) {
      ClusterFiles.delete(Home.cluster());
    }
    return 0;
  }
}
