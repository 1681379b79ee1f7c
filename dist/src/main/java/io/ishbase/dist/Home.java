package io.ishbase.dist;

import io.ishbase.bench.report.Results;
import io.ishbase.dist.cluster.ClusterOptions;
import io.ishbase.dist.cluster.LocalCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The places of this project on this machine. */
final class Home {
  private static final Path ROOT =
      Path.of(System.getProperty("ishbase.home", ".")).toAbsolutePath().normalize();

  private Home() {}

  /** Where {@code up} keeps its cluster. */
  static Path cluster() {
    return ROOT.resolve("target/cluster");
  }

  static Path demo() {
    return ROOT.resolve("target/demo");
  }

  static Path bench() {
    return ROOT.resolve("target/bench");
  }

  static Path example() {
    return ROOT.resolve("target/example");
  }

  static Path chaos() {
    return ROOT.resolve("target/chaos");
  }

  /**
   * The file with the class path of HBase's own integration tests.
   *
   * @throws CliException if nobody fetched them
   */
  static Path hbaseTests() {
    Path file = ROOT.resolve("dist/target/hbase-it-classpath.txt");
    if (!Files.exists(file)) {
      throw new CliException("HBase's tests are not here: ./ishbase chaos fetches them");
    }
    return file;
  }

  static Path sim() {
    return ROOT.resolve("target/sim");
  }

  /** Where a release is written. */
  static Path release() {
    return ROOT.resolve("target/package");
  }

  /** Where the documentation is written for a browser. */
  static Path site() {
    return ROOT.resolve("target/site");
  }

  /** What the build of this module left. */
  static Path built() {
    return sources().resolve("dist/target");
  }

  /** The bill of materials that the build wrote. */
  static Path resolved() {
    return built().resolve("resolved.json");
  }

  static Path sources() {
    return ROOT;
  }

  /** Whether this is a release, beside an HBase of its user's, and no source tree. */
  static boolean isRelease() {
    return System.getProperty("ishbase.package") != null;
  }

  /** Where results stand in the source tree. */
  static Path results() {
    return ROOT.resolve("docs/results");
  }

  /**
   * The commit that the source tree stands at, with {@link Results#DIRTY} where it has other
   * sources; empty outside of a repository.
   */
  static Optional<String> commit() {
    try {
      String commit = git("describe", "--always", "--dirty");
      // Of a source that nobody has added, that says nothing.
      boolean hasMore =
          !commit.endsWith(Results.DIRTY)
              && !git("ls-files", "--others", "--exclude-standard", "*/src/main/*").isEmpty();
      return Optional.of(commit + (hasMore ? Results.DIRTY : "")).filter(text -> !commit.isEmpty());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static String git(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("git", "-C", ROOT.toString()));
    command.addAll(List.of(arguments));
    Process git =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    return new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
  }

  /** Starts a prepared cluster from what the build left, and {@code more} jars. */
  static void start(LocalCluster cluster, ClusterOptions options, List<Path> more)
      throws IOException {
    List<Path> jars = new ArrayList<>(LocalCluster.jarsIn(built()));
    jars.addAll(more);
    cluster.start(options, built().resolve("lib"), jars);
  }

  /**
   * The cluster that {@code up} started.
   *
   * @throws CliException if none runs
   */
  static LocalCluster running() {
    return LocalCluster.open(cluster())
        .filter(LocalCluster::isAlive)
        .orElseThrow(() -> new CliException("No cluster runs here: start one with ./ishbase up"));
  }
}
