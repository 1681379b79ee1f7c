package io.ishbase.plugin.cache;

import static io.ishbase.plugin.cache.CachedRegion.FAMILY;
import static io.ishbase.plugin.cache.CachedRegion.cached;
import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.core.cache.memory.Columns;
import io.ishbase.plugin.scan.NodeBatch;
import io.ishbase.plugin.scan.ReadFill;
import io.ishbase.plugin.scan.RowRanges;
import io.ishbase.plugin.scan.WantedColumns;
import io.ishbase.protocol.CellBatch;
import io.ishbase.protocol.CellBatch.Gap;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What of the answers to a Get goes into the cache. */
class RowFillTest {
  private static final byte[] A = Bytes.toBytes("a");

  @TempDir private Path directory;

  private CachedRegion region;
  private CachedRows cache;
  private ReadFill fill;

  @BeforeEach
  void open() throws IOException {
    region = new CachedRegion(directory, CachedRegion.family().setMaxVersions(3));
    cache = region.cache(Set.of(), 1);
    fill = fill(null);
  }

  private static WantedColumns slice(String prefix, int limit) {
    return new WantedColumns(Columns.withPrefix(Bytes.toBytes(prefix)), true, limit);
  }

  private ReadFill fill(WantedColumns slice) {
    Scan get = new Scan(new Get(A));
    return cache.fill(
        cache.reader(get, region.store().getScanInfo(), Long.MAX_VALUE), get, slice, 1 << 20);
  }

  @AfterEach
  void close() throws IOException {
    region.close();
  }

  private static KeyValue cell(String row, String qualifier, long timestamp, long sequenceId) {
    KeyValue cell =
        new KeyValue(
            Bytes.toBytes(row), FAMILY, Bytes.toBytes(qualifier), timestamp, Bytes.toBytes("v"));
    cell.setSequenceId(sequenceId);
    return cell;
  }

  private static NodeBatch batch(Gap gap, Position next, KeyValue... cells) throws IOException {
    CellBatch.Encoder encoder = new CellBatch.Encoder(1024);
    for (KeyValue cell : cells) {
      encoder.add(0, cell);
    }
    if (gap != Gap.NONE) {
      encoder.markGap(gap);
    }
    ReadResponse.Builder response =
        ReadResponse.newBuilder()
            .setCode(Code.OK)
            .setCellCount(encoder.count())
            .setCells(UnsafeByteOperations.unsafeWrap(encoder.array(), 0, encoder.size()));
    if (next != null) {
      response.setNext(next);
    }
    return NodeBatch.of(
        Checksums.sealed(response.build()),
        ReadRequest.newBuilder()
            .setVersion(0)
            .setDirectory("")
            .addFile("")
            .setReadPoint(Long.MAX_VALUE)
            .build(),
        null,
        CellComparator.getInstance());
  }

  private void receive(NodeBatch batch, String... columns) {
    ReadRequest.Builder request =
        ReadRequest.newBuilder()
            .setVersion(0)
            .setDirectory("")
            .setReadPoint(0)
            .addRange(RowRanges.of(Bytes.toBytes("a"), Bytes.toBytes("b")));
    for (String column : columns) {
      request.addColumn(ByteString.copyFromUtf8(column));
    }
    fill.received(batch, request.build(), null);
  }

  /** Answers to a request with a filter. */
  private void receiveFiltered(KeyValue... cells) throws IOException {
    fill.received(
        batch(Gap.NONE, null, cells),
        ReadRequest.newBuilder()
            .setVersion(0)
            .setDirectory("")
            .setReadPoint(0)
            .addRange(RowRanges.of(Bytes.toBytes("a"), Bytes.toBytes("b")))
            .setFilter(ByteString.EMPTY)
            .build(),
        null);
  }

  private void receive(KeyValue... cells) throws IOException {
    receive(batch(Gap.NONE, null, cells));
  }

  @Test
  void thePartsOfAllNodesAreTheRow() throws IOException {
    KeyValue[] cells = {
      cell("a", "p", 2, 4), cell("a", "q", 3, 3), cell("a", "q", 2, 2), cell("a", "q", 1, 1)
    };
    fill.expect(4);
    receive(cells[1], cells[3]);
    receive(cells[0], cells[2]);
    assertThat(cached(cache, "a")).isNull();
    fill.receivedNothing();
    assertThat(cached(cache, "a")).isNull();
    receive(cell("a", "r", 1, 1));
    assertThat(cached(cache, "a")).startsWith(cells).hasSize(5);
  }

  @Test
  void ofFilesWithoutTheRowItIsKnownThatItIsNotThere() {
    fill.expect(2);
    fill.receivedNothing();
    fill.receivedNothing();
    assertThat(cached(cache, "a")).isEmpty();
  }

