package io.ishbase.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.testing.Seed;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class RowPackingTest {
  private static final int SAMPLES = 4_000;

  private final Random random = new Random(Seed.get());
  private final DictionaryTrainer trainer =
      new DictionaryTrainer(Dictionary.MAX_BYTES, Runnable::run, () -> 0);

  private static byte[] key(int number) {
    return Bytes.toBytes(String.format("row%06d", number));
  }

  private byte[] row(int number) {
    CellBatch.Encoder encoder = new CellBatch.Encoder(16);
    for (int column = 0; column < 10; column++) {
      String value = "{\"kind\":\"order\",\"amount\":" + random.nextInt() + ",\"of\":" + number;
      KeyValue cell =
          new KeyValue(
              key(number),
              Bytes.toBytes("f"),
              Bytes.toBytes("c" + column),
              7,
              Bytes.toBytes(value));
      encoder.add(0, cell);
    }
    return Arrays.copyOf(encoder.array(), encoder.size());
  }

  private Dictionary learn(ColumnOrder order) {
    for (int i = 0; i < SAMPLES; i++) {
      trainer.saw("f", order.pack(row(i), key(i)));
    }
    return trainer.of("f", 500);
  }

  @Test
  void everyRowComesBack() throws IOException {
    ColumnOrder order = ColumnOrder.of(row(1));
    Dictionary dictionary = learn(order);
    assertThat(dictionary).isNotNull();
    for (int number = 0; number < 300; number++) {
      byte[] row = row(number);
      byte[] packed = order.pack(row, key(number));
      byte[] plain = RowPacking.compress(packed, null, true);
      byte[] quick = RowPacking.compress(packed, dictionary, false);
      byte[] thorough = RowPacking.compress(packed, dictionary, true);
      assertThat(quick.length).isLessThan(plain.length);
      assertThat(thorough.length).isLessThan(plain.length);
      assertThat(opened(plain, row.length, number, order, null)).isEqualTo(row);
      assertThat(opened(quick, row.length, number, order, dictionary)).isEqualTo(row);
      assertThat(opened(thorough, row.length, number, order, dictionary)).isEqualTo(row);
    }
  }

  private static byte[] opened(
      byte[] frame, int size, int number, ColumnOrder order, Dictionary dictionary)
      throws IOException {
    byte[] held = new byte[frame.length + 3];
    System.arraycopy(frame, 0, held, 3, frame.length);
    return RowPacking.open(held, 3, size, key(number), order, dictionary);
  }

  @Test
  void whatIsNoRowOfThatSizeIsRefused() {
    ColumnOrder order = ColumnOrder.of(row(1));
    Dictionary dictionary = learn(order);
    byte[] row = row(5);
    byte[] frame = RowPacking.compress(order.pack(row, key(5)), dictionary, true);
    for (int size : new int[] {-1, 0, 1, row.length - 1, row.length + 1, 1 << 30}) {
      assertThatThrownBy(() -> opened(frame, size, 5, order, dictionary))
          .isInstanceOf(IOException.class);
    }
    byte[] bomb = RowPacking.compress(new byte[1 << 24], null, true);
    assertThatThrownBy(() -> opened(bomb, row.length, 5, order, null))
        .isInstanceOf(IOException.class);
    for (int i = 0; i < 3_000; i++) {
      byte[] broken = Arrays.copyOf(frame, frame.length - random.nextInt(3));
      broken[random.nextInt(broken.length)] ^= (byte) (1 + random.nextInt(255));
      try {
        assertThat(opened(broken, row.length, 5, order, dictionary)).hasSize(row.length);
      } catch (IOException e) {
        // Nothing else is thrown.
      }
    }
  }
}
