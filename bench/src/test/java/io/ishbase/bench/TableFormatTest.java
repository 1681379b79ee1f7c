package io.ishbase.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.bench.TableFormat.Stores;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongUnaryOperator;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class TableFormatTest {
  private static TableDescriptor describe(TableFormat format) {
    TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(TableName.valueOf("t"));
    format.applyTo(table, family -> {});
    return table.build();
  }

  @Test
  void columnsAreDividedOverTheFamilies() {
    TableFormat format = TableFormat.TYPICAL.withStores(Stores.USUAL.withFamilies(3));
    List<String> families = format.families().stream().map(Bytes::toString).toList();
    assertThat(families).containsExactly("f", "f2", "f3");
    List<String> used =
        format.columnNames().stream().map(format::familyOf).map(Bytes::toString).toList();
    assertThat(used).hasSize(10).containsOnlyElementsOf(families).containsAll(families);
    assertThat(describe(format).getColumnFamilyCount()).isEqualTo(3);
  }

  @Test
  void familiesKeepWhatTheyAreToKeep() {
    TableFormat format = TableFormat.PLAIN.withStores(new Stores(1, 3, 90_000, 5));
    TableDescriptor table = describe(format);
    ColumnFamilyDescriptor family = table.getColumnFamilies()[0];
    assertThat(family.getMaxVersions()).isEqualTo(3);
    assertThat(family.getTimeToLive()).isEqualTo(90_000);
    assertThat(table.getValue("hbase.hstore.compaction.min")).isEqualTo("1048576");
    assertThat(table.getValue("hbase.hstore.blockingStoreFiles")).isEqualTo("1048576");
    TableDescriptor usual = describe(TableFormat.PLAIN);
    assertThat(usual.getColumnFamilies()[0].getTimeToLive()).isEqualTo(HConstants.FOREVER);
    assertThat(usual.getValue("hbase.hstore.compaction.min")).isNull();
  }

  @Test
  void wideRowsAreFewer() {
    assertThat(TableFormat.PLAIN.rowsLike(5000)).isEqualTo(5000);
    assertThat(TableFormat.TYPICAL.rowsLike(5000)).isEqualTo(5000);
    assertThat(TableFormat.PLAIN.withColumns(100, 100).rowsLike(5000)).isEqualTo(500);
    assertThat(TableFormat.PLAIN.withColumns(100_000, 10).rowsLike(5000)).isEqualTo(32);
    assertThat(TableFormat.PLAIN.withColumns(100_000, 10).canReadAtOnce(10)).isTrue();
    assertThat(TableFormat.PLAIN.withColumns(100_000, 10).canReadAtOnce(100)).isFalse();
  }

  @Test
  void everyVersionOfEveryRowIsWrittenOnceAndTheOneThatIsReadLast() {
    Stores stores = new Stores(1, 3, 0, 4);
    Filling filling = new Filling(stores, 10, 1_000_000);
    LongUnaryOperator order = place -> place * 7 % 10;
    List<String> written = new ArrayList<>();
    Set<Long> hidden = new HashSet<>();
    for (long write = 0; write < filling.writes(); write++) {
      Put put =
          filling.put(
              write,
              order,
              (row, version, timestamp) -> {
                written.add(row + "/" + version);
                return new Put(Bytes.toBytes(row), timestamp);
              });
      if (write >= 20) {
        assertThat(put.getTimestamp()).isEqualTo(HConstants.LATEST_TIMESTAMP);
      } else {
        hidden.add(put.getTimestamp());
      }
    }
    assertThat(written).hasSize(30).doesNotHaveDuplicates();
    assertThat(written.subList(20, 30)).allMatch(name -> name.endsWith("/0"));
    assertThat(hidden).containsExactlyInAnyOrder(999_999L, 999_998L);
    assertThat(filling.firstOf(0)).isZero();
    assertThat(filling.firstOf(4)).isEqualTo(30);
  }
}
