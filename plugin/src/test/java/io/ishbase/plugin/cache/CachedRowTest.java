package io.ishbase.plugin.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** What a cached row holds, what a flush leaves out of it, and what a compaction could. */
class CachedRowTest {
  private static final byte[] ROW = Bytes.toBytes("r");
  private static final byte[] FAMILY = Bytes.toBytes("f");
  private static final long READ_POINT = 100;

  private static ColumnFamilyDescriptorBuilder family(int maxVersions) {
    return ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setMaxVersions(maxVersions);
  }

  private static List<ExtendedCell> trim(
      ColumnFamilyDescriptorBuilder family, ExtendedCell... cells) {
    return CachedRow.trim(List.of(cells), info(family), READ_POINT);
  }

  private static ScanInfo info(ColumnFamilyDescriptorBuilder family) {
    return new ScanInfo(
        new Configuration(false), family.build(), Long.MAX_VALUE, 0, CellComparator.getInstance());
  }

  private static ExtendedCell cell(
      String qualifier, long timestamp, long sequenceId, KeyValue.Type type, Tag... tags) {
    KeyValue cell =
        new KeyValue(
            ROW,
            FAMILY,
            Bytes.toBytes(qualifier),
            timestamp,
            type,
            Bytes.toBytes("v"),
            List.of(tags));
    cell.setSequenceId(sequenceId);
    return cell;
  }

  private static ExtendedCell put(String qualifier, long timestamp, long sequenceId) {
    return cell(qualifier, timestamp, sequenceId, KeyValue.Type.Put);
  }

  @Test
  void versionsBeyondTheMaximumGo() {
    ExtendedCell[] cells = {put("a", 3, 3), put("a", 2, 2), put("a", 1, 1), put("b", 1, 1)};
    assertThat(trim(family(1), cells)).containsExactly(cells[0], cells[3]);
    assertThat(trim(family(2), cells)).containsExactly(cells[0], cells[1], cells[3]);
    assertThat(trim(family(3), cells)).containsExactly(cells);
  }

  @Test
  void aTimestampThatWasWrittenAgainCountsOnce() {
    ExtendedCell[] cells = {put("a", 3, 5), put("a", 3, 4), put("a", 2, 2), put("a", 1, 1)};
    assertThat(trim(family(2), cells)).containsExactly(cells[0], cells[2]);
  }

  @Test
  void whatNotAllReadersSeeHidesNothing() {
    ExtendedCell[] cells = {put("a", 3, READ_POINT + 1), put("a", 2, 2), put("a", 1, 1)};
    assertThat(trim(family(1), cells)).containsExactly(cells[0], cells[1]);
    ExtendedCell[] same = {put("a", 3, READ_POINT + 1), put("a", 3, 2)};
    assertThat(trim(family(1), same)).containsExactly(same);
  }

  @Test
  void rowsWhereMoreDecidesStay() {
    for (KeyValue.Type type :
        List.of(
            KeyValue.Type.Delete, KeyValue.Type.DeleteColumn, KeyValue.Type.DeleteFamilyVersion)) {
      ExtendedCell[] deleted = {put("a", 3, 3), put("a", 2, 2), cell("b", 3, 3, type)};
      assertThat(trim(family(1), deleted)).containsExactly(deleted);
    }
    ExtendedCell[] tagged = {
      cell("a", 3, 3, KeyValue.Type.Put, new ArrayBackedTag((byte) 9, new byte[1])), put("a", 2, 2)
    };
    assertThat(trim(family(1), tagged)).containsExactly(tagged);
    ExtendedCell[] unqualified = {put("", 3, 3), put("", 2, 2)};
    assertThat(trim(family(1), unqualified)).containsExactly(unqualified);
    ExtendedCell[] cells = {put("a", 3, 3), put("a", 2, 2)};
    assertThat(trim(family(1).setKeepDeletedCells(KeepDeletedCells.TRUE), cells))
        .containsExactly(cells);
    assertThat(trim(family(2).setMinVersions(1).setTimeToLive(10), put("a", 3, 3), cells[1]))
        .hasSize(2);
  }

