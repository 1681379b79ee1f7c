package io.ishbase.plugin.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.ColumnPrefixFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.RowFilter;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What HBase counts of rows that it does not see, as it counts them where it does. */
class FilteredRowsTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] FIRST = Bytes.toBytes("a");
  private static final byte[] SECOND = Bytes.toBytes("b");
  private static final int ROWS = 200;

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(longs = {0, 64 << 20})
  void countAsInHBase(long cacheBytes) throws IOException {
    try (LocalRegion region = region(cacheBytes)) {
      for (Scan scan : scans()) {
        RowCounts stock = RowCounts.of(region, scan, LocalRegion.STOCK);
        // At the daemons, then in the cache.
        for (int time = 0; time < 3; time++) {
          // At a scan's end HBase may look for a row that is not there, and count it.
          assertThat(RowCounts.of(region, scan, LocalRegion.IN_STORAGE))
              .as("%s", scan)
              .isIn(stock, stock.less(1));
        }
      }
      assertThat(region.daemons().taken()).isNotEmpty();
    }
  }

  private LocalRegion region(long cacheBytes) throws IOException {
    TableName name = TableName.valueOf("t");
    LocalRegion region =
        new LocalRegion(
            directory,
            RegionInfoBuilder.newBuilder(name).build(),
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build(),
            1,
            false,
            cacheBytes);
    for (int row = 0; row < ROWS; row++) {
      Put put = new Put(Bytes.toBytes(row)).addColumn(FAMILY, FIRST, Bytes.toBytes(row % 10));
      if (row % 4 == 0) {
        put.addColumn(FAMILY, SECOND, FAMILY);
      }
      region.region().put(put);
    }
    region.region().flush(true);
    return region;
  }

  private static List<Scan> scans() {
    List<Scan> scans = new ArrayList<>();
    byte[] three = Bytes.toBytes(3);
    for (Filter filter :
        new Filter[] {
          new RowFilter(CompareOperator.EQUAL, new BinaryComparator(Bytes.toBytes("none"))),
          new RowFilter(CompareOperator.LESS, new BinaryComparator(Bytes.toBytes(17))),
          new ColumnPrefixFilter(SECOND),
          new ColumnPrefixFilter(Bytes.toBytes("none")),
          new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(three)),
          new SingleColumnValueFilter(FAMILY, FIRST, CompareOperator.EQUAL, three),
          new SingleColumnValueFilter(FAMILY, FIRST, CompareOperator.GREATER, three)
        }) {
      scans.add(new Scan().setFilter(filter));
      scans.add(
          new Scan()
              .setFilter(filter)
              .withStartRow(Bytes.toBytes(20))
              .withStopRow(Bytes.toBytes(150)));
    }
    scans.add(new Scan());
    scans.add(new Scan().addColumn(FAMILY, SECOND));
    scans.forEach(scan -> scan.setScanMetricsEnabled(true));
    return scans;
  }
}
