package org.apache.hadoop.hbase.regionserver;

/** What HBase's {@link CompactingMemStore} says of itself in its package alone. */
public final class InMemoryCompaction {
  private InMemoryCompaction() {}

  /** Whether the memstore of {@code store} is compacted right now. */
  public static boolean isUnderWay(HStore store) {
    return store.memstore instanceof CompactingMemStore memstore
        && memstore.isMemStoreFlushingInMemory();
  }
}
