package io.ishbase.plugin.blockwarmup;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.testing.Seed;
import java.io.IOException;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.regionserver.DefaultMemStore;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.apache.hadoop.hbase.regionserver.MemStoreLAB;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** A bounded scanner of all rows behaves as an unbounded one of the rows on its side. */
class RowBoundedScannerTest {
  private static final long SEED = Seed.get();
  private static final int ROWS = 30;

  private final DefaultMemStore all = memstore();
  private final DefaultMemStore side = memstore();

  private static DefaultMemStore memstore() {
    Configuration conf = HBaseConfiguration.create();
    conf.setBoolean(MemStoreLAB.USEMSLAB_KEY, false);
    return new DefaultMemStore(conf, CellComparatorImpl.COMPARATOR);
  }

  @RepeatedTest(200)
  void behavesAsIfTheOtherRowsWereNotThere(RepetitionInfo repetition) throws IOException {
    Random random = new Random(SEED + repetition.getCurrentRepetition());
    byte[] bound = row(1 + random.nextInt(ROWS - 1));
    boolean isBelow = random.nextBoolean();
    for (int number = 0; number < ROWS; number++) {
      // Each side has a row.
      boolean isEdge = number == 0 || number == ROWS - 1;
      for (int column = isEdge ? 1 : random.nextInt(4); column > 0; column--) {
        KeyValue cell = cell(row(number), column);
        all.add(cell, null);
        if (Bytes.compareTo(row(number), bound) < 0 == isBelow) {
          side.add(cell, null);
        }
      }
    }
    KeyValueScanner bounded =
        new RowBoundedScanner(only(all), CellComparatorImpl.COMPARATOR, bound, isBelow);
    KeyValueScanner expected = only(side);
    boolean reversed = random.nextBoolean();
    boolean found = reversed ? last(random, bounded, expected) : seek(random, bounded, expected);
    for (int step = 0; found && step < 20; step++) {
      found = reversed ? backward(random, bounded, expected) : forward(random, bounded, expected);
    }
  }

  private static byte[] row(int number) {
    return Bytes.toBytes(String.format("%03d", number));
  }

  private static KeyValue cell(byte[] row, int column) {
    KeyValue cell = new KeyValue(row, Bytes.toBytes("f"), Bytes.toBytes(column), 1L, row);
    cell.setSequenceId(1);
    return cell;
  }

  private static KeyValueScanner only(DefaultMemStore memstore) throws IOException {
    return memstore.getScanners(Long.MAX_VALUE).get(0);
  }

  private static Cell randomKey(Random random) {
    byte[] row = row(random.nextInt(ROWS));
    return random.nextBoolean()
        ? PrivateCellUtil.createFirstOnRow(row)
        : cell(row, random.nextInt(5));
  }

  private static boolean agree(
      boolean found, KeyValueScanner bounded, boolean isExpected, KeyValueScanner expected)
      throws IOException {
    assertThat(found).isEqualTo(isExpected);
    if (!bounded.realSeekDone()) {
      // What it shows until then stands before all that comes.
      assertThat(CellComparatorImpl.COMPARATOR.compare(bounded.peek(), expected.peek()))
          .isNegative();
      bounded.enforceSeek();
    }
    assertThat(bounded.peek()).isEqualTo(expected.peek());
    return found;
  }

  private static boolean seek(Random random, KeyValueScanner bounded, KeyValueScanner expected)
      throws IOException {
    Cell key = randomKey(random);
    if (random.nextBoolean()) {
      // One that another seek overtakes before it is carried out.
      bounded.seek(PrivateCellUtil.createFirstOnRow(row(0)));
      return agree(bounded.reseek(key), bounded, expected.seek(key), expected);
    }
    return random.nextBoolean()
        ? agree(bounded.seek(key), bounded, expected.seek(key), expected)
        : agree(
            bounded.requestSeek(key, false, true),
            bounded,
            expected.requestSeek(key, false, true),
            expected);
  }

  private static boolean forward(Random random, KeyValueScanner bounded, KeyValueScanner expected)
      throws IOException {
    Cell key = randomKey(random);
    if (random.nextBoolean() || CellComparatorImpl.COMPARATOR.compare(key, expected.peek()) < 0) {
      assertThat(bounded.next()).isEqualTo(expected.next());
      boolean more = expected.peek() != null;
      return agree(bounded.peek() != null, bounded, more, expected);
    }
    return agree(bounded.reseek(key), bounded, expected.reseek(key), expected);
  }

  private static boolean last(Random random, KeyValueScanner bounded, KeyValueScanner expected)
      throws IOException {
    Cell key = PrivateCellUtil.createFirstOnRow(row(random.nextInt(ROWS)));
    return random.nextBoolean()
        ? agree(bounded.seekToLastRow(), bounded, expected.seekToLastRow(), expected)
        : agree(bounded.backwardSeek(key), bounded, expected.backwardSeek(key), expected);
  }

  private static boolean backward(Random random, KeyValueScanner bounded, KeyValueScanner expected)
      throws IOException {
    Cell at = expected.peek();
    if (random.nextBoolean()) {
      assertThat(bounded.next()).isEqualTo(expected.next());
      Cell after = expected.peek();
      if (after != null) {
        return agree(bounded.peek() != null, bounded, true, expected);
      }
    }
    return agree(bounded.seekToPreviousRow(at), bounded, expected.seekToPreviousRow(at), expected);
  }
}
