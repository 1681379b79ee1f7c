package io.ishbase.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.protocol.CellBatch;
import io.ishbase.protocol.generated.IssnProtos.FilterScope;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class CellSelectorTest {
  private static KeyValue put(long timestamp, String value) {
    return new KeyValue(
        Bytes.toBytes("r"),
        Bytes.toBytes("f"),
        Bytes.toBytes("q"),
        timestamp,
        KeyValue.Type.Put,
        Bytes.toBytes(value));
  }

  /** How many of a row's cells are sent. */
  private static int sent(ReadRequest.Builder request, List<KeyValue> row) throws IOException {
    CellBatch.Encoder cells = new CellBatch.Encoder(1000);
    GuardedFilter filter =
        new GuardedFilter(
            new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(Bytes.toBytes("wanted"))));
    CellSelector selector = new CellSelector(request.build(), null, filter, cells, 1 << 20);
    selector.startRow(row.get(0), 0, true);
    CellSelector.Step step = CellSelector.Step.NEXT;
    for (KeyValue cell : row) {
      if (step == CellSelector.Step.NEXT) {
        step = selector.add(cell, 0);
      }
    }
    selector.finishRow();
    return cells.count();
  }

  /** HBase counts no version that the time range leaves out, of however late a time. */
  @Test
  void aPutOfTheLastTimestampIsNoVersionWhereTheRangeHasABegin() throws IOException {
    List<KeyValue> row = List.of(put(Long.MAX_VALUE, "wanted"), put(5, "wanted"));
    ReadRequest.Builder request =
        ReadRequest.newBuilder()
            .setFilterScope(FilterScope.BY_VERSION)
            .setFamilyVersions(1)
            .setMaxVersions(1);
    assertThat(sent(request.clone().setMinTimestamp(1), row)).isEqualTo(1);
    assertThat(sent(request.clone().setMinTimestamp(6), row)).isZero();
  }
}
