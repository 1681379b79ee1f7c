package io.ishbase.dist;

import io.ishbase.bench.TableComparison;
import io.ishbase.dist.cluster.LocalCluster;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./ishbase verify TABLE}: reads a table in both modes and compares every cell. */
@Command(
    name = "verify",
    description = "Read a table both ways and compare every cell. Nobody should write meanwhile.",
    mixinStandardHelpOptions = true)
final class VerifyCommand implements Callable<Integer> {
  private static final int MAX_REGION_SERVERS_GONE_MILLIS = 20_000;

  @Parameters(paramLabel = "TABLE", description = "Its name, with its namespace if it has one.")
  private String table;

  @Option(
      names = "--zookeeper",
      paramLabel = "HOST:PORT",
      description = "Of another cluster than the one that ./ishbase up started.")
  private String zooKeeper;

  @Option(names = "--raw", description = "Compare delete markers and what they hide, too.")
  private boolean raw;

  @Override
  public Integer call() throws IOException {
    if (zooKeeper != null && !zooKeeper.matches("[^:,]+:\\d{1,5}")) {
      throw new CliException("--zookeeper is HOST:PORT, not '" + zooKeeper + "'");
    }
    TableName name;
    try {
      name = TableName.valueOf(table);
    } catch (IllegalArgumentException e) {
      throw new CliException("'" + table + "' cannot be a table's name: " + e.getMessage(), e);
    }
    Configuration conf =
        zooKeeper == null
            ? Home.running().clientConfiguration()
            : LocalCluster.clientConfiguration(zooKeeper);
    conf.setInt("hbase.client.meta.operation.timeout", MAX_REGION_SERVERS_GONE_MILLIS);
    try (Connection connection = ConnectionFactory.createConnection(conf)) {
      requireReadable(connection, name);
      return compare(new TableComparison(connection, name));
    }
  }

  private static void requireReadable(Connection connection, TableName name) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      if (!exists(admin, connection, name)) {
        throw new CliException("There is no table " + name + "; there are: " + tables(admin));
      }
      if (!admin.isTableEnabled(name)) {
        throw new CliException("Table " + name + " is disabled: enable it first");
      }
    }
  }

  private static boolean exists(Admin admin, Connection connection, TableName name) {
    try {
      return admin.tableExists(name);
    } catch (IOException e) {
      throw new CliException(
          "No HBase answers with ZooKeeper at "
              + connection.getConfiguration().get("hbase.zookeeper.quorum")
              + ":"
              + connection.getConfiguration().get("hbase.zookeeper.property.clientPort")
              + ": "
              + e.getMessage(),
          e);
    }
  }

  private static String tables(Admin admin) throws IOException {
    TableName[] names = admin.listTableNames();
    return names.length == 0
        ? "none"
        : String.join(
            ", ", java.util.Arrays.stream(names).map(TableName::getNameAsString).toList());
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
      System.out.println(table + ": equal in both modes: " + read);
      return 0;
    }
    System.out.println(table + ": different after " + read + ": " + comparison.difference());
    return 1;
  }
}