  @Test
  void cellsOfTwoNodesThatAreEqualButForTheirFilesAreNotCached() throws IOException {
    fill.expect(2);
    receive(cell("a", "q", 3, 3), cell("a", "q", 2, 0));
    receive(cell("a", "q", 2, 0), cell("a", "q", 1, 0));
    assertThat(cached(cache, "a")).isNull();
    assertThat(cache.stats().entries()).isZero();
  }

  @Test
  void onlyTheColumnsThatWereAskedForAreCached() throws IOException {
    fill.expect(1);
    receive(batch(Gap.NONE, null, cell("a", "q", 1, 1)), "q", "r");
    assertThat(cached(cache, "a")).isNull();
    assertThat(cached(cache, "a", "q", "r")).hasSize(1);
    assertThat(cached(cache, "a", "q", "s")).isNull();
  }

  @Test
  void ofASliceAllIsCached() throws IOException {
    fill.abandon();
    fill =
        fill(new WantedColumns(Columns.between(Bytes.toBytes("p"), Bytes.toBytes("r")), true, 0));
    fill.expect(2);
    receiveFiltered(cell("a", "p", 1, 1), cell("a", "q", 2, 2));
    // The other node sends all, for it does not use the filter.
    receive(cell("a", "o", 1, 1), cell("a", "q", 1, 1), cell("a", "r", 1, 1));
    assertThat(cached(cache, "a")).isNull();
    assertThat(cached(cache, "a", "r")).isNull();
    assertThat(cached(cache, "a", "p", "pp", "q")).hasSize(3);
  }

  @Test
  void aSliceThatDoesNotComeWholeIsRemembered() throws IOException {
    assertThat(cache.isTooLong(A, slice("p", 1))).isFalse();
    fill.expect(1);
    receive(batch(Gap.ROW, null, cell("a", "p", 1, 1)));
    assertThat(cache.isTooLong(A, slice("p", 1))).as("nobody asked for a slice").isFalse();
    fill = fill(slice("p", 1));
    fill.expect(1);
    receive(batch(Gap.ROW, null, cell("a", "p", 1, 1)));
    assertThat(cached(cache, "a", "p")).isNull();
    assertThat(cache.isTooLong(A, slice("p", 1))).isTrue();
    assertThat(cache.isTooLong(Bytes.toBytes("b"), slice("p", 1))).isFalse();
    assertThat(cache.isTooLong(A, slice("pp", 1))).isFalse();
    assertThat(cache.isTooLong(A, slice("p", 2))).isFalse();
    region.put("a", "p", 1, "v");
    region.flush();
    region.put("a", "p", 2, "v");
    region.flush();
    region.region().compact(true);
    assertThat(cache.isTooLong(A, slice("p", 1))).isFalse();
  }

  @Test
  void whatAFilterLeftIsNotCachedWithoutASlice() throws IOException {
    fill.expect(1);
    receiveFiltered(cell("a", "q", 1, 1));
    assertThat(cached(cache, "a", "q")).isNull();
  }

  @Test
  void whatIsNotAllOfTheRowIsNotCached() throws IOException {
    fill.expect(2);
    receive(batch(Gap.COLUMN, null, cell("a", "q", 9, 9)));
    receive(cell("a", "q", 1, 1));
    assertThat(cached(cache, "a")).isNull();
    close();
    directory = directory.resolve("anew");
    open();
    fill.expect(1);
    receive(batch(Gap.NONE, Positions.atKey(cell("a", "r", 1, 1)), cell("a", "q", 9, 9)));
    assertThat(cached(cache, "a")).isNull();
  }

  @Test
  void cellsOfAnotherRowAreNotCached() throws IOException {
    fill.expect(1);
    receive(cell("a", "q", 1, 1), cell("b", "q", 1, 1));
    assertThat(cached(cache, "a")).isNull();
    assertThat(cached(cache, "b")).isNull();
  }

  @Test
  void whatWasGivenUpIsNotCached() throws IOException {
    fill.expect(1);
    fill.abandon();
    receive(cell("a", "q", 1, 1));
    assertThat(cached(cache, "a")).isNull();
  }

  /** Where none of the files may hold the row, nobody stands between the fill and the read. */
  @Test
  void whatTheCacheCannotTakeFailsNoRead() {
    CompletableFuture<Void> end = new CompletableFuture<>();
    fill = new RowFill(cache, new byte[0], null, () -> {}, cache.rows().ticket(), end);
    assertThat(fill.expect(1)).hasSize(1);
    fill.receivedNothing();
    assertThat(end).as("what others wait for").isDone();
  }
}
