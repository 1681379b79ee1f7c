package io.ishbase.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.workloads.CoreWorkload;

class YcsbTableTest {
  private static YcsbTable table(int fields, int fieldBytes) {
    return new YcsbTable(null, new YcsbTable.Shape("t", 1000, fields, fieldBytes));
  }

  private static Result asRead(Put put) {
    return Result.create(
        put.getFamilyCellMap().values().stream().flatMap(List::stream).toArray(Cell[]::new));
  }

  @Test
  void whatIsPutIsWhatYcsbInserts() throws Exception {
    for (int fieldBytes : new int[] {16, 64, 100, 1000}) {
      YcsbTable table = table(2, fieldBytes);
      Map<String, Map<String, ByteIterator>> inserted = new HashMap<>();
      CoreWorkload workload = table.workload(Map.of("readproportion", "1"));
      for (int i = 0; i < 10; i++) {
        assertThat(workload.doInsert(collecting(inserted), null)).isTrue();
      }
      for (int row = 0; row < 10; row++) {
        Result result = asRead(table.put(row));
        table.check(result);
        table.check(result, 2);
        inserted
            .get(Bytes.toString(result.getRow()))
            .forEach(
                (field, value) ->
                    assertThat(result.getValue(YcsbTable.family(), Bytes.toBytes(field)))
                        .isEqualTo(value.toArray())
                        .hasSize(fieldBytes));
      }
    }
  }

  private static DB collecting(Map<String, Map<String, ByteIterator>> inserted) {
    return new HBaseBinding(null, YcsbTable.FAMILY, null, false) {
      @Override
      public Status insert(String name, String key, Map<String, ByteIterator> values) {
        inserted.put(key, new HashMap<>(values));
        return Status.OK;
      }
    };
  }

  @Test
  void valuesOfOtherKindsAreCheckedToo() throws Exception {
    YcsbTable table = new YcsbTable(null, new YcsbTable.Shape("t", 1000, TableFormat.TYPICAL));
    table.check(asRead(table.put(7)));
    byte[] value = Bytes.copy(asRead(table.put(8)).value());
    Put wrong = new Put(table.key(7)).addColumn(YcsbTable.family(), Bytes.toBytes("field0"), value);
    assertThatThrownBy(() -> table.check(asRead(wrong)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("wrong value in field0");
  }

  @Test
  void columnsOfSeveralFamiliesAreCheckedInTheirs() throws Exception {
    TableFormat format = TableFormat.TYPICAL.withStores(TableFormat.Stores.USUAL.withFamilies(3));
    YcsbTable table = new YcsbTable(null, new YcsbTable.Shape("t", 1000, format));
    Put put = table.put(7);
    assertThat(put.getFamilyCellMap()).hasSize(3);
    table.checkAll(asRead(put), 10);
    byte[] value = asRead(put).value();
    Put elsewhere =
        new Put(table.key(7)).addColumn(YcsbTable.family(), Bytes.toBytes("field1"), value);
    assertThatThrownBy(() -> table.check(asRead(elsewhere)))
        .hasMessageContaining("field1 in a wrong family");
    assertThatThrownBy(() -> table.checkAll(Result.create(List.of(asRead(put).rawCells()[0])), 10))
        .hasMessageContaining("1 columns instead of 10");
  }

  @Test
  void aWrongValueFails() {
    YcsbTable table = table(1, 1000);
    byte[] value = asRead(table.put(3)).value();
    value[value.length / 2] ^= 1;
    Put wrong = new Put(table.key(3)).addColumn(YcsbTable.family(), Bytes.toBytes("field0"), value);
    assertThatThrownBy(() -> table.check(asRead(wrong)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("wrong value in field0");
  }

  @Test
  void theValueOfAnotherRowFails() {
    YcsbTable table = table(1, 64);
    byte[] value = asRead(table.put(4)).value();
    Put wrong = new Put(table.key(3)).addColumn(YcsbTable.family(), Bytes.toBytes("field0"), value);
    assertThatThrownBy(() -> table.check(asRead(wrong))).isInstanceOf(IOException.class);
  }

  @Test
  void aMissingRowOrColumnFails() {
    YcsbTable table = table(2, 100);
    assertThatThrownBy(() -> table.check(Result.EMPTY_RESULT)).hasMessageContaining("missing");
    assertThatThrownBy(() -> table.check(asRead(table.put(1)), 3))
        .hasMessageContaining("2 columns instead of 3");
  }

  @Test
  void columnsStandInTheOrderOfHBase() {
    assertThat(table(12, 10).columns())
        .isEqualTo(
            List.of(
                "field0", "field1", "field10", "field11", "field2", "field3", "field4", "field5",
                "field6", "field7", "field8", "field9"));
  }
}
