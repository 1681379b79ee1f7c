package io.ishbase.plugin.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.NonReversedNonLazyKeyValueScanner;
import org.jspecify.annotations.Nullable;

/** All that a store's HFiles hold of the row of a Get, from the segment cache. */
public final class CachedRowScanner extends NonReversedNonLazyKeyValueScanner {
  private final CellComparator comparator;
  private final CachedBlocks blocks;
  private final List<ExtendedCell> cells = new ArrayList<>();
  private int index;
  private @Nullable ExtendedCell current;

  /**
   * Looks at all cells at once: later there would be nothing to go on with.
   *
   * @throws RuntimeException if one cannot be read
   */
  CachedRowScanner(CachedRow.Cells row, HStore store) {
    this.comparator = store.getComparator();
    this.blocks = new CachedBlocks(store);
    for (ExtendedCell cell = row.next(); cell != null; cell = row.next()) {
      cells.add(cell);
    }
    step();
    // A Get of a long row may need no more of it, and counts at least what it returns.
    blocks.count(1);
  }

  private void step() {
    current = index < cells.size() ? cells.get(index++) : null;
  }

  @Override
  public @Nullable Cell peek() {
    return current;
  }

  @Override
  public @Nullable Cell next() {
    ExtendedCell result = current;
    if (current != null) {
      step();
    }
    return result;
  }

  @Override
  public boolean seek(Cell key) {
    return reseek(key);
  }

  @Override
  public boolean reseek(Cell key) {
    while (current != null && PrivateCellUtil.compareKeyIgnoresMvcc(comparator, current, key) < 0) {
      step();
    }
    return current != null;
  }

  @Override
  public boolean shouldUseScanner(Scan scan, HStore store, long oldestUnexpiredTs) {
    return current != null;
  }

  @Override
  public void close() {
    current = null;
  }

  @Override
  public void recordBlockSize(IntConsumer blockSizeConsumer) {
    blocks.tell(blockSizeConsumer);
  }

  @Override
  public long getScannerOrder() {
    return 0;
  }

  @Override
  public boolean isFileScanner() {
    return true;
  }
}
