package io.ishbase.plugin.cache;

import java.util.NavigableSet;
import java.util.concurrent.ConcurrentSkipListSet;
import org.apache.hadoop.hbase.util.Bytes;

/** Which rows flushes of a store have written since somebody began to watch it. Thread safe. */
public final class FlushedRows {
  /** Of the heap: of more it is not worth knowing. */
  private static final long MOST_BYTES = 16L << 20;

  private static final int BYTES_OF_ROW = 64;

  private final NavigableSet<byte[]> rows = new ConcurrentSkipListSet<>(Bytes.BYTES_COMPARATOR);

  private volatile long bytes;

  private volatile boolean others;

  FlushedRows() {}

  /** By one thread at a time: a flush. */
  void add(byte[] row) {
    if (!others && rows.add(row)) {
      bytes += row.length + BYTES_OF_ROW;
      if (bytes > MOST_BYTES) {
        anyChanged();
      }
    }
  }

  /** What is cached of any row may be another now. */
  public void anyChanged() {
    others = true;
    rows.clear();
  }

  /** Whether all that is cached of other rows is what it was. */
  public boolean areAll() {
    return !others;
  }

  /** In their order. */
  NavigableSet<byte[]> rows() {
    return rows;
  }
}
