package io.ishbase.daemon;

import java.util.Arrays;

/**
 * Numbers, and ahead of which of an answer's cells each was counted: so that the region server's
 * scanner counts it where HBase's would. For use by one thread.
 */
final class CountsByCell {
  private int[] cells = new int[8];
  private int[] counts = new int[8];
  private int size;

  /** Is told how much was counted ahead of the cell of an index, or behind the last. */
  @FunctionalInterface
  interface Reader {
    void read(int cell, int count);
  }

  /**
   * Counts more.
   *
   * @param cellsAdded so far. Behind those of them that were taken out again nothing stays
   */
  void add(int count, int cellsAdded) {
    long all = count;
    while (size > 0 && cells[size - 1] >= cellsAdded) {
      all += counts[--size];
    }
    // Bytes of blocks of which nothing is sent may be more, and say enough.
    int sum = (int) Math.min(Integer.MAX_VALUE, all);
    if (size == cells.length) {
      cells = Arrays.copyOf(cells, 2 * size);
      counts = Arrays.copyOf(counts, 2 * size);
    }
    cells[size] = cellsAdded;
    counts[size++] = sum;
  }

  /**
   * Tells all, in order.
   *
   * @param cellCount of the answer
   * @param isCut whether what was counted behind more cells the next answer will count
   */
  void read(int cellCount, boolean isCut, Reader reader) {
    for (int i = 0; i < size && !(isCut && cells[i] > cellCount); i++) {
      reader.read(Math.min(cells[i], cellCount), counts[i]);
    }
  }
}
