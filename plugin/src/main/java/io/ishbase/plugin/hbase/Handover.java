package io.ishbase.plugin.hbase;

import java.io.IOException;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.KeyValueScanner;
import org.jspecify.annotations.Nullable;

/**
 * Brings what is settled about a read to where HBase asks for the read's file scanners. HBase's
 * {@code StoreScanner} asks the store for them in its constructor, on the same thread, without
 * saying for which read; before that a coprocessor may begin reads of its own, of this store or of
 * others. What is handed over is therefore taken once, by the store and for the scan it was meant
 * for, and every read of a store hides those around it.
 *
 * @param <T> what is settled about a read
 */
public final class Handover<T> {
  private record Pending<T>(HStore store, Scan scan, long readPoint, T settled) {}

  /** Makes a store scanner. */
  @FunctionalInterface
  public interface Maker {
    KeyValueScanner make() throws IOException;
  }

  private final ThreadLocal<Pending<T>> current = new ThreadLocal<>();

  /** What {@code maker} makes; {@code store} can {@link #take} what is settled meanwhile. */
  public KeyValueScanner make(HStore store, Scan scan, long readPoint, T settled, Maker maker)
      throws IOException {
    return make(new Pending<>(store, scan, readPoint, settled), maker);
  }

  /** What {@code maker} makes as HBase does. */
  public KeyValueScanner makeStock(Maker maker) throws IOException {
    return make(null, maker);
  }

  private KeyValueScanner make(@Nullable Pending<T> pending, Maker maker) throws IOException {
    Pending<T> outer = current.get();
    current.set(pending);
    try {
      return maker.make();
    } finally {
      current.set(outer);
    }
  }

  /**
   * What is settled about the read whose store scanner asks {@code store} for its scanners; null:
   * it is made as HBase does.
   */
  @SuppressWarnings("ArrayEquals") // another read may begin at an equal row
  public @Nullable T take(HStore store, byte[] startRow, long readPoint) {
    Pending<T> pending = current.get();
    if (pending == null
        || pending.store != store
        || pending.scan.getStartRow() != startRow
        || pending.readPoint != readPoint) {
      return null;
    }
    current.set(null);
    return pending.settled;
  }
}
