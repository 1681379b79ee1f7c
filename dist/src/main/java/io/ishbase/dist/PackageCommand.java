package io.ishbase.dist;

import io.ishbase.dist.cluster.ClusterFiles;
import io.ishbase.dist.packaging.Release;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code ./ishbase package}: what an operator with an HBase of his own installs. */
@Command(
    name = "package",
    description = "Build a release for an existing HBase: a tarball and a Debian package.",
    mixinStandardHelpOptions = true)
final class PackageCommand implements Callable<Integer> {
  @Override
  public Integer call() throws IOException {
    Path directory = Home.release();
    ClusterFiles.delete(directory);
    List<Path> written =
        new Release(
                Home.sources(), Home.resolved(), List.of(Home.built(), Home.built().resolve("lib")))
            .write(directory);
    for (Path file : written) {
      System.out.printf("%9d  %s%n", Files.size(file), file);
    }
    return 0;
  }
}
