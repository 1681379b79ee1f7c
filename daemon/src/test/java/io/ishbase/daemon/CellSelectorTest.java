package io.ishbase.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.protocol.CellBatch;
import io.ishbase.protocol.generated.IssnProtos.FilterScope;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import java.io.IOException;
import java.util.ArrayList;
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
    CellSelector selector =
        new CellSelector(
            request.build(), null, filter, cells, new LargeCells(() -> 0).share(), 1 << 20);
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

  private static KeyValue marker(long timestamp) {
    return new KeyValue(
        Bytes.toBytes("r"),
        Bytes.toBytes("f"),
        Bytes.toBytes("q"),
        timestamp,
        KeyValue.Type.Delete);
  }

  /** What is to be done behind each of the cells of a row that has but the column asked for. */
  private static List<CellSelector.Step> steps(
      ReadRequest.Builder request, boolean isFiltered, CellBatch.Encoder cells, KeyValue... row)
      throws IOException {
    GuardedFilter filter =
        isFiltered
            ? new GuardedFilter(
                new ValueFilter(
                    CompareOperator.EQUAL, new BinaryComparator(Bytes.toBytes("wanted"))))
            : null;
    byte[][] columns = {Bytes.toBytes("p"), Bytes.toBytes("q")};
    CellSelector selector =
        new CellSelector(
            request.build(), columns, filter, cells, new LargeCells(() -> 0).share(), 1 << 20);
    selector.startRow(row[0], 0, true);
    List<CellSelector.Step> steps = new ArrayList<>();
    for (KeyValue cell : row) {
      steps.add(selector.add(cell, 0));
    }
    selector.finishRow();
    return steps;
  }

  /** As HBase does, which seeks from there: the next cell may lie in another block. */
  @Test
  void nothingIsLookedAtBehindTheLastColumnOnceItIsSettled() throws IOException {
    ReadRequest.Builder trimmed =
        ReadRequest.newBuilder().setTrimVersions(2).setTrimBehindColumns(true);
    CellBatch.Encoder cells = new CellBatch.Encoder(1000);
    assertThat(steps(trimmed, false, cells, put(6, "a"), put(5, "b")))
        .containsExactly(CellSelector.Step.NEXT, CellSelector.Step.NEXT_ROW);
    CellBatch.Decoder sent = cells.decoder(0);
    sent.next();
    assertThat(sent.gap()).isEqualTo(CellBatch.Gap.NONE);
    sent.next();
    assertThat(sent.gap()).isEqualTo(CellBatch.Gap.COLUMN);
    // Of a marker it hides one: HBase looks on.
    assertThat(steps(trimmed, false, cells, marker(6), put(6, "a"), put(5, "b")))
        .containsOnly(CellSelector.Step.NEXT);
    assertThat(
            steps(trimmed.clone().clearTrimBehindColumns(), false, cells, put(6, "a"), put(5, "b")))
        .containsOnly(CellSelector.Step.NEXT);
    assertThat(steps(trimmed.clone().setMinTimestamp(5), false, cells, put(6, "a"), put(4, "b")))
        .containsExactly(CellSelector.Step.NEXT, CellSelector.Step.NEXT_ROW);
  }

  @Test
  void noMoreVersionsAreJudgedThanTheFamilyHas() throws IOException {
    for (FilterScope scope : List.of(FilterScope.BY_VERSION, FilterScope.BY_ROW)) {
      ReadRequest.Builder request =
          ReadRequest.newBuilder().setFilterScope(scope).setFamilyVersions(2).setMaxVersions(2);
      CellBatch.Encoder cells = new CellBatch.Encoder(1000);
      assertThat(steps(request, true, cells, put(6, "a"), put(5, "wanted")))
          .as("%s", scope)
          .containsExactly(CellSelector.Step.NEXT, CellSelector.Step.NEXT_ROW);
      assertThat(cells.decoder(0).gap()).isEqualTo(CellBatch.Gap.NONE);
      assertThat(steps(request, true, cells, marker(6), put(6, "a"), put(5, "wanted")))
          .as("%s", scope)
          .containsOnly(CellSelector.Step.NEXT);
    }
  }
}
