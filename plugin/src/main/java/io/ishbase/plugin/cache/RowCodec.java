package io.ishbase.plugin.cache;

import io.ishbase.protocol.Dictionary;
import io.ishbase.protocol.DictionaryTrainer;
import io.ishbase.protocol.Packing;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.util.Bytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How rows of one store become what the segment cache holds of them: as they are, or packed and
 * compressed with what the family's rows have in common, which takes some microseconds for each
 * that is read.
 *
 * <p>Of a packed row the first byte is 1 and the number of the dictionary, 0 for none; then come
 * four bytes, the size of the row as it is, and what is compressed. One that is not packed begins
 * with a zero byte: its first cell is of the file 0.
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

  private final String family;
  private final @Nullable DictionaryTrainer trainer;
  private final BooleanSupplier packs;
  private final List<Dictionary> dictionaries = new CopyOnWriteArrayList<>();

  /** Rows in a row that were packed in vain; below zero: that are not to be tried. */
  private final AtomicInteger vain = new AtomicInteger();

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

  /** Whether that is held of a row that is packed. */
  static boolean isPacked(byte[] held) {
    return held.length > 0 && held[0] != 0;
  }

  /** What is held of the row, packed if that is worth it. Never fails. */
  byte[] encode(List<? extends Cell> cells) {
    byte[] row = CachedRow.encode(cells);
    if (row.length < LEAST_BYTES || !packs.getAsBoolean() || !isToBeTried()) {
      return row;
    }
    byte[] packed;
    try {
      packed = pack(row);
    } catch (RuntimeException | LinkageError e) {
      LOG.warn("A row of {} is held as it is", family, e);
      packed = null;
    }
    if (packed != null && packed.length <= WORTHWHILE * row.length) {
      vain.set(0);
      return packed;
    }
    vain.updateAndGet(was -> was + 1 < VAIN ? was + 1 : -NOT_TRIED);
    return row;
  }

  private boolean isToBeTried() {
    return vain.get() >= 0 || vain.incrementAndGet() >= 0;
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
    byte[] held = new byte[HEADER_BYTES + compressed.length];
    held[0] = (byte) (1 + number);
    Bytes.putInt(held, 1, row.length);
    System.arraycopy(compressed, 0, held, HEADER_BYTES, compressed.length);
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
    return new CachedRow.Cells(isPacked(held) ? unpacked(held) : held, readPoint);
  }

  private byte[] unpacked(byte[] held) {
    int number = Byte.toUnsignedInt(held[0]) - 1;
    int size = Bytes.toInt(held, 1);
    byte[] compressed = Arrays.copyOfRange(held, HEADER_BYTES, held.length);
    try {
      return Packing.unpack(
          compressed, size, size, NO_ROW, number == 0 ? null : dictionaries.get(number - 1));
    } catch (IOException e) {
      throw new IllegalStateException("A row of this process's cache", e);
    }
  }
}
