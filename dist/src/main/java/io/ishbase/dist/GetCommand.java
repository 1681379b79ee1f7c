package io.ishbase.dist;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code ./ishbase get TABLE ROW}: prints a row. */
@Command(
    name = "get",
    description = "Print a row: row, column, timestamp, value of each cell.",
    mixinStandardHelpOptions = true)
final class GetCommand implements Callable<Integer> {
  @Mixin private TargetTable target;

  @Parameters(index = "1", paramLabel = "ROW", description = "Which.")
  private String row;

  @Override
  public Integer call() throws IOException {
    Get get = new Get(RowKey.of(row));
    target.use(
        (connection, name) -> {
          try (Table table = connection.getTable(name)) {
            Column.print(table.get(get));
          }
        });
    return 0;
  }
}
