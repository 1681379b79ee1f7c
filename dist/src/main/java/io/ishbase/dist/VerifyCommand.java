package io.ishbase.dist;

import io.ishbase.cluster.TableComparison;
import io.ishbase.core.ReadChoice;
import io.ishbase.core.Setting;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;
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
      TableName table = target.readable(connection);
      requireTwoWays(connection, table);
      return compare(new TableComparison(connection, table));
    }
  }

  // Where stock is a prohibition, HBase would be compared with itself.
  private static void requireTwoWays(Connection connection, TableName name) throws IOException {
    try (Table table = connection.getTable(name)) {
      TableDescriptor schema = table.getDescriptor();
      List<String> stock =
          Stream.of(schema.getColumnFamilies())
              .filter(family -> isStockOnly(schema, family))
              .map(ColumnFamilyDescriptor::getNameAsString)
              .toList();
      if (!stock.isEmpty()) {
        throw new CliException(
            String.format(
                "Table %s has %s = stock for %s, so there is one way to read it: give it another"
                    + " value while you compare, with ./ishbase alter",
                name, Setting.READ.key(), String.join(", ", stock)));
      }
    }
  }

  private static boolean isStockOnly(TableDescriptor table, ColumnFamilyDescriptor family) {
    String key = Setting.READ.key();
    String ofFamily = family.getConfigurationValue(key);
    return ReadChoice.of(
            ofFamily == null ? Bytes.toString(family.getValue(Bytes.toBytes(key))) : ofFamily,
            table.getValue(key),
            null)
        .isProhibited();
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
