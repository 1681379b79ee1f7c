package io.ishbase.plugin.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.cache.SegmentCache;
import io.ishbase.core.cache.StoreCache;
import io.ishbase.core.cache.Stretch;
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
import java.io.IOException;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.util.Bytes;
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
    return new ScanFill(rows, ofRow -> true, rows.ticket(), advised);
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

  private void send(ScanFill fill, Position from, Position next) throws IOException {
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
            CellComparator.getInstance());
    cells = new CellBatch.Encoder(1024);
    fill.received(
        batch,
        ReadRequest.newBuilder()
            .setVersion(0)
            .setDirectory("")
            .setReadPoint(0)
            .addRange(RowRanges.of(Bytes.toBytes("a"), Bytes.toBytes("x")))
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
}
