package io.ishbase.plugin.regionserver;

import io.ishbase.core.cache.Pin;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.NonReversedNonLazyKeyValueScanner;

/**
 * All that a store's HFiles hold of the row of a Get, from the segment cache. The cells stay where
 * they are, off the heap, until the answer is shipped.
 */
final class CachedRowScanner extends NonReversedNonLazyKeyValueScanner {
  private final Pin pin;
  private final CellComparator comparator;
  private CachedRow.Reader reader;
  private ExtendedCell current;

  /** Takes over {@code pin}, under which {@code reader} was made. */
  CachedRowScanner(Pin pin, CachedRow.Reader reader, HStore store) {
    this.pin = pin;
    this.reader = reader;
    this.comparator = store.getComparator();
    this.current = reader.next();
  }

  @Override
  public Cell peek() {
    return current;
  }

  @Override
  public Cell next() {
    ExtendedCell result = current;
    if (current != null) {
      current = reader.next();
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
      current = reader.next();
    }
    return current != null;
  }

  @Override
  public boolean shouldUseScanner(Scan scan, HStore store, long oldestUnexpiredTs) {
    return current != null;
  }

  @Override
  public void shipped() {
    if (current != null) {
      current = KeyValueUtil.copyToNewKeyValue(current);
      reader = reader.copy();
    }
    // Nothing here points into the cache any more, and the client may take its time.
    pin.close();
  }

  @Override
  public void close() {
    current = null;
    pin.close();
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
