package io.ishbase.plugin.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Cells of types that HBase has for keys that are sought: a region takes them, as if put. */
class UnusualTypesTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final byte[] ROW = Bytes.toBytes("row");
  private static final byte[] COLUMN = Bytes.toBytes("q");
  private static final Filter NOT_ONE =
      new ValueFilter(CompareOperator.NOT_EQUAL, new BinaryComparator(Bytes.toBytes(1)));

  @TempDir private Path directory;

  private static KeyValue cell(byte[] column, long timestamp, KeyValue.Type type) {
    return new KeyValue(ROW, FAMILY, column, timestamp, type, column);
  }

  @ParameterizedTest
  @CsvSource({"Minimum, 1", "Minimum, 2", "Maximum, 1", "Maximum, 2"})
  void areReadAsByHBase(KeyValue.Type type, int versions) throws IOException {
    ColumnFamilyDescriptor family =
        ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setMaxVersions(versions).build();
    try (LocalRegion region = LocalRegion.ofOneFamily(directory, family, 8 << 20)) {
      // Two versions, of which the cache leaves out one if that is all that the family keeps.
      for (int time = 1; time <= 2; time++) {
        region.region().put(new Put(ROW).addColumn(FAMILY, COLUMN, time, Bytes.toBytes(time)));
        region.region().flush(true);
        isReadAsByHBase(region);
      }
      region
          .region()
          .put(new Put(ROW).add(cell(COLUMN, 2, type)).add(cell(Bytes.toBytes("r"), 3, type)));
      isReadAsByHBase(region);
      region.region().flush(true);
      assertThat(region.region().getMemStoreDataSize()).isZero();
      isReadAsByHBase(region);
      region.reopen();
      isReadAsByHBase(region);
      region.region().compact(true);
      isReadAsByHBase(region);
    }
  }

  /** Twice: the first read may bring it into the cache. */
  private static void isReadAsByHBase(LocalRegion region) throws IOException {
    for (int i = 0; i < 2; i++) {
      assertThat(bytes(region.get(new Get(ROW), LocalRegion.IN_STORAGE)))
          .isEqualTo(bytes(region.get(new Get(ROW), LocalRegion.STOCK)));
      Get column = new Get(ROW).addColumn(FAMILY, COLUMN);
      assertThat(bytes(region.get(column, LocalRegion.IN_STORAGE)))
          .isEqualTo(bytes(region.get(column, LocalRegion.STOCK)));
      assertThat(bytes(region.get(new Get(ROW).readVersions(2), LocalRegion.IN_STORAGE)))
          .isEqualTo(bytes(region.get(new Get(ROW).readVersions(2), LocalRegion.STOCK)));
      assertThat(rows(region.scan(new Scan(), LocalRegion.IN_STORAGE)))
          .isEqualTo(rows(region.scan(new Scan(), LocalRegion.STOCK)));
      Scan filtered = new Scan().readVersions(2).setFilter(NOT_ONE);
      assertThat(rows(region.scan(filtered, LocalRegion.IN_STORAGE)))
          .isEqualTo(rows(region.scan(filtered, LocalRegion.STOCK)));
    }
    assertThat(region.faultsOfCache()).isEmpty();
  }

  private static List<List<String>> rows(List<List<Cell>> rows) {
    return rows.stream().map(UnusualTypesTest::bytes).toList();
  }

  private static List<String> bytes(List<Cell> cells) {
    return cells == null
        ? List.of()
        : cells.stream()
            .map(cell -> Bytes.toStringBinary(KeyValueUtil.copyToNewByteArray(cell)))
            .toList();
  }
}
