package io.ishbase.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.testing.Seed;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class PackingTest {
  private static final byte[] FIRST = Bytes.toBytes("row");
  private static final byte[] FAMILY = Bytes.toBytes("family");
  private static final KeyValue.Type[] TYPES = {
    KeyValue.Type.Put, KeyValue.Type.Delete, KeyValue.Type.DeleteFamily
  };

  private static byte[] batch(CellBatch.Encoder encoder) {
    return Arrays.copyOf(encoder.array(), encoder.size());
  }

  private static KeyValue cell(String row, byte[] family, String qualifier, byte[] value) {
    KeyValue cell = new KeyValue(Bytes.toBytes(row), family, Bytes.toBytes(qualifier), 5, value);
    cell.setSequenceId(7);
    return cell;
  }

  /** Rows of some columns, which may repeat those of the row before or not. */
  private static CellBatch.Encoder random(Random random, int cells) {
    CellBatch.Encoder encoder = new CellBatch.Encoder(16);
    int columns = 1 + random.nextInt(random.nextBoolean() ? 5 : 400);
    String row = "";
    String value = "";
    for (int i = 0; i < cells; i++) {
      if (random.nextInt(4) == 0) {
        row = "row" + random.nextInt(100_000);
      }
      if (random.nextInt(3) == 0) {
        value = "x".repeat(random.nextInt(40)) + random.nextInt();
      }
      List<Tag> tags =
          random.nextInt(9) == 0
              ? List.of(new ArrayBackedTag((byte) 7, Bytes.toBytes("tag" + i)))
              : List.of();
      KeyValue cell =
          new KeyValue(
              Bytes.toBytes(row.isEmpty() ? "r" : row),
              FAMILY,
              Bytes.toBytes(
                  random.nextInt(50) == 0 ? "" : "column" + (i + random.nextInt(2)) % columns),
              random.nextInt(3) == 0 ? random.nextLong() >>> 1 : 1_700_000_000_000L,
              TYPES[random.nextInt(20) == 0 ? random.nextInt(3) : 0],
              Bytes.toBytes(value),
              tags);
      cell.setSequenceId(random.nextInt(3) == 0 ? random.nextLong() >>> 1 : 0);
      encoder.add(random.nextInt(3) == 0 ? random.nextInt(1000) : 0, cell);
      if (random.nextInt(9) == 0) {
        encoder.markGap(random.nextBoolean() ? CellBatch.Gap.COLUMN : CellBatch.Gap.ROW);
      }
    }
    return encoder;
  }

  @Test
  void everyBatchComesBackAsItWas() throws IOException {
    Random random = new Random(Seed.get());
    for (int i = 0; i < 500; i++) {
      byte[] batch = batch(random(random, random.nextInt(600)));
      byte[] packed = PackedCells.pack(batch, batch.length, FIRST);
      assertThat(PackedCells.unpack(packed, packed.length, batch.length, FIRST)).isEqualTo(batch);
      Dictionary dictionary = random.nextBoolean() ? null : ofNoise(random);
      byte[] compressed = packed(batch, batch.length, dictionary);
      if (compressed != null) {
        assertThat(Packing.unpack(compressed, batch.length, batch.length, FIRST, dictionary))
            .isEqualTo(batch);
      }
    }
  }

  @Test
  void everyBatchComesBackWithWhatIsKnownOfAnother() throws IOException {
    Random random = new Random(Seed.get());
    ColumnOrder order = ColumnOrder.NONE;
    for (int i = 0; i < 500; i++) {
      byte[] batch = batch(random(random, random.nextInt(600)));
      byte[] packed = order.pack(batch, FIRST);
      byte[] moved = new byte[packed.length + 3];
      System.arraycopy(packed, 0, moved, 3, packed.length);
      assertThat(order.unpack(moved, 3, moved.length, batch.length, FIRST)).isEqualTo(batch);
      if (random.nextInt(20) == 0) {
        order = ColumnOrder.of(batch);
      }
    }
  }

  @Test
  void whatCellsShareIsNotRepeated() throws IOException {
    CellBatch.Encoder encoder = new CellBatch.Encoder(16);
    int valueBytes = 0;
    for (int row = 0; row < 100; row++) {
      for (int column = 0; column < 10; column++) {
        byte[] value = new byte[20];
        encoder.add(0, cell("user" + (1_000_000 + row), FAMILY, "column" + column, value));
        valueBytes += value.length;
      }
    }
    byte[] batch = batch(encoder);
    int packed = PackedCells.pack(batch, batch.length, FIRST).length;
    // A byte for each cell, and about four for each row.
    assertThat(packed - valueBytes).isLessThan(1000 + 100 * 5 + 200);
    assertThat(batch.length).isGreaterThan(3 * packed / 2);
  }

  @Test
  void anIndexOfQualifiersThatIsFullIsNoLimit() throws IOException {
    CellBatch.Encoder encoder = new CellBatch.Encoder(16);
    for (int row = 0; row < 3; row++) {
      for (int column = 0; column < 1000; column++) {
        encoder.add(0, cell("r" + row, FAMILY, String.format("edge%06d", column), new byte[row]));
      }
    }
    byte[] batch = batch(encoder);
    byte[] packed = PackedCells.pack(batch, batch.length, FIRST);
    assertThat(PackedCells.unpack(packed, packed.length, batch.length, FIRST)).isEqualTo(batch);
  }

  @Test
  void cellsOfTwoFamiliesAreNotPacked() throws IOException {
    CellBatch.Encoder encoder = new CellBatch.Encoder(16);
    encoder.add(0, cell("r", FAMILY, "q", new byte[500]));
    encoder.add(0, cell("r", Bytes.toBytes("other"), "q", new byte[500]));
    assertThat(Packing.pack(encoder.array(), encoder.size(), 1000, FIRST)).isNull();
  }

  @Test
  void whatIsSmallOrDoesNotShrinkIsSentAsItIs() {
    CellBatch.Encoder encoder = new CellBatch.Encoder(16);
    encoder.add(0, cell("r", FAMILY, "q", new byte[10]));
    assertThat(Packing.pack(encoder.array(), encoder.size(), 1000, FIRST)).isNull();
    encoder.add(0, cell("r", FAMILY, "q2", new byte[2 << 20]));
    assertThat(Packing.pack(encoder.array(), encoder.size(), 1000, FIRST)).isNull();
  }

  @Test
  void theRowThatWasAskedForIsNotSent() throws IOException {
    byte[] row = new byte[200];
    new Random(Seed.get()).nextBytes(row);
    CellBatch.Encoder encoder = new CellBatch.Encoder(16);
    encoder.add(
        0, new KeyValue(row, FAMILY, Bytes.toBytes("q"), 1L, KeyValue.Type.Put, new byte[20]));
    byte[] batch = batch(encoder);
    byte[] packed = PackedCells.pack(batch, batch.length, row);
    assertThat(packed.length).isLessThan(60);
    assertThat(PackedCells.unpack(packed, packed.length, batch.length, row)).isEqualTo(batch);
  }

  @Test
  void aDictionarySavesWhatItHas() throws IOException {
    Random random = new Random(Seed.get());
    byte[] common = new byte[4000];
    random.nextBytes(common);
    Dictionary dictionary = new Dictionary(common);
    CellBatch.Encoder encoder = new CellBatch.Encoder(16);
    encoder.add(0, cell("r", FAMILY, "q", common));
    byte[] batch = batch(encoder);
    byte[] with = packed(batch, batch.length, dictionary);
    assertThat(packed(batch, batch.length, null).length).isGreaterThan(4000);
    assertThat(with.length).isLessThan(200);
    assertThat(Packing.unpack(with, batch.length, batch.length, FIRST, dictionary))
        .isEqualTo(batch);
    assertThatThrownBy(() -> Packing.unpack(with, batch.length, batch.length, FIRST, null))
        .isInstanceOf(IOException.class);
    try {
      // Bytes of another are other bytes: that is why each is known by a hash.
      assertThat(Packing.unpack(with, batch.length, batch.length, FIRST, ofNoise(random)))
          .hasSize(batch.length)
          .isNotEqualTo(batch);
    } catch (IOException e) {
      assertThat(e).as("or none at all").isNotNull();
    }
    assertThat(new Dictionary(common.clone()).id()).isEqualTo(dictionary.id());
    assertThat(ofNoise(random).id()).isNotEqualTo(dictionary.id());
  }

  @Test
  void aFamilyIsThatOfAllRegions() {
    assertThat(Dictionary.family("/hbase/data/ns/table/0123/f"))
        .isEqualTo(Dictionary.family("/hbase/data/ns/table/4567/f"))
        .isNotEqualTo(Dictionary.family("/hbase/data/ns/table/0123/g"))
        .isNotEqualTo(Dictionary.family("/hbase/data/ns/other/0123/f"));
    assertThat(Dictionary.family("f")).isEqualTo("f");
    assertThat(Dictionary.family("/f")).isEqualTo("/f");
  }

  private static Dictionary ofNoise(Random random) {
    byte[] content = new byte[5000];
    random.nextBytes(content);
    return new Dictionary(content);
  }

  private static byte[] packed(byte[] batch, int wanted, Dictionary dictionary) {
    byte[] packed = Packing.pack(batch, batch.length, wanted, FIRST);
    return packed == null ? null : Packing.compress(packed, dictionary);
  }

  @Test
  void aBombIsNotOpened() {
    CellBatch.Encoder encoder = new CellBatch.Encoder(16);
    encoder.add(0, cell("r", FAMILY, "q", new byte[8 << 20]));
    byte[] packed = packed(batch(encoder), 8 << 20, null);
    assertThat(packed.length).isLessThan(10_000);
    assertThatThrownBy(() -> Packing.unpack(packed, encoder.size(), 1 << 20, FIRST, null))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("asked for");
    // One that lies about what it is, too.
    assertThatThrownBy(() -> Packing.unpack(packed, 1 << 20, 1 << 20, FIRST, null))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("frame");
  }

  @Test
  void garbledBytesEndInAnIoExceptionWhateverTheyAre() {
    Random random = new Random(Seed.get());
    byte[] batch = batch(random(random, 50));
    byte[] packed;
    try {
      packed = PackedCells.pack(batch, batch.length, FIRST);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] garbled = packed.clone();
      for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
        garbled[random.nextInt(garbled.length)] ^= 1 << random.nextInt(8);
      }
      try {
        int size = random.nextInt(garbled.length + 1);
        assertThat(PackedCells.unpack(garbled, size, batch.length, FIRST)).hasSize(batch.length);
      } catch (IOException e) {
        refused++;
      }
    }
    assertThat(refused).isGreaterThan(10_000);
    byte[] compressed = packed(batch, batch.length, null);
    for (int i = 0; i < 5_000; i++) {
      byte[] garbled = compressed.clone();
      garbled[random.nextInt(garbled.length)] ^= 1 << random.nextInt(8);
      try {
        assertThat(Packing.unpack(garbled, batch.length, batch.length, FIRST, null))
            .hasSize(batch.length);
      } catch (IOException e) {
        refused++;
      }
    }
  }
}
