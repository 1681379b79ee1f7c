package io.ishbase.dist;

import io.ishbase.cluster.TableComparison;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./ishbase verify TABLE}: reads a table in both modes and compares every cell. */
@Command(
    name = "verify",
    description = "Read a table both ways and compare every cell. Nobody should write meanwhile.",
    mixinStandardHelpOptions = true)
final class VerifyCommand implements Callable<Integer> {
  @Mixin private TargetTable target;

  @Option(names = "--raw", description = "Compare delete markers and what they hide, too.")
  private boolean raw;

  @Override
  public Integer call() throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(target.configuration())) {
      return compare(new TableComparison(connection, target.readable(connection)));
    }
  }

  private int compare(TableComparison comparison) throws IOException {
    boolean equal = comparison.run(raw);
    String read =
        comparison.rows()
            + " rows, "
            + comparison.cells()
            + " cells, "
            + comparison.bytes()
            + " bytes";
    if (equal) {
      System.out.println(target.given() + ": equal in both modes: " + read);
      return 0;
    }
    System.out.println(
        target.given() + ": different after " + read + ": " + comparison.difference());
    return 1;
  }
}
