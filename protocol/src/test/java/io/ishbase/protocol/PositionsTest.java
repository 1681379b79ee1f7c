package io.ishbase.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.protocol.generated.IssnProtos.Position;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class PositionsTest {
  private static KeyValue cell(String row, long timestamp, long sequenceId) {
    KeyValue cell =
        new KeyValue(
            Bytes.toBytes(row), Bytes.toBytes("f"), Bytes.toBytes("q"), timestamp, new byte[1]);
    cell.setSequenceId(sequenceId);
    return cell;
  }

  private static boolean isBefore(KeyValue cell, int file, Position position) {
    return Positions.isBefore(
        CellComparatorImpl.COMPARATOR, cell, file, Positions.seekKey(position), position);
  }

  @Test
  void equalKeysSortBySequenceIdThenByFile() {
    Position position = Positions.atCell(cell("r", 5, 7), 2);
    assertThat(isBefore(cell("r", 6, 0), 0, position)).as("newer timestamp").isTrue();
    assertThat(isBefore(cell("r", 4, 9), 9, position)).as("older timestamp").isFalse();
    assertThat(isBefore(cell("r", 5, 8), 0, position)).as("newer sequence id").isTrue();
    assertThat(isBefore(cell("r", 5, 6), 9, position)).as("older sequence id").isFalse();
    assertThat(isBefore(cell("r", 5, 7), 3, position)).as("newer file").isTrue();
    assertThat(isBefore(cell("r", 5, 7), 2, position)).as("the cell itself").isFalse();
    assertThat(isBefore(cell("r", 5, 7), 1, position)).as("older file").isFalse();
  }

  @Test
  void aPlaceBehindACellIsBehindItAlone() {
    Position position = Positions.afterCell(cell("r", 5, 7), 2);
    assertThat(isBefore(cell("r", 5, 7), 3, position)).as("newer file").isTrue();
    assertThat(isBefore(cell("r", 5, 7), 2, position)).as("the cell itself").isTrue();
    assertThat(isBefore(cell("r", 5, 7), 1, position)).as("older file").isFalse();
    assertThat(isBefore(cell("r", 5, 6), 9, position)).as("older sequence id").isFalse();
  }

  @Test
  void aKeyStandsBeforeAllItsCells() {
    Position position = Positions.atKey(cell("r", 5, 0));
    assertThat(isBefore(cell("r", 5, 100), 9, position)).isFalse();
  }

  @Test
  void keepsThePlaceOfFakeKeys() {
    Position lastOnRow = Positions.atKey(PrivateCellUtil.createLastOnRow(Bytes.toBytes("r")));
    assertThat(isBefore(cell("r", 0, 0), 0, lastOnRow)).isTrue();
    assertThat(isBefore(cell("r0", 9, 0), 0, lastOnRow)).isFalse();
    Position firstOnRow = Positions.atKey(PrivateCellUtil.createFirstOnRow(Bytes.toBytes("r")));
    assertThat(isBefore(cell("r", Long.MAX_VALUE, 0), 0, firstOnRow)).isFalse();
    assertThat(isBefore(cell("q", 0, 0), 0, firstOnRow)).isTrue();
  }
}
