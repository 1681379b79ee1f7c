package io.ishbase.dist;

import io.ishbase.bench.Values;
import io.ishbase.protocol.CellBatch;
import io.ishbase.protocol.Dictionary;
import io.ishbase.protocol.DictionaryTrainer;
import io.ishbase.protocol.Packing;
import java.util.SplittableRandom;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * How small the answers of storage daemons become that come packed: rows as {@code bench} writes
 * them, through the classes with which daemons pack.
 */
final class PackedAnswers {
  /** A dictionary is made of so many. */
  private static final int TRAINED = 4000;

  private static final int MEASURED = 300;
  private static final int MAX_BYTES = 1 << 20;
  private static final long SEED = 1;
  private static final String DIRECTORY = "cf";
  private static final byte[] FAMILY = Bytes.toBytes("cf");
  private static final String COLUMN = "field0";

  /** Rows are written one after the other, in an order that is not that of their keys. */
  private static final int TABLE_ROWS = 100_000;

  private static final int ROWS_OF_MILLI = 10;
  private static final long TIME = 1_700_000_000_000L;

  private final DictionaryTrainer dictionaries =
      new DictionaryTrainer(DictionaryTrainer.SMALL_DICTIONARY_BYTES, Runnable::run, () -> 0);
  private final SplittableRandom random = new SplittableRandom(SEED);
  private final int valueBytes;
  private final int rows;

  private PackedAnswers(int valueBytes, int rows) {
    this.valueBytes = valueBytes;
    this.rows = rows;
  }

  /**
   * Bytes of an answer's cells, on average.
   *
   * @param rows of an answer, of a cell each
   */
  static double bytes(int valueBytes, int rows) {
    PackedAnswers answers = new PackedAnswers(valueBytes, rows);
    for (int i = 0; i < TRAINED / rows + 1; i++) {
      answers.next();
    }
    long bytes = 0;
    for (int i = 0; i < MEASURED; i++) {
      bytes += answers.next();
    }
    return (double) bytes / MEASURED;
  }

  private int next() {
    CellBatch.Encoder batch = new CellBatch.Encoder(1 << 16);
    byte[] first = new byte[0];
    for (long number : random.longs(rows).sorted().toArray()) {
      String key = "user" + (number & Long.MAX_VALUE);
      byte[] row = Bytes.toBytes(key);
      first = first.length == 0 ? row : first;
      byte[] value = Bytes.toBytes(Values.YCSB.of(key, COLUMN, valueBytes));
      long order = random.nextInt(TABLE_ROWS);
      KeyValue cell =
          new KeyValue(row, FAMILY, Bytes.toBytes(COLUMN), TIME + order / ROWS_OF_MILLI, value);
      cell.setSequenceId(order);
      batch.add(0, cell);
    }
    byte[] packed = Packing.pack(batch.array(), batch.size(), MAX_BYTES, first);
    if (packed == null) {
      return batch.size();
    }
    Dictionary dictionary = dictionaries.of(DIRECTORY, packed.length);
    dictionaries.saw(DIRECTORY, packed);
    return Math.min(batch.size(), Packing.compress(packed, dictionary).length);
  }
}
