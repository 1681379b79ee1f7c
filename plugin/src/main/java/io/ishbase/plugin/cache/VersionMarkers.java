package io.ishbase.plugin.cache;

import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.PrivateCellUtil;

/**
 * The delete markers of single versions that may be in a store's memstore. One that deletes a
 * version which hides older ones makes those be seen again, as long as no compaction has dropped
 * them: a cached row must have them.
 *
 * <p>Such a marker is noted here, then its row is dropped from the cache if it is trimmed, then the
 * marker is put into the memstore. A flush asks here under the cache's lock and trims under the
 * same hold of it. So a marker that the flush does not know of drops the row afterwards. Thread
 * safe.
 */
final class VersionMarkers {
  private final AtomicLong newest = new AtomicLong();

  /**
   * Takes note of a cell that is written. Returns whether it is such a marker. A client may send
   * any byte for a type; HBase takes those between the markers' for markers of a version, too.
   */
  boolean add(Cell cell) {
    byte type = cell.getTypeByte();
    if (!PrivateCellUtil.isDelete(type)
        || type == KeyValue.Type.DeleteColumn.getCode()
        || type == KeyValue.Type.DeleteFamily.getCode()) {
      return false;
    }
    newest.accumulateAndGet(((ExtendedCell) cell).getSequenceId(), Math::max);
    return true;
  }

  /**
   * Whether there may be one in the memstore beside what is being flushed.
   *
   * @param flushed sequence id up to which all is flushed
   */
  boolean mayBeInMemstore(long flushed) {
    return newest.get() > flushed;
  }
}
