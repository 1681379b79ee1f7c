package io.ishbase.protocol;

import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;

/** Keys that HBase's scanners are told to go to. */
public final class SeekKeys {
  private SeekKeys() {}

  /**
   * The same key, ahead of a cell that has it.
   *
   * <p>In a column without a name HBase's key of the next column is that of the next type of cell
   * at the same time, without a sequence id, and so behind a cell of that type. A file's scanner,
   * which seeks without sequence ids, stays at the cell, and HBase's heap sends it there for ever.
   *
   * <p>Relies on HBase 2.6: {@code ScanQueryMatcher.getKeyForNextColumn}, {@code
   * KeyValueHeap.generalizedSeek}.
   */
  public static Cell ahead(Cell key) {
    // Keys of a row as a whole have no family, and the last of a column is of no cell.
    if (key.getFamilyLength() == 0
        || key.getQualifierLength() > 0
        || key.getTypeByte() == KeyValue.Type.Minimum.getCode()) {
      return key;
    }
    KeyValue ahead =
        new KeyValue(
            CellUtil.cloneRow(key),
            CellUtil.cloneFamily(key),
            CellUtil.cloneQualifier(key),
            key.getTimestamp(),
            KeyValue.Type.codeToType(key.getTypeByte()));
    ahead.setSequenceId(Long.MAX_VALUE);
    return ahead;
  }
}
