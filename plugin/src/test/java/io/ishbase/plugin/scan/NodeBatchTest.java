package io.ishbase.plugin.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.core.Reason;
import io.ishbase.plugin.node.DaemonException;
import io.ishbase.protocol.CellBatch;
import io.ishbase.protocol.Checksums;
import io.ishbase.protocol.Packing;
import io.ishbase.protocol.Positions;
import io.ishbase.protocol.Protocol;
import io.ishbase.protocol.StorageReads;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.Position;
import io.ishbase.protocol.generated.IssnProtos.ReadRequest;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.protobuf.ByteString;
import org.apache.hbase.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.apache.hbase.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

class NodeBatchTest {
  private static final ReadRequest REQUEST =
      ReadRequest.newBuilder()
          .setVersion(Protocol.VERSION)
          .setDirectory("/d")
          .addFile("f")
          .setReadPoint(Long.MAX_VALUE)
          .setMaxBytes(1000)
          .setMaxBlockBytes(Long.MAX_VALUE)
          .addRange(RowRange.getDefaultInstance())
          .build();

  private static ReadResponse.Builder answer(CellBatch.Encoder cells) {
    return ReadResponse.newBuilder()
        .setCode(Code.OK)
        .setCellCount(cells.count())
        .setCells(UnsafeByteOperations.unsafeWrap(cells.array(), 0, cells.size()));
  }

  private static NodeBatch batch(ReadResponse.Builder answer) throws DaemonException {
    return batch(answer, REQUEST);
  }

  private static NodeBatch batch(ReadResponse.Builder answer, ReadRequest request)
      throws DaemonException {
    return NodeBatch.of(
        Checksums.sealed(answer.build()), request, null, CellComparator.getInstance());
  }

  private static byte[] packed(CellBatch.Encoder cells) {
    return Packing.compress(
        Packing.pack(cells.array(), cells.size(), cells.size(), new byte[0]), null);
  }

  private static CellBatch.Encoder smallestCells(int count) {
    CellBatch.Encoder cells = new CellBatch.Encoder(16);
    byte[] empty = new byte[0];
    for (int i = 0; i < count; i++) {
      cells.add(0, new KeyValue(Bytes.toBytes("r"), empty, empty, count - i, empty));
    }
    return cells;
  }

  @Test
  void takesCellsOfTheSmallestSize() throws DaemonException {
    for (int count : new int[] {1, 33, 1000}) {
      assertThat(batch(answer(smallestCells(count))).count()).isEqualTo(count);
    }
  }

  @Test
  void blocksAreCountedInAnyOrder() throws DaemonException {
    NodeBatch batch =
        batch(
            answer(smallestCells(3))
                .addAllBlockCell(List.of(2, 0, 2, 3))
                .addAllBlockBytes(List.of(Integer.MAX_VALUE, 10, Integer.MAX_VALUE, 5)));
    assertThat(batch.blockBytes(0, 1)).isEqualTo(10);
    assertThat(batch.blockBytes(1, 3)).isEqualTo(2L * Integer.MAX_VALUE);
    assertThat(batch.blockBytes(3, Integer.MAX_VALUE)).isEqualTo(5);
  }

  /** A reader asks for those of each cell. */
  @Test
  void manyBlocksOfManyCellsTakeNoTimeOfTheirOwn() throws DaemonException {
    int blocks = 4_000_000;
    ReadResponse.Builder answer = answer(smallestCells(100_000));
    for (int i = 0; i < blocks; i++) {
      answer.addBlockCell(i % 100).addBlockBytes(1);
    }
    NodeBatch batch = batch(answer);
    Assertions.assertTimeoutPreemptively(
        Duration.ofMinutes(1),
        () -> {
          long sum = 0;
          for (int cell = 0; cell < batch.count(); cell++) {
            sum += batch.blockBytes(cell, cell + 1);
          }
          assertThat(sum).isEqualTo(blocks);
        });
  }

