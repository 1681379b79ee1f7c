package io.ishbase.plugin.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.cache.RowView;
import io.ishbase.core.cache.SegmentCache;
import io.ishbase.core.cache.StoreCache;
import io.ishbase.core.cache.Stretch;
import io.ishbase.core.cache.memory.Pin;
import io.ishbase.plugin.scan.FillSink;
import io.ishbase.plugin.scan.NodeBatch;
import io.ishbase.plugin.scan.RowRanges;
import io.ishbase.protocol.CellBatch;
import io.ishbase.protocol.CellBatch.Gap;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What of a daemon's answers goes into the cache. Rows are single letters. */
class ScanFillTest {
  private static final byte[] FAMILY = Bytes.toBytes("f");

  private final SegmentCache cache = new SegmentCache(SegmentCache.MIN_BUDGET_BYTES, () -> 0);
  private final StoreCache rows = cache.open("t");
  private CellBatch.Encoder cells = new CellBatch.Encoder(1024);

  @AfterEach
  void closeCache() {
    cache.close();
  }

  private ScanFill fill(Stretch advised) {
    return new ScanFill(
        rows, new RowCodec("f", null, () -> false), ofRow -> true, rows.ticket(), advised, 1 << 20);
  }

  private static KeyValue cell(String row, int qualifier, int bytes) {
    return new KeyValue(Bytes.toBytes(row), FAMILY, Bytes.toBytes(qualifier), 1, new byte[bytes]);
  }

  private ScanFillTest with(String row, int qualifier, int bytes) {
    cells.add(0, cell(row, qualifier, bytes));
    return this;
  }

  private ScanFillTest with(String row) {
    return with(row, 0, 10);
  }

  private void send(FillSink fill, Position from, Position next) throws IOException {
    send(fill, RowRanges.of(Bytes.toBytes("a"), Bytes.toBytes("x")), from, next);
  }

  private void send(FillSink fill, RowRange range, Position from, Position next)
      throws IOException {
    ReadResponse.Builder response =
        ReadResponse.newBuilder()
            .setCode(Code.OK)
            .setCellCount(cells.count())
            .setCells(UnsafeByteOperations.unsafeWrap(cells.array(), 0, cells.size()));
    if (next != null) {
      response.setNext(next);
    }
    NodeBatch batch =
        NodeBatch.of(
            Checksums.sealed(response.build()),
            ReadRequest.newBuilder()
                .setVersion(0)
                .setDirectory("")
                .addFile("")
                .setReadPoint(Long.MAX_VALUE)
                .build(),
            null,
            CellComparator.getInstance());
    cells = new CellBatch.Encoder(1024);
    fill.received(
        batch,
        ReadRequest.newBuilder()
            .setVersion(0)
            .setDirectory("")
            .setReadPoint(0)
            .addRange(range)
            .build(),
        from);
  }

  private String covered() {
    StringBuilder covered = new StringBuilder();
    for (char row = 'a'; row <= 'z'; row++) {
      if (rows.covers(new byte[] {(byte) row}, null)) {
        covered.append(row);
      }
    }
    return covered.toString();
  }

  @Test
  void rowsAndWhatLiesBetweenThemAreCached() throws Exception {
    with("b").with("d");
    send(fill(null), null, null);
    assertThat(covered()).isEqualTo("abcdefghijklmnopqrstuvw");
  }

  @Test
  void aRowWithAGapIsNotCachedAndItsNeighboursAre() throws Exception {
    with("b").with("d");
    cells.markGap(Gap.ROW);
    with("f");
    send(fill(null), null, null);
    assertThat(covered()).isEqualTo("abcefghijklmnopqrstuvw");
  }

  @Test
  void noRunOfNeighboursIsLinkedOverARowWithAGap() throws Exception {
    Stretch stretch = new Stretch(Bytes.toBytes("a"), Bytes.toBytes("x"), 1000);
    with("b").with("d");
    cells.markGap(Gap.ROW);
    with("f");
    send(fill(stretch), null, null);
    assertThat(covered()).isEqualTo("abcefghijklmnopqrstuvw");
  }

