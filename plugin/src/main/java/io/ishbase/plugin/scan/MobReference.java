package io.ishbase.plugin.scan;

import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.jspecify.annotations.Nullable;

/**
 * A cell that refers to a MOB file, with the cell that it refers to there. HBase's matcher and
 * filters see the reference, as always; who resolves it need not look for its value.
 */
public final class MobReference extends KeyValue {
  private final KeyValue value;

  /**
   * @param value whose key is that of {@code reference}, but for the sequence id
   */
  MobReference(KeyValue reference, KeyValue value) {
    super(reference.getBuffer(), reference.getOffset(), reference.getLength());
    setSequenceId(reference.getSequenceId());
    this.value = value;
  }

  /** Bytes of the value's cell. */
  int valueBytes() {
    return value.getLength();
  }

  /**
   * What {@code cell} refers to; null if that did not come with it, or the reader may not see it.
   *
   * @param readPoint -1: none
   */
  public static @Nullable Cell resolve(Cell cell, long readPoint) {
    return cell instanceof MobReference reference
            && (readPoint == -1 || reference.value.getSequenceId() <= readPoint)
        ? reference.value
        : null;
  }
}