  /** A user's quota pays for them. */
  @Test
  void blocksAreNoLargerThanFilesMayHaveThem() throws DaemonException {
    NodeBatch batch =
        batch(
            answer(smallestCells(1))
                .addAllBlockCell(List.of(0, 0, 1))
                .addAllBlockBytes(List.of(7, Integer.MAX_VALUE, Integer.MAX_VALUE)),
            REQUEST.toBuilder().setMaxBlockBytes(2 << 20).build());
    assertThat(batch.blockBytes(0, Integer.MAX_VALUE)).isBetween(2L << 20, 100L << 20);
  }

  @Test
  void whatWasReadOfFilesIsNoMoreThanASumHolds() throws DaemonException {
    ReadResponse.Builder answer =
        answer(smallestCells(1)).setStorageBytes(Long.MAX_VALUE).setCachedBytes(Long.MAX_VALUE);
    StorageReads.Count read = batch(answer).storageReads();
    assertThat(read.bytes()).isEqualTo(1L << 40).isEqualTo(read.cachedBytes());
    assertThatThrownBy(() -> batch(answer.setStorageBytes(-1)))
        .isInstanceOfSatisfying(
            DaemonException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BAD_ANSWER));
    // The release before does not say.
    assertThat(batch(answer(smallestCells(1))).storageReads().reads()).isEqualTo(1);
  }

  /** Nothing is kept for places that the answer does not have, nor sent with the next request. */
  @Test
  void placesThatTheAnswerDoesNotHaveAreABadAnswer() {
    ReadResponse.Builder answer = answer(smallestCells(1));
    KeyValue at = new KeyValue(Bytes.toBytes("s"), new byte[0], new byte[0], 1, new byte[0]);
    Position next = Positions.atCell(at, 0);
    for (ReadResponse.Builder lie :
        List.of(
            answer.clone().addBlockCell(2).addBlockBytes(1),
            answer.clone().addBlockCell(-1).addBlockBytes(1),
            answer.clone().addFilteredCell(2).addFilteredAhead(1),
            answer.clone().setNext(next.toBuilder().addCountedFile(1)),
            answer.clone().setNext(next.toBuilder().addCountedFile(-1)),
            answer.clone().setNext(next.toBuilder().addAllCountedFile(List.of(0, 0))),
            answer.clone().setNext(next.toBuilder().setKey(ByteString.copyFrom(largeKey()))))) {
      assertThatThrownBy(() -> batch(lie))
          .isInstanceOfSatisfying(
              DaemonException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BAD_ANSWER));
    }
  }

  private static byte[] largeKey() {
    byte[] empty = new byte[0];
    return PrivateCellUtil.getCellKeySerializedAsKeyValueKey(
        new KeyValue(Bytes.toBytes("s"), empty, new byte[3 << 20], 1, empty));
  }

  @Test
  void noBitOfAnAnswerCanFlipUnnoticed() throws IOException {
    CellBatch.Encoder cells = smallestCells(3);
    KeyValue last = new KeyValue(Bytes.toBytes("s"), new byte[0], new byte[0], 1, new byte[0]);
    ReadResponse truth =
        Checksums.sealed(
            answer(cells)
                .setNext(Positions.atCell(last, 0))
                .setLoadPercent(5)
                .addBlockCell(0)
                .addBlockBytes(8192)
                .build());
    byte[] bytes = truth.toByteArray();
    for (int bit = 0; bit < 8 * bytes.length; bit++) {
      byte[] flipped = bytes.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      ReadResponse response;
      try {
        response = ReadResponse.parseFrom(flipped);
      } catch (InvalidProtocolBufferException e) {
        continue;
      }
      // Of the code VERSION nothing is used.
      assertThat(Checksums.isIntact(response) && !response.equals(truth))
          .as("bit " + bit)
          .isFalse();
      if (response.getCode() == Code.VERSION) {
        continue;
      }
      assertThatThrownBy(() -> NodeBatch.of(response, REQUEST, null, CellComparator.getInstance()))
          .as("bit " + bit)
          .isInstanceOf(DaemonException.class);
    }
  }

  @Test
  void unpacksWhatCameInFewerBytes() throws DaemonException {
    CellBatch.Encoder cells = smallestCells(1000);
    byte[] packed = packed(cells);
    ReadResponse.Builder answer =
        answer(cells)
            .setUnpackedBytes(cells.size())
            .setCells(UnsafeByteOperations.unsafeWrap(packed));
    assertThat(packed.length).isLessThan(cells.size() / 10);
    NodeBatch batch = batch(answer);
    assertThat(batch.count()).isEqualTo(1000);
    assertThat(batch.bytes()).isEqualTo(cells.size());
    for (int announced : new int[] {0, cells.size() - 1, cells.size() + 1, 1 << 30, -1}) {
      answer.setUnpackedBytes(announced);
      assertThatThrownBy(() -> batch(answer)).isInstanceOf(DaemonException.class);
    }
  }

  @Test
  void aDictionaryThatNobodyNamedIsABadAnswer() {
    CellBatch.Encoder cells = smallestCells(1000);
    byte[] packed = packed(cells);
    ReadResponse.Builder answer =
        answer(cells)
            .setUnpackedBytes(cells.size())
            .setWithDictionary(true)
            .setCells(UnsafeByteOperations.unsafeWrap(packed));
    assertThatThrownBy(() -> batch(answer))
        .isInstanceOf(DaemonException.class)
        .hasMessageContaining("dictionary");
  }

  @Test
  void saysWhatBlocksWereReadForItsCells() throws DaemonException {
    NodeBatch batch =
        batch(
            answer(smallestCells(3))
                .addBlockCell(0)
                .addBlockBytes(100)
                .addBlockCell(2)
                .addBlockBytes(10)
                .addBlockCell(3)
                .addBlockBytes(1));
    assertThat(batch.blockBytes(0, 1)).isEqualTo(100);
    assertThat(batch.blockBytes(1, 3)).isEqualTo(10);
    assertThat(batch.blockBytes(0, Integer.MAX_VALUE)).isEqualTo(111);
    assertThat(batch.ofRow(Bytes.toBytes("r"), null).blockBytes(0, 1)).isEqualTo(111);
  }

  /** HBase ends a call whose Gets have read too much. */
  @Test
  void whatWasReadBehindTheLastCellIsOfOneRow() throws DaemonException {
    NodeBatch batch =
        batch(
            answer(smallestCells(3))
                .addBlockCell(0)
                .addBlockBytes(100)
                .addBlockCell(3)
                .addBlockBytes(1));
    assertThat(batch.has(Bytes.toBytes("r"))).isTrue();
    assertThat(batch.has(Bytes.toBytes("s"))).isFalse();
    long sum = 0;
    for (String row : List.of("t", "q", "s", "r", "u")) {
      sum += batch.ofRow(Bytes.toBytes(row), null).blockBytes(0, Integer.MAX_VALUE);
    }
    assertThat(sum).isEqualTo(101);
    NodeBatch empty =
        batch(
            answer(new CellBatch.Encoder(16))
                .addAllBlockCell(List.of(0, 0))
                .addAllBlockBytes(List.of(5, 6)));
    assertThat(empty.ofRow(Bytes.toBytes("r"), null).blockBytes(0, 1)).isEqualTo(11);
    assertThat(empty.ofRow(Bytes.toBytes("s"), null).blockBytes(0, 1)).isZero();
  }

  @Test
  void aCountThatTheBytesCannotHoldIsABadAnswer() {
    for (int claim : new int[] {0, 9, 11, Integer.MAX_VALUE, -1}) {
      assertThatThrownBy(() -> batch(answer(smallestCells(10)).setCellCount(claim)))
          .isInstanceOfSatisfying(
              DaemonException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BAD_ANSWER));
    }
  }

  @Test
  void aPlaceThatIsNoneIsABadAnswer() {
    byte[] longRow = {127, 127, 'r', 1, 'f', 0, 0, 0, 0, 0, 0, 0, 0, 4};
    byte[] negativeRow = {-1, -1, 'r', 1, 'f', 0, 0, 0, 0, 0, 0, 0, 0, 4};
    byte[] longFamily = {0, 1, 'r', 127, 'f', 0, 0, 0, 0, 0, 0, 0, 0, 4};
    byte[] ofNoType = {0, 1, 'r', 1, 'f', 0, 0, 0, 0, 0, 0, 0, 0, 19};
    for (byte[] key :
        List.of(new byte[0], new byte[11], longRow, negativeRow, longFamily, ofNoType)) {
      assertThatThrownBy(
              () ->
                  batch(
                      answer(smallestCells(1))
                          .setNext(
                              Position.newBuilder().setKey(UnsafeByteOperations.unsafeWrap(key)))))
          .as(Bytes.toStringBinary(key))
          .isInstanceOfSatisfying(
              DaemonException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BAD_ANSWER));
    }
  }

  @Test
  void blocksOfLessThanNothingAreABadAnswer() {
    assertThatThrownBy(() -> batch(answer(smallestCells(1)).addBlockCell(0).addBlockBytes(-1)))
        .isInstanceOfSatisfying(
            DaemonException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BAD_ANSWER));
  }

  private static KeyValue cell(String row, int valueBytes, boolean isReference) {
    byte[] family = Bytes.toBytes("f");
    ArrayBackedTag[] tags =
        isReference
            ? new ArrayBackedTag[] {new ArrayBackedTag(TagType.MOB_REFERENCE_TAG_TYPE, "")}
            : null;
    KeyValue cell = new KeyValue(Bytes.toBytes(row), family, family, 1, new byte[valueBytes], tags);
    cell.setSequenceId(valueBytes);
    return cell;
  }

  private static CellBatch.Encoder cells(KeyValue... cells) {
    CellBatch.Encoder encoder = new CellBatch.Encoder(16);
    for (KeyValue cell : cells) {
      encoder.add(0, cell);
    }
    return encoder;
  }

  @Test
  void aLargeObjectIsAtItsReference() throws DaemonException {
    KeyValue value = cell("b", 900, false);
    NodeBatch batch =
        batch(
            answer(cells(cell("a", 5, false), cell("b", 5, true), value, cell("c", 5, true)))
                .addMobValue(2)
                .addBlockCell(2)
                .addBlockBytes(7));
    assertThat(batch.count()).isEqualTo(3);
    assertThat(batch.blockBytes(2, 3)).isEqualTo(7);
    assertThat(batch.cell(1).getValueLength()).isEqualTo(5);
    assertThat(batch.cell(1).getSequenceId()).isEqualTo(5);
    assertThat(MobReference.resolve(batch.cell(1), 900))
        .satisfies(found -> assertThat(CellUtil.cloneValue(found)).hasSize(900));
    assertThat(MobReference.resolve(batch.cell(1), -1)).isNotNull();
    assertThat(MobReference.resolve(batch.cell(1), 899)).as("of a later reader").isNull();
    assertThat(MobReference.resolve(batch.cell(0), 900)).isNull();
    assertThat(MobReference.resolve(batch.cell(2), 900)).isNull();
    assertThat(batch.ofRow(Bytes.toBytes("b"), null).bytes()).isGreaterThan(900);
  }

  @Test
  void whatNothingRefersToIsABadAnswer() {
    KeyValue reference = cell("b", 5, true);
    KeyValue value = cell("b", 900, false);
    for (ReadResponse.Builder answer :
        List.of(
            answer(cells(value)).addMobValue(0),
            answer(cells(cell("b", 5, false), value)).addMobValue(1),
            answer(cells(reference, cell("c", 900, false))).addMobValue(1),
            answer(cells(reference, value, value)).addMobValue(1).addMobValue(2),
            answer(cells(reference, value)).addMobValue(2),
            answer(cells(reference, value)).addMobValue(-1),
            answer(cells(reference, value)).addMobValue(1).addMobValue(1),
            answer(cells(reference, value)).addMobValue(1).setCellCount(1),
            answer(cells(reference, value)).addMobValue(1).setCellCount(3))) {
      assertThatThrownBy(() -> batch(answer))
          .isInstanceOfSatisfying(
              DaemonException.class, e -> assertThat(e.reason()).isEqualTo(Reason.BAD_ANSWER));
    }
  }
}
