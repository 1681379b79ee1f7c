package io.ishbase.plugin.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.Setting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.filter.RowFilter;
import org.apache.hadoop.hbase.filter.SkipFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A store's scanner that is no part of a region's: a coprocessor may ask HStore for one. */
class StoreScannerTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");

  @TempDir private Path directory;

  private static List<Supplier<Filter>> filters() {
    Supplier<Filter> row =
        () -> new RowFilter(CompareOperator.EQUAL, new BinaryComparator(Bytes.toBytes("r2")));
    Supplier<Filter> value =
        () -> new ValueFilter(CompareOperator.NOT_EQUAL, new BinaryComparator(Bytes.toBytes("v2")));
    return List.of(
        row,
        value,
        () -> new SkipFilter(value.get()),
        () -> new PrefixFilter(Bytes.toBytes("r2")),
        () -> new FilterList(row.get(), value.get()));
  }

  private static List<String> read(LocalRegion local, Filter filter, String way)
      throws IOException {
    Scan scan =
        new Scan()
            .addFamily(FAMILY)
            .setFilter(filter)
            .setAttribute(Setting.READ.key(), Bytes.toBytes(way));
    long readPoint = local.region().getReadPoint(IsolationLevel.READ_COMMITTED);
    List<String> found = new ArrayList<>();
    KeyValueScanner scanner = local.region().getStore(FAMILY).getScanner(scan, null, readPoint);
    boolean more = true;
    while (more) {
      List<Cell> cells = new ArrayList<>();
      more = ((InternalScanner) scanner).next(cells);
      cells.forEach(cell -> found.add(CellUtil.getCellKeyAsString(cell)));
    }
    scanner.close();
    return found;
  }

  /** Nobody asks its filter about rows. */
  @ParameterizedTest
  @MethodSource("filters")
  void itShowsWhatHBasesOwnShows(Supplier<Filter> filter) throws Exception {
    EnvironmentEdgeManager.reset();
    try (LocalRegion local = LocalRegion.ofOneFamily(directory, FAMILY, 1 << 20)) {
      for (String row : List.of("r1", "r2", "r3")) {
        local
            .region()
            .put(
                new Put(Bytes.toBytes(row), 5)
                    .addColumn(FAMILY, Bytes.toBytes("a"), Bytes.toBytes(row.replace('r', 'v')))
                    .addColumn(FAMILY, Bytes.toBytes("b"), Bytes.toBytes("w")));
      }
      local.region().flush(true);
      List<String> stock = read(local, filter.get(), "stock");
      // The second time rows may be cached.
      assertThat(read(local, filter.get(), "in-storage")).isEqualTo(stock);
      assertThat(read(local, filter.get(), "in-storage")).isEqualTo(stock);
    }
  }
}
