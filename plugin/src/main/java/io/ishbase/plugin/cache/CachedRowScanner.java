package io.ishbase.plugin.cache;

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
  private final CachedRow.Cells cells;
  private @Nullable ExtendedCell current;

  CachedRowScanner(CachedRow.Cells cells, HStore store) {
    this.cells = cells;
    this.comparator = store.getComparator();
    this.current = cells.next();
  }

  @Override
  public @Nullable Cell peek() {
    return current;
  }

  @Override
  public @Nullable Cell next() {
    ExtendedCell result = current;
    if (current != null) {
      current = cells.next();
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
      current = cells.next();
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
  public long getScannerOrder() {
    return 0;
  }

  @Override
  public boolean isFileScanner() {
    return true;
  }
}
