package io.ishbase.dist;

import java.io.IOException;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The table that a command is about, of the local cluster or of another one. */
final class TargetTable {
  @Parameters(
      index = "0",
      paramLabel = "TABLE",
      description = "Its name, with its namespace if it has one.")
  private String table;

  @Mixin private TargetCluster cluster;

  /** A table of a cluster, both as they were given. */
  static TargetTable of(String table, TargetCluster cluster) {
    TargetTable target = new TargetTable();
    target.table = table;
    target.cluster = cluster;
    return target;
  }

  /** What a command does with its table. */
  interface Action {
    void run(Connection connection, TableName table) throws IOException;
  }

  /** Its name as it was given. */
  String given() {
    return table;
  }

  /** The configuration of a client of its cluster. */
  Configuration configuration() {
    return cluster.configuration();
  }

  /**
   * Does something with it, once it is sure that it can be read.
   *
   * @throws CliException that says why it cannot
   */
  void use(Action action) throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(configuration())) {
      action.run(connection, readable(connection));
    }
  }

  /**
   * Its name, once it is sure that it can be read.
   *
   * @throws CliException that says why not
   */
  TableName readable(Connection connection) throws IOException {
    TableName name = name();
    try (Admin admin = connection.getAdmin()) {
      TargetCluster.requireAnswer(admin);
      if (!admin.tableExists(name)) {
        throw new CliException("There is no table " + name + "; there are: " + tables(admin));
      }
      if (!admin.isTableEnabled(name)) {
        throw new CliException("Table " + name + " is disabled: enable it first");
      }
    }
    return name;
  }

  /**
   * Its name, whether there is such a table or not.
   *
   * @throws CliException if it can be no table's
   */
  TableName name() {
    try {
      return TableName.valueOf(table);
    } catch (IllegalArgumentException e) {
      throw new CliException("'" + table + "' cannot be a table's name: " + e.getMessage(), e);
    }
  }

  /**
   * Checks that a table has a family.
   *
   * @throws CliException that names those it has
   */
  static void requireFamily(TableDescriptor table, byte[] family) {
    if (!table.hasColumnFamily(family)) {
      throw new CliException(
          "Table "
              + table.getTableName()
              + " has no family "
              + Bytes.toStringBinary(family)
              + "; it has: "
              + String.join(
                  ", ", table.getColumnFamilyNames().stream().map(Bytes::toStringBinary).toList()));
    }
  }

  private static String tables(Admin admin) throws IOException {
    TableName[] names = admin.listTableNames();
    return names.length == 0
        ? "none"
        : String.join(", ", Stream.of(names).map(TableName::getNameAsString).toList());
  }
}
