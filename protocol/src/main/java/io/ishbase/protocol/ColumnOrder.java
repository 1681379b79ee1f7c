package io.ishbase.protocol;

import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which columns rows are likely to have, which follows which, and how long their values are: what
 * {@link PackedCells} would learn from one row for the next, were both in one batch. Immutable.
 */
public final class ColumnOrder {
  static final int SLOTS = 1024;

  /** Nothing is known. */
  public static final ColumnOrder NONE =
      new ColumnOrder(0, new byte[1][], new int[1], new int[1], new short[SLOTS]);

  private final int known;
  private final byte[][] qualifiers;
  private final int[] followers;
  private final int[] lengths;
  private final short[] slots;

  /** Nobody may write to {@code slots} from now on. */
  ColumnOrder(int known, byte[][] qualifiers, int[] followers, int[] lengths, short[] slots) {
    this.known = known;
    this.qualifiers = Arrays.copyOf(qualifiers, known + 1);
    this.followers = Arrays.copyOf(followers, known + 1);
    this.lengths = Arrays.copyOf(lengths, known + 1);
    this.slots = slots;
  }

  /** That of a row, a batch made by this process. */
  public static ColumnOrder of(byte[] row) {
    try {
      return PackedCells.orderOf(row, row.length);
    } catch (IOException e) {
      throw new IllegalStateException("A batch of this process", e);
    }
  }

  /**
   * The batch without what its cells share, not compressed. It is made by this process.
   *
   * @param firstRow that it is likely to begin with; who unpacks it knows it, too
   * @return null if it cannot be packed: its cells are of several families
   */
  public byte @Nullable [] pack(byte[] batch, byte[] firstRow) {
    try {
      return PackedCells.pack(batch, batch.length, firstRow, this);
    } catch (IOException e) {
      throw new IllegalStateException("A batch of this process", e);
    }
  }

  /**
   * The batch again.
   *
   * @param offset where in {@code packed} it begins
   * @param end where it ends
   * @param size of the batch, in bytes
   * @throws IOException if the bytes are not a batch of that size
   */
  public byte[] unpack(byte[] packed, int offset, int end, int size, byte[] firstRow)
      throws IOException {
    return PackedCells.unpack(packed, offset, end, size, firstRow, this);
  }

  /** Bytes of the columns' names. */
  public int bytes() {
    int bytes = 0;
    for (int number = 1; number <= known; number++) {
      bytes += qualifiers[number].length;
    }
    return bytes;
  }

  int known() {
    return known;
  }

  byte[][] qualifiers() {
    return qualifiers;
  }

  int[] followers() {
    return followers;
  }

  int[] lengths() {
    return lengths;
  }

  /** Numbers of qualifiers by their hash. */
  short[] slots() {
    return slots;
  }
}