  @Test
  void ofARowThatIsTooLongNothingIsHeld() throws Exception {
    ScanFill fill = fill(null);
    with("b");
    Position from = null;
    long held = 0;
    for (int i = 0; i < 1000; i++) {
      with("d", i, 10);
      if (i % 10 == 9) {
        Position next = Positions.atKey(cell("d", i + 1, 0));
        send(fill, from, next);
        from = next;
        held = Math.max(held, fill.heldBytes());
      }
    }
    with("f");
    send(fill, from, null);
    assertThat(held).isPositive().isLessThanOrEqualTo(rows.maxRowBytes());
    assertThat(covered()).isEqualTo("abcefghijklmnopqrstuvw");
  }

  @Test
  void whatLiesBeyondTheRangeIsRefused() {
    with("b").with("y");
    assertThatThrownBy(() -> send(fill(null), null, null))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(covered()).doesNotContain("w", "y");
  }

  /** Of several such rows none, and nothing that would lie between them. */
  @Test
  void whatLiesFarBeyondTheRangeIsRefused() {
    with("b").with("y").with("z");
    assertThatThrownBy(() -> send(fill(null), null, null))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(covered()).doesNotContain("w", "x", "y", "z");
  }

  /** Of rows that nobody looked for it is not known that they are not there. */
  @Test
  void aRestThatBeginsBeyondTheRangeIsRefused() {
    with("b");
    assertThatThrownBy(
            () ->
                send(
                    fill(null),
                    null,
                    Positions.atKey(KeyValueUtil.createFirstOnRow(Bytes.toBytes("z")))))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(covered()).doesNotContain("w", "x", "y", "z");
  }

  private static RowRange range(
      String start, boolean includesStart, String stop, boolean includesStop) {
    return RowRange.newBuilder()
        .setStartRow(ByteString.copyFromUtf8(start))
        .setIncludeStart(includesStart)
        .setStopRow(ByteString.copyFromUtf8(stop))
        .setIncludeStop(includesStop)
        .build();
  }

  @Test
  void aRangeIsKnownAsFarAsItsBordersSay() throws Exception {
    with("c");
    send(fill(null), range("b", false, "d", true), null, null);
    assertThat(covered()).isEqualTo("cd");
    send(fill(null), range("d", true, "f", false), null, null);
    assertThat(covered()).isEqualTo("cde");
    send(fill(null), range("s", true, "", false), null, null);
    assertThat(covered()).isEqualTo("cdestuvwxyz");
    with("h");
    send(fill(null), range("g", true, "h", true), null, null);
    assertThat(covered()).isEqualTo("cdeghstuvwxyz");
  }

  /** It may end within the row that the range begins behind. */
  @Test
  void ofTheRowBehindWhichARangeBeginsNothingIsKept() throws Exception {
    with("b").with("c");
    send(fill(null), range("b", false, "e", false), null, null);
    assertThat(covered()).isEqualTo("cd");
  }

