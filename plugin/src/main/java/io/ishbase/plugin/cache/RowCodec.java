package io.ishbase.plugin.cache;

import static java.util.Objects.requireNonNull;

import io.ishbase.core.cache.Merge;
import io.ishbase.core.cache.RowView;
import io.ishbase.protocol.ColumnOrder;
import io.ishbase.protocol.Dictionary;
import io.ishbase.protocol.DictionaryTrainer;
import io.ishbase.protocol.RowPacking;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.regionserver.ScanInfo;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How rows of one store become what the segment cache holds of them. As they are; <em>folded</em>,
 * without what their cells share with each other and their columns with those of other rows, which
 * takes about a microsecond for each that is read; or <em>packed</em>, that compressed with what
 * the family's rows have in common, which takes some.
 *
 * <p>Of a packed row the first byte is 1 and the number of the dictionary, 0 for none, and {@link
 * #ORDERED} if the store's columns were known then; of a folded one it is {@link #FOLDED}. Then
 * come the size of the row as it is, seven bits a byte, the last of them above zero, and what is
 * left of it. One that is held as it is begins with a zero byte: its first cell is of the file 0.
 *
 * <p>Thread safe.
 */
public final class RowCodec {
  private static final Logger LOG = LoggerFactory.getLogger(RowCodec.class);

  /** Smaller rows have little to lose. */
  private static final int LEAST_BYTES = 200;

  /** Of its bytes, or a row is better held as it is. */
  private static final double WORTHWHILE = 0.75;

  /** After so many rows in a row that were not worth it, as many are not tried as follow. */
  private static final int VAIN = 32;

  private static final int NOT_TRIED = 2000;

  /** Dictionaries of a store: rows may outlast the one that they were packed with. */
  private static final int MAX_DICTIONARIES = 16;

  private static final byte FOLDED = Byte.MAX_VALUE;
  private static final int ORDERED = 1 << 5;

  /** Names of columns that are remembered for the rows of a store, in bytes. */
  private static final int MAX_ORDER_BYTES = 8 << 10;

  private final String family;
  private final @Nullable DictionaryTrainer trainer;
  private final BooleanSupplier packs;
  private final List<Dictionary> dictionaries = new CopyOnWriteArrayList<>();

  private final Attempts packing = new Attempts();
  private final Attempts folding = new Attempts();

  /** Of the first row that was folded, for all: they need it to be unfolded. Null before. */
  private volatile @Nullable ColumnOrder order;

  /**
   * @param family whose rows have something in common
   * @param trainer learns what that is; null: nobody does
   * @param packs whether rows are to be made small now
   */
  public RowCodec(String family, @Nullable DictionaryTrainer trainer, BooleanSupplier packs) {
    this.family = family;
    this.trainer = trainer;
    this.packs = packs;
  }

  /** What is held of a row that a Get brings: packed if that is worth it. Never fails. */
  byte[] encode(List<? extends Cell> cells) {
    byte[] row = CachedRow.encode(cells);
    return cells.isEmpty() ? row : encode(row, key(cells));
  }

  /**
   * What is held of a row that lies there as it is: packed if that is worth it. Never fails.
   *
   * @param key of the row
   */
  byte[] encode(byte[] row, byte[] key) {
    return mayShrink(row) ? packing.tried(row, each -> pack(each, key, true)) : row;
  }

  /**
   * What flushes wrote of a row, and what it was before, as one.
   *
   * @param payloads the newest first
   * @return null if it is too large
   */
  Merge.@Nullable Merged joined(
      byte[] row, List<byte[]> payloads, ScanInfo info, long maxRowBytes) {
    List<ExtendedCell> cells = List.of();
    for (byte[] older : payloads) {
      cells =
          CachedRow.merge(
              CachedRow.all(cells(row, older, Long.MAX_VALUE)), cells, info.getComparator());
    }
    return CachedRow.encodedBytes(cells) > maxRowBytes
        ? null
        : new Merge.Merged(encode(cells), CachedRow.isClean(cells, info));
  }

  private boolean mayShrink(byte[] row) {
    return row.length >= LEAST_BYTES && mayChange(row);
  }

  private boolean mayChange(byte[] row) {
    return row.length <= RowPacking.MAX_ROW_BYTES && packs.getAsBoolean();
  }

  private static byte[] key(List<? extends Cell> cells) {
    return CellUtil.cloneRow(cells.get(0));
  }

  /**
   * What is held of a row that a scan brings: folded if that is worth it. A scan has no
   * microseconds for each of its rows. Never fails.
   */
  byte[] encodeScanned(List<? extends Cell> cells) {
    byte[] row = CachedRow.encode(cells);
    return cells.size() > 1 && mayChange(row)
        ? folding.tried(row, each -> fold(each, key(cells)))
        : row;
  }

  /**
   * What is better held of a row now that a Get asked for it: packed, if it came before memory was
   * short, with a scan, or before there was a dictionary. Never fails.
   *
   * @param row its key
   * @param held of it
   * @return null: what is held already
   */
  byte @Nullable [] encodeSmaller(byte[] row, byte[] held) {
    if (held.length < LEAST_BYTES || isPackedWell(held) || !packs.getAsBoolean()) {
      return null;
    }
    byte[] open = isOpen(held) ? held : opened(row, held);
    byte[] packed = packing.tried(open, each -> pack(each, row, true));
    return packed != open && packed.length <= WORTHWHILE * held.length ? packed : null;
  }

  private boolean isPackedWell(byte[] held) {
    return !isOpen(held)
        && held[0] != FOLDED
        && (dictionaryNumber(held) > 0
            || trainer == null
            // Which is for what a row is before it is compressed, about its size.
            || trainer.of(family, size(held)) == null);
  }

  /** Of a packed or folded row as it is. */
  private static int size(byte[] held) {
    int size = 0;
    for (int at = 1, shift = 0; ; at++, shift += 7) {
      size |= (held[at] & 0x7f) << shift;
      if (held[at] >= 0) {
        return size;
      }
    }
  }

  private static boolean isOpen(byte[] held) {
    return held.length == 0 || held[0] == 0;
  }

  private static int dictionaryNumber(byte[] packed) {
    return (packed[0] & ~ORDERED) - 1;
  }

  /**
   * What is held of a row after a change, in the form that it was held in before. All wait for it,
   * so it is quickly packed. Never fails.
   */
  byte[] encodeAgain(byte[] before, List<? extends Cell> cells) {
    if (isOpen(before)) {
      return CachedRow.encode(cells);
    }
    if (before[0] == FOLDED) {
      return encodeScanned(cells);
    }
    byte[] row = CachedRow.encode(cells);
    return mayShrink(row) ? packing.tried(row, each -> pack(each, key(cells), false)) : row;
  }

  private byte @Nullable [] pack(byte[] row, byte[] key, boolean thoroughly) {
    ColumnOrder known = order;
    if (known == null) {
      known = learnt(row, key);
    }
    ColumnOrder used = known == null ? ColumnOrder.NONE : known;
    byte[] packed = used.pack(row, key);
    if (packed == null) {
      return null;
    }
    Dictionary newest = trainer == null ? null : trainer.of(family, packed.length);
    int number = newest == null ? 0 : number(newest);
    if (trainer != null) {
      trainer.saw(family, packed);
    }
    Dictionary dictionary = number == 0 ? null : dictionaries.get(number - 1);
    byte[] compressed = RowPacking.compress(packed, dictionary, thoroughly);
    return held(1 + number + (known == null ? 0 : ORDERED), row.length, compressed);
  }

  private byte @Nullable [] fold(byte[] row, byte[] key) {
    ColumnOrder known = order;
    if (known == null) {
      known = learnt(row, key);
    }
    byte[] folded = known == null ? null : known.pack(row, key);
    return folded == null ? null : held(FOLDED, row.length, folded);
  }

  /** The store's order, that of this row if it has none; null: the row is none to learn from. */
  private @Nullable ColumnOrder learnt(byte[] row, byte[] key) {
    ColumnOrder ofRow = ColumnOrder.of(row);
    byte[] folded = ofRow.pack(row, key);
    synchronized (folding) {
      if (order == null
          && folded != null
          && ofRow.bytes() <= MAX_ORDER_BYTES
          && ofRow.bytes() + folded.length <= WORTHWHILE * row.length) {
        order = ofRow;
      }
      return order;
    }
  }

  private static byte[] held(int form, int size, byte[] rest) {
    int header = 1;
    for (int bits = size; bits > 0; bits >>>= 7) {
      header++;
    }
    byte[] held = new byte[header + rest.length];
    held[0] = (byte) form;
    for (int i = 1, bits = size; i < header; i++, bits >>>= 7) {
      held[i] = (byte) (bits | (i + 1 < header ? 0x80 : 0));
    }
    System.arraycopy(rest, 0, held, header, rest.length);
    return held;
  }

  /** Its number among those of the store, counted from 1; that of the last if it gets none. */
  private int number(Dictionary dictionary) {
    int index = dictionaries.lastIndexOf(dictionary);
    if (index >= 0) {
      return index + 1;
    }
    synchronized (dictionaries) {
      index = dictionaries.lastIndexOf(dictionary);
      if (index < 0 && dictionaries.size() < MAX_DICTIONARIES) {
        index = dictionaries.size();
        dictionaries.add(dictionary);
      }
      return index < 0 ? MAX_DICTIONARIES : index + 1;
    }
  }

  /**
   * The cells of a row.
   *
   * @param row its key
   * @param held of it
   * @param readPoint cells of a greater sequence id are passed over
   */
  CachedRow.Cells cells(byte[] row, byte[] held, long readPoint) {
    return new CachedRow.Cells(isOpen(held) ? held : opened(row, held), readPoint);
  }

  /** Whether a row is held as it is. */
  static boolean isOpen(RowView held) {
    return held.length() == 0 || held.buffer().get(held.offset()) == 0;
  }

  /**
   * A folded or packed row as it is.
   *
   * @param row its key
   * @param held of it
   */
  byte[] opened(byte[] row, byte[] held) {
    int size = 0;
    int at = 1;
    for (int shift = 0; ; shift += 7) {
      byte bits = held[at++];
      size |= (bits & 0x7f) << shift;
      if (bits >= 0) {
        break;
      }
    }
    if (size < 0 || size > RowPacking.MAX_ROW_BYTES) {
      throw new IllegalStateException("A row of " + size + " bytes");
    }
    try {
      if (held[0] == FOLDED) {
        return order().unpack(held, at, held.length, size, row);
      }
      int number = dictionaryNumber(held);
      return RowPacking.open(
          held,
          at,
          size,
          row,
          (held[0] & ORDERED) == 0 ? ColumnOrder.NONE : order(),
          number == 0 ? null : dictionaries.get(number - 1));
    } catch (IOException e) {
      throw new IllegalStateException("A row of this process's cache", e);
    }
  }

  private ColumnOrder order() {
    return requireNonNull(order, "known when the row was folded");
  }

  /** To make rows smaller one way, which is not tried for a while where it is in vain. */
  private final class Attempts {
    /** Rows in a row for which it was in vain; below zero: that are not to be tried. */
    private final AtomicInteger vain = new AtomicInteger();

    /** The row made smaller, or itself. */
    byte[] tried(byte[] row, Function<byte[], byte @Nullable []> way) {
      if (vain.get() < 0 && vain.incrementAndGet() < 0) {
        return row;
      }
      byte[] smaller;
      try {
        smaller = way.apply(row);
      } catch (RuntimeException | LinkageError e) {
        LOG.warn("A row of {} is held as it is", family, e);
        smaller = null;
      }
      if (smaller != null && smaller.length <= WORTHWHILE * row.length) {
        vain.set(0);
        return smaller;
      }
      vain.updateAndGet(was -> was + 1 < VAIN ? was + 1 : -NOT_TRIED);
      return row;
    }
  }
}