  private static boolean isClean(ColumnFamilyDescriptorBuilder family, ExtendedCell... cells) {
    return CachedRow.isClean(List.of(cells), info(family));
  }

  @Test
  void aRowIsCleanIfNoCompactionCouldDropACell() {
    assertThat(isClean(family(1), put("a", 3, 3), put("b", 2, 2))).isTrue();
    assertThat(isClean(family(1), put("a", 3, 3), put("a", 2, 2))).isFalse();
    assertThat(isClean(family(2), put("a", 3, 3), put("a", 2, 2), put("b", 9, 1))).isTrue();
    assertThat(isClean(family(3), put("a", 3, 3), put("a", 3, 2))).isFalse();
    for (KeyValue.Type type : List.of(KeyValue.Type.Delete, KeyValue.Type.DeleteColumn)) {
      assertThat(isClean(family(1), cell("a", 3, 3, type))).isFalse();
    }
    ExtendedCell tagged =
        cell("a", 3, 3, KeyValue.Type.Put, new ArrayBackedTag((byte) 70, new byte[1]));
    ExtendedCell expiring =
        cell(
            "a",
            3,
            3,
            KeyValue.Type.Put,
            new ArrayBackedTag(TagType.TTL_TAG_TYPE, Bytes.toBytes(1000L)));
    assertThat(isClean(family(1), tagged)).isTrue();
    assertThat(isClean(family(1), expiring)).isFalse();
    for (ColumnFamilyDescriptorBuilder keeps :
        List.of(
            family(2).setMinVersions(1).setTimeToLive(10),
            family(2).setKeepDeletedCells(KeepDeletedCells.TRUE))) {
      assertThat(isClean(keeps, put("a", 3, 3))).isFalse();
      assertThat(isClean(keeps)).isTrue();
    }
  }

  @Test
  void aReaderSeesWhatIsNotBeyondItsReadPoint() {
    ExtendedCell[] cells = {put("a", 3, 7), put("a", 2, 5), put("b", 1, 6)};
    byte[] row = CachedRow.encode(List.of(cells));
    assertThat(row.length).isLessThanOrEqualTo((int) CachedRow.encodedBytes(List.of(cells)));
    assertThat(all(row, 7)).containsExactly(cells);
    assertThat(all(row, 6)).containsExactly(cells[1], cells[2]);
    assertThat(all(row, 4)).isEmpty();
  }

  private static List<ExtendedCell> all(byte[] row, long readPoint) {
    CachedRow.Cells cells = new CachedRow.Cells(row, readPoint);
    return Stream.generate(cells::next).takeWhile(Objects::nonNull).toList();
  }

  @Test
  void aCellThatAFillBroughtBeforeTheFlushStaysOnce() {
    ExtendedCell[] cells = {put("a", 3, 7), put("a", 2, 5), put("b", 1, 6), put("c", 1, 9)};
    byte[] row = CachedRow.encode(List.of(cells[1], cells[2]));
    List<ExtendedCell> merged =
        CachedRow.merge(
            CachedRow.all(new CachedRow.Cells(row, Long.MAX_VALUE)),
            List.of(cells[0], cells[2], cells[3]),
            CellComparator.getInstance());
    assertThat(merged).containsExactly(cells);
  }

  @Test
  void aMarkerOfOneVersionIsKnownUntilItIsFlushed() {
    VersionMarkers markers = new VersionMarkers();
    assertThat(markers.add(put("a", 3, 30))).isFalse();
    assertThat(markers.add(cell("a", 3, 31, KeyValue.Type.DeleteColumn))).isFalse();
    assertThat(markers.mayBeInMemstore(1)).isFalse();
    assertThat(markers.add(cell("a", 3, 32, KeyValue.Type.Delete))).isTrue();
    assertThat(markers.mayBeInMemstore(31)).isTrue();
    assertThat(markers.mayBeInMemstore(33)).isFalse();
    assertThat(markers.add(cell("", 3, 34, KeyValue.Type.DeleteFamilyVersion))).isTrue();
    assertThat(markers.mayBeInMemstore(33)).isTrue();
  }
}
