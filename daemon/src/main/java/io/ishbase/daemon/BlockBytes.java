package io.ishbase.daemon;

import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import java.util.function.IntConsumer;

/**
 * The bytes of blocks that were read for an answer, as HBase counts them for its limits and quotas,
 * and where among the answer's cells: so that the region server's scanner counts them where HBase's
 * would. For use by one thread.
 */
final class BlockBytes {
  private final IntConsumer counter = this::add;
  private final CountsByCell counts = new CountsByCell();
  private int read;

  /** In all, whatever became of the cells. */
  private int blocks;

  private long allBytes;

  private void add(int size) {
    read += size;
    blocks++;
  }

  /** Blocks that were read. */
  int blocks() {
    return blocks;
  }

  /** Bytes of those that are counted. */
  long bytes() {
    return allBytes;
  }

  /** Whether the heap's current cell lies in a block that is not counted yet. */
  boolean isNew(Level1Heap heap) {
    heap.recordBlock(counter);
    return read > 0;
  }

  /** Counts the block that {@link #isNew} has found. */
  void count(int cellsAdded) {
    allBytes += read;
    counts.add(read, cellsAdded);
    read = 0;
  }

  /**
   * Adds what was read.
   *
   * @param isCut whether more cells were read than the answer has: what was read behind them the
   *     next answer will read, and count
   */
  void addTo(ReadResponse.Builder response, int cellCount, boolean isCut) {
    counts.read(
        cellCount, isCut, (cell, bytes) -> response.addBlockCell(cell).addBlockBytes(bytes));
  }
}
