package io.ishbase.plugin.cache;

import java.util.NavigableSet;
import java.util.concurrent.ConcurrentSkipListSet;
import org.apache.hadoop.hbase.util.Bytes;

/** Which rows flushes of a store have written since somebody began to watch it. Thread safe. */
public final class FlushedRows {
  /** Of more it is not worth knowing. */
  private static final int MOST_ROWS = 1 << 18;

  private final NavigableSet<byte[]> rows = new ConcurrentSkipListSet<>(Bytes.BYTES_COMPARATOR);

  /** Counts them faster than the set does. */
  private volatile int added;

  private volatile boolean others;

  FlushedRows() {}

  /** By one thread at a time: a flush. */
  void add(byte[] row) {
    if (added == MOST_ROWS) {
      anyChanged();
    } else if (!others && rows.add(row)) {
      added++;
    }
  }

  /** What is cached of any row may be another now. */
  void anyChanged() {
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
