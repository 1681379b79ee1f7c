package io.ishbase.plugin.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.ishbase.protocol.Dictionary;
import io.ishbase.protocol.DictionaryTrainer;
import io.ishbase.testing.Seed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class RowCodecTest {
  private final Random random = new Random(Seed.get());
  private long now;
  private final DictionaryTrainer trainer =
      new DictionaryTrainer(Dictionary.MAX_BYTES, Runnable::run, () -> now);
  private boolean packs = true;
  private final RowCodec codec = new RowCodec("f", trainer, () -> packs);

  private List<KeyValue> row(String kind, int columns) {
    byte[] key = Bytes.toBytes("row" + random.nextInt());
    List<KeyValue> cells = new ArrayList<>();
    for (int i = 0; i < columns; i++) {
      byte[] value = new byte[80];
      random.nextBytes(value);
      if (!kind.isEmpty()) {
        value = Bytes.toBytes("{\"kind\":\"" + kind + "\",\"number\":" + random.nextInt() + "}");
      }
      KeyValue cell =
          new KeyValue(key, Bytes.toBytes("f"), Bytes.toBytes("column" + i), 1_700_000L, value);
      cell.setSequenceId(random.nextInt(100));
      cells.add(cell);
    }
    return cells;
  }

  private static byte[] key(List<KeyValue> row) {
    return row.isEmpty() ? new byte[0] : CellUtil.cloneRow(row.get(0));
  }

  private void comesBack(List<KeyValue> row, byte[] held) {
    long readPoint = random.nextInt(100);
    CachedRow.Cells cells = codec.cells(key(row), held, readPoint);
    for (KeyValue cell : row) {
      if (cell.getSequenceId() <= readPoint) {
        ExtendedCell back = cells.next();
        assertThat(back).isEqualTo(cell);
        assertThat(back.getSequenceId()).isEqualTo(cell.getSequenceId());
        assertThat(
                Bytes.compareTo(
                    back.getValueArray(),
                    back.getValueOffset(),
                    back.getValueLength(),
                    cell.getValueArray(),
                    cell.getValueOffset(),
                    cell.getValueLength()))
            .isZero();
      }
    }
    assertThat(cells.next()).isNull();
  }

  /** Of a store that is open for weeks there may be more dictionaries than have a number. */
  @Test
  void theLastDictionaryThatHasANumberIsUsedOn() {
    int most = 16;
    List<String> kinds = new ArrayList<>();
    for (int i = 0; i < most + 4; i++) {
      kinds.add(randomWord());
    }
    int withLast = 0;
    for (int i = 0; i < kinds.size(); i++) {
      learn(kinds.get(i));
      if (i == most - 1) {
        withLast = held(kinds.get(i));
      }
    }
    int without = held(randomWord());
    assertThat(held(kinds.get(most - 1))).as("bytes, %d without", without).isLessThan(without);
    assertThat(held(kinds.get(most - 1))).isCloseTo(withLast, withinPercentage(10));
  }

  private String randomWord() {
    StringBuilder word = new StringBuilder();
    for (int i = 0; i < 80; i++) {
      word.append((char) ('a' + random.nextInt(26)));
    }
    return word.toString();
  }

  private void learn(String kind) {
    now += TimeUnit.HOURS.toNanos(2);
    for (int i = 0; i < 3_000; i++) {
      codec.encode(row(kind, 3));
    }
  }

  /** Bytes of a row of that kind, on average. */
  private int held(String kind) {
    int bytes = 0;
    for (int i = 0; i < 100; i++) {
      bytes += codec.encode(row(kind, 3)).length;
    }
    return bytes / 100;
  }

  @Test
  void everyRowComesBackWhateverIsLearntMeanwhile() {
    List<List<KeyValue>> rows = new ArrayList<>();
    List<byte[]> held = new ArrayList<>();
    for (int i = 0; i < 9_000; i++) {
      if (i % 3_000 == 0) {
        now += TimeUnit.HOURS.toNanos(2);
      }
      packs = random.nextInt(10) > 0;
      List<KeyValue> row = row("kind" + i / 3_000, random.nextInt(20));
      rows.add(row);
      held.add(random.nextBoolean() ? codec.encode(row) : codec.encodeScanned(row));
    }
    for (int i = 0; i < rows.size(); i++) {
      comesBack(rows.get(i), held.get(i));
    }
  }

  @Test
  void whatRowsHaveInCommonIsHeldOnce() {
    int before = codec.encode(row("order", 10)).length;
    for (int i = 0; i < 4_000; i++) {
      codec.encode(row("order", 10));
    }
    List<KeyValue> row = row("order", 10);
    byte[] held = codec.encode(row);
    assertThat(held.length).isLessThan(before).isLessThan(CachedRow.encode(row).length / 4);
    comesBack(row, held);
  }

  @Test
  void ofAScannedRowNamesAndKeysAreNotHeld() {
    List<KeyValue> first = row("", 10);
    List<KeyValue> row = row("", 10);
    byte[] heldFirst = codec.encodeScanned(first);
    byte[] held = codec.encodeScanned(row);
    // 80 bytes of value and a byte for each cell; its sequence id; the row's key, once.
    assertThat(held.length).isBetween(10 * 80, 10 * 83 + 60);
    assertThat(held.length).isCloseTo(heldFirst.length, within(8));
    comesBack(first, heldFirst);
    comesBack(row, held);
    List<KeyValue> other = row("", 300);
    comesBack(other, codec.encodeScanned(other));
    List<KeyValue> ofOneCell = noise();
    assertThat(codec.encodeScanned(ofOneCell)).isEqualTo(CachedRow.encode(ofOneCell));
  }

  @Test
  void aRowThatIsAskedForAgainIsPackedIfItCameOtherwise() {
    packs = false;
    List<KeyValue> open = row("order", 10);
    byte[] heldOpen = codec.encode(open);
    assertThat(codec.encodeSmaller(key(open), heldOpen)).as("memory is not short").isNull();
    packs = true;
    List<KeyValue> early = row("order", 10);
    byte[] heldEarly = codec.encode(early);
    assertThat(codec.encodeSmaller(key(early), heldEarly)).as("no dictionary yet").isNull();
    List<KeyValue> scanned = row("order", 10);
    byte[] heldScanned = codec.encodeScanned(scanned);
    for (int i = 0; i < 4_000; i++) {
      codec.encode(row("order", 10));
    }
    comesBackSmaller(open, heldOpen);
    byte[] earlyAgain = codec.encodeSmaller(key(early), heldEarly);
    comesBack(early, earlyAgain == null ? heldEarly : earlyAgain);
    comesBackSmaller(scanned, heldScanned);
    List<KeyValue> noise = noise();
    assertThat(codec.encodeSmaller(key(noise), codec.encode(noise))).isNull();
  }

  private void comesBackSmaller(List<KeyValue> row, byte[] held) {
    byte[] smaller = codec.encodeSmaller(key(row), held);
    assertThat(smaller.length).isLessThan(held.length * 3 / 4);
    comesBack(row, smaller);
    assertThat(codec.encodeSmaller(key(row), smaller)).isNull();
  }

  @Test
  void whatADefectMadeOfARowIsNoRowOfAnotherSize() {
    for (int i = 0; i < 2_000; i++) {
      codec.encode(row("order", 10));
    }
    for (int i = 0; i < 3_000; i++) {
      List<KeyValue> row = row("order", 10);
      byte[] held = i % 2 == 0 ? codec.encode(row) : codec.encodeScanned(row);
      byte[] broken = Arrays.copyOf(held, held.length - random.nextInt(2) * random.nextInt(9));
      broken[random.nextInt(random.nextBoolean() ? 4 : broken.length)] = (byte) random.nextInt();
      try {
        CachedRow.Cells cells = codec.cells(key(row), broken, Long.MAX_VALUE);
        assertThat(CachedRow.all(cells).size()).isLessThan(10_000);
      } catch (RuntimeException e) {
        // As it should be: its readers go to the files.
      }
    }
  }

  @Test
  void whatIsHeldKeepsItsFormWhenTheRowChanges() {
    for (int i = 0; i < 3; i++) {
      List<KeyValue> before = row("order", 10);
      List<KeyValue> after = row("order", 12);
      packs = i > 0;
      byte[] held = i == 1 ? codec.encodeScanned(before) : codec.encode(before);
      packs = true;
      byte[] again = codec.encodeAgain(held, after);
      comesBack(after, again);
      assertThat(again[0] == 0).isEqualTo(held[0] == 0);
      assertThat(again[0] == Byte.MAX_VALUE).isEqualTo(held[0] == Byte.MAX_VALUE);
    }
  }

  @Test
  void whatIsSmallOrDoesNotShrinkIsHeldAsItIs() {
    List<KeyValue> small = row("order", 1);
    assertThat(codec.encode(small)).isEqualTo(CachedRow.encode(small));
    for (int i = 0; i < 100; i++) {
      List<KeyValue> noise = noise();
      assertThat(codec.encode(noise)).isEqualTo(CachedRow.encode(noise));
    }
    // After many in vain others are not even tried, but not for ever.
    List<KeyValue> row = row("order", 10);
    assertThat(codec.encode(row)).isEqualTo(CachedRow.encode(row));
    for (int i = 0; i < 3_000; i++) {
      codec.encode(row);
    }
    assertThat(codec.encode(row).length).isLessThan(CachedRow.encode(row).length / 2);
  }

  private List<KeyValue> noise() {
    byte[] value = new byte[1000];
    random.nextBytes(value);
    return List.of(
        new KeyValue(Bytes.toBytes("r"), Bytes.toBytes("f"), Bytes.toBytes("q"), 1L, value));
  }

  @Test
  void aRowWithoutCellsIsOne() {
    assertThat(codec.cells(new byte[0], codec.encode(List.of()), Long.MAX_VALUE).next()).isNull();
  }
}
