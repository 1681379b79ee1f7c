package io.ishbase.dist;

import io.ishbase.cluster.Progress;
import io.ishbase.dist.cluster.ClusterFiles;
import io.ishbase.dist.cluster.ClusterOptions;
import io.ishbase.dist.cluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A local cluster that lives as long as one command: nothing of it is left when the command ends,
 * however it ends. Only if a server fails do the logs stay.
 */
final class TemporaryCluster implements AutoCloseable {
  private final Path dir;
  private final Lifetime lifetime;
  private LocalCluster cluster;
  private boolean failed = true;

  /**
   * Starts one in {@code dir/run}, in place of what a killed run may have left there.
   *
   * @throws CliException if another run uses that place
   */
  static TemporaryCluster start(Path dir, ClusterOptions options) throws IOException {
    TemporaryCluster temporary = new TemporaryCluster(dir);
    try {
      temporary.start(options);
      return temporary;
    } catch (Throwable e) {
      temporary.close();
      throw e;
    }
  }

  private TemporaryCluster(Path dir) {
    this.dir = dir;
    Path run = run();
    Optional<LocalCluster> before = LocalCluster.open(run);
    if (before.filter(LocalCluster::hasLivingOwner).isPresent()) {
      throw new CliException("It runs already, in " + run + ": wait for its end or stop it");
    }
    before.ifPresent(LocalCluster::discard);
    ClusterFiles.delete(run);
    keepLogsOnce();
    lifetime = new Lifetime(this::remove);
  }

  /** Logs of a run that failed outlive the next one. */
  private void keepLogsOnce() {
    Path logs = dir.resolve("logs");
    Path before = dir.resolve("logs.before");
    if (Files.exists(logs)) {
      ClusterFiles.delete(before);
      try {
        Files.move(logs, before);
      } catch (IOException e) {
        throw new CliException("Cannot move " + logs + " to " + before + ": " + e, e);
      }
    }
  }

  private Path run() {
    return dir.resolve("run");
  }

  private void start(ClusterOptions options) throws IOException {
    synchronized (lifetime) {
      cluster = LocalCluster.prepare(run(), options, Lifetime::say);
    }
    Home.start(cluster, options, List.of());
  }

  LocalCluster cluster() {
    return cluster;
  }

  /** Says that the command reached its end: the logs are not needed. */
  void succeeded() {
    failed = false;
  }

  // Called with the lock on lifetime, once.
  private void remove() {
    try (Progress progress = new Progress("stopping", 0)) {
      if (cluster != null) {
        cluster.discard();
      }
      if (failed && !Lifetime.isEnding() && Files.exists(run().resolve("logs"))) {
        Files.move(run().resolve("logs"), dir.resolve("logs"));
        System.err.println("The servers' logs are in " + dir.resolve("logs"));
      }
      ClusterFiles.delete(run());
      ClusterFiles.deleteIfEmpty(dir);
    } catch (IOException e) {
      System.err.println("ishbase: " + run() + " is not removed: " + e);
    }
  }

  @Override
  public void close() {
    lifetime.close();
  }
}
