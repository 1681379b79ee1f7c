package io.ishbase.plugin.cache;

import static java.util.Objects.requireNonNull;

import io.ishbase.protocol.ColumnOrder;
import io.ishbase.protocol.Dictionary;
import io.ishbase.protocol.DictionaryTrainer;
import io.ishbase.protocol.Packing;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How rows of one store become what the segment cache holds of them. As they are; <em>folded</em>,
 * without what their cells share with each other and their columns with those of other rows, which
 * takes about a microsecond for each that is read; or <em>packed</em>, that compressed with what
 * the family's rows have in common, which takes some.
 *
 * <p>Of a packed row the first byte is 1 and the number of the dictionary, 0 for none, and of a
 * folded one {@link #FOLDED}; then come four bytes, the size of the row as it is, and what is left
 * of it. One that is held as it is begins with a zero byte: its first cell is of the file 0.
 *
 * <p>Thread safe.
 */
public final class RowCodec {
  private static final Logger LOG = LoggerFactory.getLogger(RowCodec.class);
  private static final int HEADER_BYTES = 1 + Integer.BYTES;

  /** Smaller rows have little to lose. */
  private static final int LEAST_BYTES = 200;

  /** Of its bytes, or a row is better held as it is. */
  private static final double WORTHWHILE = 0.75;

  /** After so many rows in a row that were not worth it, as many are not tried as follow. */
  private static final int VAIN = 32;

  private static final int NOT_TRIED = 2000;

  /** Dictionaries of a store: rows may outlast the one that they were packed with. */
  private static final int MAX_DICTIONARIES = 16;

  private static final byte[] NO_ROW = {};

  private static final byte FOLDED = Byte.MAX_VALUE;

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
    return row.length >= LEAST_BYTES && packs.getAsBoolean() ? packing.tried(row, this::pack) : row;
  }

  /**
   * What is held of a row that a scan brings: folded if that is worth it. A scan has no
   * microseconds for each of its rows. Never fails.
   */
  byte[] encodeScanned(List<? extends Cell> cells) {
    byte[] row = CachedRow.encode(cells);
    return cells.size() > 1 && packs.getAsBoolean() ? folding.tried(row, this::fold) : row;
  }

  /** What is held of a row after a change, in the form that it was held in before. Never fails. */
  byte[] encodeAgain(byte[] before, List<? extends Cell> cells) {
    if (before.length == 0 || before[0] == 0) {
      return CachedRow.encode(cells);
    }
    return before[0] == FOLDED ? encodeScanned(cells) : encode(cells);
  }

  private byte @Nullable [] pack(byte[] row) {
    byte[] packed = Packing.pack(row, row.length, row.length, NO_ROW);
    if (packed == null) {
      return null;
    }
    Dictionary dictionary = trainer == null ? null : trainer.of(family, packed.length);
    int number = dictionary == null ? 0 : number(dictionary);
    if (trainer != null) {
      trainer.saw(family, packed);
    }
    byte[] compressed = Packing.compress(packed, number == 0 ? null : dictionary);
    return held((byte) (1 + number), row.length, compressed);
  }

  private byte @Nullable [] fold(byte[] row) {
    ColumnOrder now = order;
    if (now == null) {
      now = learnt(row);
    }
    byte[] folded = now == null ? null : now.pack(row);
    return folded == null ? null : held(FOLDED, row.length, folded);
  }

  /** The store's order, that of this row if it has none; null: the row is none to learn from. */
  private @Nullable ColumnOrder learnt(byte[] row) {
    ColumnOrder ofRow = ColumnOrder.of(row);
    byte[] folded = ofRow.pack(row);
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

  private static byte[] held(byte form, int size, byte[] rest) {
    byte[] held = new byte[HEADER_BYTES + rest.length];
    held[0] = form;
    Bytes.putInt(held, 1, size);
    System.arraycopy(rest, 0, held, HEADER_BYTES, rest.length);
    return held;
  }

  /** Its number among those of the store, counted from 1; 0: it gets none. */
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
      return index + 1;
    }
  }

  /**
   * The cells of a row.
   *
   * @param held of it
   * @param readPoint cells of a greater sequence id are passed over
   */
  CachedRow.Cells cells(byte[] held, long readPoint) {
    boolean isOpen = held.length == 0 || held[0] == 0;
    return new CachedRow.Cells(isOpen ? held : opened(held), readPoint);
  }

  private byte[] opened(byte[] held) {
    int size = Bytes.toInt(held, 1);
    try {
      if (held[0] == FOLDED) {
        return requireNonNull(order, "known when the row was folded")
            .unpack(held, HEADER_BYTES, size);
      }
      int number = held[0] - 1;
      byte[] compressed = Arrays.copyOfRange(held, HEADER_BYTES, held.length);
      return Packing.unpack(
          compressed, size, size, NO_ROW, number == 0 ? null : dictionaries.get(number - 1));
    } catch (IOException e) {
      throw new IllegalStateException("A row of this process's cache", e);
    }
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
