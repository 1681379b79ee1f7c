package io.ishbase.archetypes.graph;

import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;

/**
 * What one write made of a vertex or an edge. Each has columns of its own, named by a random stamp
 * that is never used again, and timestamps of its own. So a delete marker, which HBase applies to
 * all that is not newer, hides nothing but what it is for: neither a later addition in the same
 * millisecond or by a clock that is behind, nor a write that a client repeats.
 *
 * @param stamp random
 * @param time milliseconds since 1970 by the writer's clock, later than what the write replaced
 * @param value what the cell holds
 */
record Incarnation(long stamp, long time, byte[] value) {
  /** Of several that are there, as two writers at once leave them, the first counts. */
  static final Comparator<Incarnation> NEWEST_FIRST =
      Comparator.comparingLong(Incarnation::time).thenComparingLong(Incarnation::stamp).reversed();

  /** A new one that comes after those that are there. */
  static Incarnation after(List<Incarnation> before, byte[] value) {
    long time = System.currentTimeMillis();
    for (Incarnation each : before) {
      time = Math.max(time, each.time + 1);
    }
    return new Incarnation(ThreadLocalRandom.current().nextLong(), time, value);
  }

  Put put(byte[] row, byte[] prefix) {
    return new Put(row).addColumn(Keys.FAMILY, Keys.stamped(prefix, stamp), time, value);
  }

  Delete delete(byte[] row, byte[] prefix) {
    return new Delete(row).addColumns(Keys.FAMILY, Keys.stamped(prefix, stamp), time);
  }
}