  @Test
  void whatLiesBeyondAnIncludedStopIsRefused() {
    with("b").with("c").with("cc");
    assertThatThrownBy(() -> send(fill(null), range("a", true, "c", true), null, null))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aRunGoesOnFromBatchToBatchAndEndsWhereTheScanSeeks() throws Exception {
    ScanFill fill = fill(null);
    with("b").with("c", 1, 10);
    Position inRow = Positions.atKey(cell("c", 2, 0));
    send(fill, null, inRow);
    assertThat(covered()).isEqualTo("ab");
    with("c", 2, 10);
    Position atRow = Positions.atKey(KeyValueUtil.createFirstOnRow(Bytes.toBytes("e")));
    send(fill, inRow, atRow);
    assertThat(covered()).isEqualTo("abcd");
    // Into the middle of a row, whose first cells are not known.
    Position sought = Positions.atKey(cell("h", 5, 0));
    with("h", 5, 10).with("i");
    Position behind = Positions.atKey(cell("k", 3, 0));
    send(fill, sought, behind);
    assertThat(covered()).isEqualTo("abcdi");
    // To the beginning of one.
    with("n");
    send(fill, Positions.atKey(KeyValueUtil.createFirstOnRow(Bytes.toBytes("m"))), null);
    assertThat(covered()).isEqualTo("abcdimnopqrstuvw");
  }

  @Test
  void aScanThatSeeksToItsEndKnowsNothingOfIt() throws Exception {
    ScanFill fill = fill(null);
    with("b");
    send(fill, null, Positions.atKey(cell("d", 0, 0)));
    send(fill, Positions.atKey(KeyValueUtil.createFirstOnRow(Bytes.toBytes("x"))), null);
    assertThat(covered()).isEqualTo("ab");
  }

  @Test
  void nothingIsKeptOfWhatWasReadBeforeFilesChanged() throws Exception {
    ScanFill fill = fill(null);
    with("b");
    Position next = Positions.atKey(cell("d", 0, 0));
    send(fill, null, next);
    rows.change().close();
    with("d");
    send(fill, next, null);
    assertThat(covered()).isEqualTo("ab");
  }

  @Test
  void rowsOfSeveralNodesAreCachedWhenAllHaveBroughtThem() throws Exception {
    List<? extends FillSink> parts = fill(null).expect(2);
    Position rest = Positions.atKey(cell("f", 0, 0));
    with("b", 1, 10).with("d");
    send(parts.get(0), null, rest);
    assertThat(covered()).isEmpty();
    with("b", 0, 10).with("c").with("g");
    send(parts.get(1), null, null);
    assertThat(covered()).isEqualTo("abcd");
    assertThat(qualifiers("b")).containsExactly(0, 1);
    with("f");
    send(parts.get(0), rest, null);
    assertThat(covered()).isEqualTo("abcdefghijklmnopqrstuvw");
  }

  private List<Integer> qualifiers(String row) {
    RowView view = new RowView();
    try (Pin pin = rows.pin()) {
      assertThat(rows.peek(pin, Bytes.toBytes(row), null, view)).isTrue();
      return CachedRow.all(
              new RowCodec("f", null, () -> false)
                  .cells(view.copyRow(), view.copyPayload(), Long.MAX_VALUE))
          .stream()
          .map(cell -> Bytes.toInt(CellUtil.cloneQualifier(cell)))
          .toList();
    }
  }

  @Test
  void aRowWithAGapAtOneNodeIsNotCached() throws Exception {
    List<? extends FillSink> parts = fill(null).expect(2);
    with("b").with("d", 1, 10);
    send(parts.get(0), null, null);
    with("d", 0, 10);
    cells.markGap(Gap.ROW);
    with("e");
    send(parts.get(1), null, null);
    assertThat(covered()).isEqualTo("abcefghijklmnopqrstuvw");
  }

  /** Which of the two counts only their files decide. */
  @Test
  void aRowOfWhichTwoNodesHaveAnEqualCellIsNotCached() throws Exception {
    List<? extends FillSink> parts = fill(null).expect(2);
    with("b").with("d");
    send(parts.get(0), null, null);
    with("d").with("e");
    send(parts.get(1), null, null);
    assertThat(covered()).isEqualTo("abcefghijklmnopqrstuvw");
  }

  @Test
  void aRowThatIsTooLongOnlyAsAWholeIsNotCached() throws Exception {
    int half = rows.maxRowBytes() * 3 / 4;
    List<? extends FillSink> parts = fill(null).expect(2);
    with("b").with("d", 1, half);
    send(parts.get(0), null, null);
    with("d", 0, half).with("e");
    send(parts.get(1), null, null);
    assertThat(covered()).isEqualTo("abcefghijklmnopqrstuvw");
  }

  @Test
  void aNodeWithoutAnyOfTheRowsHasNoSay() throws Exception {
    List<? extends FillSink> parts = fill(null).expect(3);
    parts.get(1).receivedNothing();
    with("b");
    send(parts.get(0), null, null);
    assertThat(covered()).isEmpty();
    with("c");
    send(parts.get(2), null, null);
    assertThat(covered()).isEqualTo("abcdefghijklmnopqrstuvw");
  }

  @Test
  void nothingIsCachedBehindWhereANodeGivesUp() throws Exception {
    List<? extends FillSink> parts = fill(null).expect(2);
    with("b").with("d");
    send(parts.get(0), null, Positions.atKey(cell("f", 0, 0)));
    parts.get(0).abandon();
    Position rest = Positions.atKey(cell("c", 0, 0));
    with("b", 1, 10);
    send(parts.get(1), null, rest);
    assertThat(covered()).isEqualTo("ab");
    with("c").with("g");
    send(parts.get(1), rest, null);
    assertThat(covered()).isEqualTo("abcd");
  }

  @Test
  void withoutANodeThatNeverAnswersNothingIsCached() throws Exception {
    List<? extends FillSink> parts = fill(null).expect(2);
    with("b");
    send(parts.get(0), null, null);
    parts.get(1).abandon();
    with("c");
    send(parts.get(0), null, null);
    assertThat(covered()).isEmpty();
  }

  /** HBase closes a scanner that has come to its end before the others have. */
  @Test
  void whatANodeBroughtUpToItsEndCountsWhenItsScannerIsClosed() throws Exception {
    List<? extends FillSink> parts = fill(null).expect(2);
    with("b");
    send(parts.get(0), null, null);
    parts.get(0).abandon();
    with("c");
    send(parts.get(1), null, null);
    assertThat(covered()).isEqualTo("abcdefghijklmnopqrstuvw");
  }

  @Test
  void onlyWhatNoNodeSoughtOverIsCached() throws Exception {
    List<? extends FillSink> parts = fill(null).expect(2);
    with("b");
    send(parts.get(0), null, Positions.atKey(cell("d", 0, 0)));
    with("h", 5, 10).with("i");
    send(parts.get(0), Positions.atKey(cell("h", 5, 0)), null);
    with("b", 1, 10).with("h", 1, 10).with("k");
    send(parts.get(1), null, null);
    assertThat(covered()).isEqualTo("ijklmnopqrstuvw");
  }

  @Test
  void ofSeveralNodesTooNothingIsKeptAcrossAChangeOfFiles() throws Exception {
    List<? extends FillSink> parts = fill(null).expect(2);
    with("b");
    send(parts.get(0), null, null);
    rows.change().close();
    with("c");
    send(parts.get(1), null, null);
    assertThat(covered()).isEmpty();
  }

  @Test
  void rangesOfSeveralNodesFollowEachOther() throws Exception {
    List<? extends FillSink> parts = fill(null).expect(2);
    RowRange first = range("b", true, "d", false);
    RowRange second = range("g", false, "i", true);
    with("b");
    send(parts.get(0), first, null, null);
    send(parts.get(1), first, null, null);
    assertThat(covered()).isEqualTo("bc");
    with("h");
    send(parts.get(1), second, null, null);
    assertThat(covered()).isEqualTo("bc");
    with("h", 1, 10);
    send(parts.get(0), second, null, null);
    assertThat(covered()).isEqualTo("bchi");
  }

  @Test
  void aScanWithoutANodeFillsNothing() {
    assertThat(fill(null).expect(0)).isEmpty();
    assertThat(fill(null).expect(1)).hasSize(1);
  }

  @Test
  void whatWaitsForOtherNodesIsBounded() {
    WaitingRows waiting = new WaitingRows(100);
    waiting.begin(Bytes.toBytes("a"), true);
    for (char row = 'b'; row <= 'z'; row++) {
      waiting.row(new byte[] {(byte) row}, List.of(), 33);
      assertThat(waiting.heldBytes()).isLessThanOrEqualTo(100);
    }
    // Of what was let go nothing is claimed.
    assertThat(waiting.from()).isEqualTo(Border.behind(Bytes.toBytes("y")));
    assertThat(waiting.first()).isEqualTo(Bytes.toBytes("z"));
    assertThat(waiting.to()).isEqualTo(Border.behind(Bytes.toBytes("z")));
  }
}
