package io.ishbase.dist;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code ./ishbase put TABLE ROW COLUMN VALUE}: writes a cell. */
@Command(name = "put", description = "Write a cell.", mixinStandardHelpOptions = true)
final class PutCommand implements Callable<Integer> {
  @Mixin private TargetTable target;

  @Parameters(index = "1", paramLabel = "ROW", description = "Its row.")
  private String row;

  @Parameters(index = "2", paramLabel = "FAMILY:QUALIFIER", description = "Its column.")
  private String column;

  @Parameters(index = "3", paramLabel = "VALUE", description = "Its value.")
  private String value;

  @Override
  public Integer call() throws IOException {
    Column to = Column.of(column);
    Put put =
        new Put(RowKey.of(row))
            .addColumn(to.family(), to.qualifier(), BinaryText.of("value", value));
    target.use(
        (connection, name) -> {
          try (Table table = connection.getTable(name)) {
            TargetTable.requireFamily(table.getDescriptor(), to.family());
            table.put(put);
          }
        });
    return 0;
  }
}
