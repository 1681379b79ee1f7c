package io.ishbase.dist;

import io.ishbase.dist.cluster.ClusterFiles;
import io.ishbase.dist.site.Site;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code ./ishbase site}: the documentation for a browser. */
@Command(
    name = "site",
    description = "Write the documentation as pages for a browser, with a search, to target/site.",
    mixinStandardHelpOptions = true)
final class SiteCommand implements Callable<Integer> {
  @Override
  public Integer call() throws IOException {
    Path directory = Home.site();
    ClusterFiles.delete(directory);
    System.out.println(Site.write(Home.sources(), directory));
    return 0;
  }
}
