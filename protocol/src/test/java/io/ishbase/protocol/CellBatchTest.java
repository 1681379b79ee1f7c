package io.ishbase.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.protocol.CellBatch.Gap;
import io.ishbase.testing.Seed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class CellBatchTest {
  private static KeyValue cell(Random random, int number) {
    byte[] value = new byte[random.nextInt(300)];
    random.nextBytes(value);
    List<Tag> tags =
        random.nextInt(3) == 0
            ? List.of(new ArrayBackedTag((byte) 7, Bytes.toBytes("tag" + number)))
            : List.of();
    KeyValue cell =
        new KeyValue(
            Bytes.toBytes("row" + number),
            Bytes.toBytes("f"),
            Bytes.toBytes("q" + random.nextInt(5)),
            random.nextInt(1000),
            random.nextInt(4) == 0 ? KeyValue.Type.DeleteColumn : KeyValue.Type.Put,
            value,
            tags);
    cell.setSequenceId(random.nextInt(3) == 0 ? 0 : random.nextLong() >>> 1);
    return cell;
  }

  @Test
  void carriesKeyValueTagsSequenceIdAndFile() throws IOException {
    Random random = new Random(Seed.get());
    List<KeyValue> cells = new ArrayList<>();
    CellBatch.Encoder encoder = new CellBatch.Encoder(16);
    for (int i = 0; i < 500; i++) {
      cells.add(cell(random, i));
      encoder.add(i % 300, cells.get(i));
    }
    CellBatch.Decoder decoder =
        new CellBatch.Decoder(Arrays.copyOf(encoder.array(), encoder.size()));
    for (int i = 0; i < 500; i++) {
      KeyValue decoded = decoder.next();
      assertThat(decoder.file()).isEqualTo(i % 300);
      assertThat(decoded.getSequenceId()).isEqualTo(cells.get(i).getSequenceId());
      assertThat(CellComparatorImpl.COMPARATOR.compare(decoded, cells.get(i))).isZero();
      assertThat(
              Bytes.equals(
                  decoded.getValueArray(),
                  decoded.getValueOffset(),
                  decoded.getValueLength(),
                  cells.get(i).getValueArray(),
                  cells.get(i).getValueOffset(),
                  cells.get(i).getValueLength()))
          .isTrue();
      assertThat(PrivateCellUtil.getTags(decoded).size())
          .isEqualTo(PrivateCellUtil.getTags(cells.get(i)).size());
    }
    assertThat(decoder.hasNext()).isFalse();
    assertThat(encoder.count()).isEqualTo(500);
  }

  private static CellBatch.Encoder batch(int count) {
    CellBatch.Encoder encoder = new CellBatch.Encoder(16);
    for (int i = 0; i < count; i++) {
      encoder.add(i, cell(new Random(i), i));
    }
    return encoder;
  }

  /** The file indexes of the cells, which say which they are. */
  private static List<Integer> numbers(CellBatch.Encoder encoder) throws IOException {
    List<Integer> numbers = new ArrayList<>();
    CellBatch.Decoder decoder = encoder.decoder(0);
    while (decoder.hasNext()) {
      KeyValue cell = decoder.next();
      assertThat(Bytes.toString(CellUtil.cloneRow(cell))).isEqualTo("row" + decoder.file());
      numbers.add(decoder.file());
    }
    assertThat(numbers).hasSize(encoder.count());
    return numbers;
  }

  @Test
  void takesOutWhatItIsToldAndNothingElse() throws IOException {
    CellBatch.Encoder encoder = batch(8);
    encoder.removeIf(3, number -> number % 2 == 1);
    assertThat(numbers(encoder)).containsExactly(0, 1, 2, 4, 6);
    encoder.removeIf(4, number -> true);
    assertThat(numbers(encoder)).containsExactly(0, 1, 2, 4);
    encoder.removeIf(4, number -> true);
    encoder.removeIf(0, number -> false);
    assertThat(numbers(encoder)).containsExactly(0, 1, 2, 4);
    encoder.add(7, cell(new Random(7), 7));
    assertThat(numbers(encoder)).containsExactly(0, 1, 2, 4, 7);
    encoder.removeIf(0, number -> number == 0);
    assertThat(numbers(encoder)).containsExactly(1, 2, 4, 7);
  }

  @Test
  void dropsWhatIsBehindAPlace() throws IOException {
    CellBatch.Encoder encoder = batch(5);
    encoder.truncate(9);
    encoder.truncate(3);
    assertThat(numbers(encoder)).containsExactly(0, 1, 2);
    assertThat(encoder.start(3)).isEqualTo(encoder.size());
    encoder.add(4, cell(new Random(4), 4));
    assertThat(numbers(encoder)).containsExactly(0, 1, 2, 4);
  }

  @Test
  void ofTwoGapsBehindACellTheWiderOneCounts() throws IOException {
    for (Gap last : List.of(Gap.COLUMN, Gap.ROW)) {
      CellBatch.Encoder encoder = batch(3);
      encoder.markGap(Gap.COLUMN);
      encoder.markGap(Gap.ROW);
      encoder.markGap(last);
      CellBatch.Decoder decoder = encoder.decoder(1);
      decoder.next();
      assertThat(decoder.gap()).isEqualTo(Gap.NONE);
      decoder.next();
      assertThat(decoder.gap()).isEqualTo(Gap.ROW);
      assertThat(decoder.file()).isEqualTo(2);
    }
  }

  @Test
  void refusesGarbageInsteadOfReadingBeyondIt() {
    Random random = new Random(Seed.get());
    CellBatch.Encoder encoder = new CellBatch.Encoder(16);
    for (int i = 0; i < 20; i++) {
      encoder.add(0, cell(random, i));
    }
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = Arrays.copyOf(encoder.array(), random.nextInt(encoder.size() + 1));
      for (int flips = random.nextInt(4); flips > 0 && bytes.length > 0; flips--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      CellBatch.Decoder decoder = new CellBatch.Decoder(bytes);
      try {
        while (decoder.hasNext()) {
          KeyValue cell = decoder.next();
          // Reading every part of an accepted cell stays inside the batch.
          assertThat(cell.getKeyString()).isNotNull();
          assertThat(cell.getValueOffset() + cell.getValueLength())
              .isLessThanOrEqualTo(bytes.length);
          assertThat(cell.getTagsOffset() + cell.getTagsLength()).isLessThanOrEqualTo(bytes.length);
        }
      } catch (IOException expected) {
        assertThat(expected).hasMessageMatching("(Cell of|Malformed|No such gap).*");
      }
    }
  }

  @Test
  void refusesATornCell() {
    CellBatch.Encoder encoder = new CellBatch.Encoder(16);
    encoder.add(0, cell(new Random(1), 1));
    CellBatch.Decoder decoder =
        new CellBatch.Decoder(Arrays.copyOf(encoder.array(), encoder.size() - 1));
    assertThatThrownBy(decoder::next).isInstanceOf(IOException.class);
  }
}
