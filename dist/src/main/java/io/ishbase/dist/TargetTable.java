package io.ishbase.dist;

import io.ishbase.dist.cluster.LocalCluster;
import java.io.IOException;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The table that a command is about, of the local cluster or of another one. */
final class TargetTable {
  private static final int MAX_REGION_SERVERS_GONE_MILLIS = 20_000;

  @Parameters(paramLabel = "TABLE", description = "Its name, with its namespace if it has one.")
  private String table;

  @Option(
      names = "--zookeeper",
      paramLabel = "HOST:PORT",
      description = "Of another cluster than the one that ./ishbase up started.")
  private String zooKeeper;

  /** Its name as it was given. */
  String given() {
    return table;
  }

  /** The configuration of a client of its cluster. */
  Configuration configuration() {
    if (zooKeeper != null && !zooKeeper.matches("[^:,]+:\\d{1,5}")) {
      throw new CliException("--zookeeper is HOST:PORT, not '" + zooKeeper + "'");
    }
    Configuration conf =
        zooKeeper == null
            ? Home.running().clientConfiguration()
            : LocalCluster.clientConfiguration(zooKeeper);
    conf.setInt("hbase.client.meta.operation.timeout", MAX_REGION_SERVERS_GONE_MILLIS);
    return conf;
  }

  /**
   * Its name, once it is sure that it can be read.
   *
   * @throws CliException that says why not
   */
  TableName readable(Connection connection) throws IOException {
    TableName name = name();
    requireReadable(connection, name);
    return name;
  }

  private TableName name() {
    try {
      return TableName.valueOf(table);
    } catch (IllegalArgumentException e) {
      throw new CliException("'" + table + "' cannot be a table's name: " + e.getMessage(), e);
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
        : String.join(", ", Stream.of(names).map(TableName::getNameAsString).toList());
  }
}
