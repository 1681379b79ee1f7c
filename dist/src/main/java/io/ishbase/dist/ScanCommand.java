package io.ishbase.dist;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./ishbase scan TABLE}: prints the first rows. */
@Command(
    name = "scan",
    description = "Print some rows: row, column, timestamp, value of each cell.",
    mixinStandardHelpOptions = true)
final class ScanCommand implements Callable<Integer> {
  @Mixin private TargetTable target;

  @Option(names = "--start", paramLabel = "ROW", description = "First row.", defaultValue = "")
  private String start;

  @Option(names = "--limit", description = "Rows at most; ${DEFAULT-VALUE}.", defaultValue = "10")
  private int limit;

  @Override
  public Integer call() throws IOException {
    if (limit < 1) {
      throw new CliException("--limit is 1 or more, not " + limit);
    }
    Scan scan = new Scan().withStartRow(BinaryText.of(RowKey.WHAT, start)).setLimit(limit);
    target.use(
        (connection, name) -> {
          try (Table table = connection.getTable(name);
              ResultScanner rows = table.getScanner(scan)) {
            for (Result row : rows) {
              Column.print(row);
              if (System.out.checkError()) {
                break;
              }
            }
          }
        });
    return 0;
  }
}
