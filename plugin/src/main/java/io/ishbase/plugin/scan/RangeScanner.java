package io.ishbase.plugin.scan;

import io.ishbase.protocol.generated.IssnProtos.RowRange;
import java.io.IOException;
import java.util.function.IntConsumer;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.jspecify.annotations.Nullable;

/**
 * All that a store's HFiles hold of a scan's rows, as storage nodes have it: range by range, of
 * which each lies behind the one before. Used by one thread at a time.
 */
public interface RangeScanner {
  /** Drops the files that the scan does not need, and says whether any are left. */
  boolean needs(Scan scan, HStore store, long oldestUnexpiredTs);

  /**
   * Goes to the rows of a range that lies in the scan's, behind what was read so far. To be called
   * after {@link #needs}, instead of the first seek, and as often as one likes.
   */
  void request(RowRange ofScan);

  /** Waits for the first row of the range that was requested last. */
  void begin() throws IOException;

  /** The next cell, which may lie behind the range where HBase's own path took over; null: none. */
  @Nullable Cell peek();

  /** Takes the next cell; null: there is none. */
  @Nullable Cell next() throws IOException;

  /** Goes forward to a key; whether there is a cell at it or behind. */
  boolean reseek(Cell key) throws IOException;

  /** The scanner order of the file that the next cell is from; 0 if there is none. */
  long getScannerOrder();

  /** Says what the daemons read of blocks since the last call. */
  void recordBlockSize(IntConsumer blockSizeConsumer);

  /** What was handed out so far is not used any more. */
  void shipped() throws IOException;

  /** May be called more than once. */
  void close();
}
