package io.ishbase.dist;

import io.ishbase.cluster.ClusterNeeds;
import io.ishbase.dist.cluster.ClusterOptions;
import io.ishbase.dist.example.Example;
import io.ishbase.dist.example.Examples;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./ishbase example NAME}: an archetype on real input. */
@Command(
    name = "example",
    description = "Run an archetype on real input; without a name, list them.",
    mixinStandardHelpOptions = true)
final class ExampleCommand implements Callable<Integer> {
  private static final int ROWS = 100_000;

  @Parameters(arity = "0..1", paramLabel = "NAME", description = "Of the example.")
  private String name;

  @Option(
      names = "--up",
      description = "On the cluster of ./ishbase up, rather than one that ends with the example.")
  private boolean up;

  @Mixin private TargetCluster target;

  @Override
  public Integer call() throws IOException {
    if (name == null) {
      Examples.ALL.forEach(
          example -> System.out.printf("%-10s %s%n", example.name(), example.description()));
      return 0;
    }
    Example example =
        Examples.ALL.stream()
            .filter(one -> one.name().equals(name))
            .findFirst()
            .orElseThrow(
                () ->
                    new CliException(
                        "No example '"
                            + name
                            + "': there are "
                            + Examples.ALL.stream()
                                .map(Example::name)
                                .collect(Collectors.joining(", "))));
    if (up || !target.isLocal()) {
      run(example, target.configuration());
      return 0;
    }
    ClusterOptions options =
        ClusterOptions.fair(true, "in-storage", ClusterNeeds.usualCacheBytes(ROWS));
    try (TemporaryCluster temporary = TemporaryCluster.start(Home.example(), options)) {
      run(example, temporary.cluster().clientConfiguration());
      temporary.succeeded();
    }
    return 0;
  }

  private static void run(Example example, Configuration conf) throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(conf);
        Admin admin = connection.getAdmin()) {
      TargetCluster.requireAnswer(admin);
      example.run(connection, System.out);
    }
  }
}
