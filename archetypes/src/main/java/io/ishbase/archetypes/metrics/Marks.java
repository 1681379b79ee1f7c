package io.ishbase.archetypes.metrics;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.hadoop.hbase.client.Put;

/**
 * Marks of late increments. A writer that sends an increment of a bucket that may be rolled up puts
 * a mark beside the roll-up first. From then on readers take the bucket from what is finer. A
 * roll-up takes the mark away when no increment that was announced by it can be under way any more,
 * and only if it is still the one that it saw.
 *
 * <p>A mark is taken away by saying so in it, not by a delete: a delete would hide a mark that is
 * put in the same millisecond, and a roll-up that was slow could not tell that another one has been
 * there since.
 */
final class Marks {
  private static final byte OPEN = 'o';
  private static final byte TAKEN_AWAY = 'x';

  private Marks() {}

  /**
   * The marks to put before an increment of the second that begins at {@code millis} is sent at
   * {@code nowMillis}.
   */
  static List<Put> before(Series series, long millis, long nowMillis, MetricsOptions options) {
    List<Put> puts = new ArrayList<>();
    for (Resolution one : Resolution.values()) {
      long end = one.floor(millis) + one.stepMillis();
      if (one != Resolution.SECOND && end + options.lateMillis() <= nowMillis) {
        puts.add(open(series, one, millis, nowMillis));
      }
    }
    return puts;
  }

  /** The mark of the bucket in which {@code millis} lies: what is finer answers for it. */
  static Put open(Series series, Resolution resolution, long millis, long nowMillis) {
    return new Put(Keys.data(series, resolution, resolution.base(millis), 0))
        .addColumn(
            MetricsSchema.ROLLED_UP,
            Column.mark(resolution.offset(millis)).qualifier(),
            mark(nowMillis));
  }

  /** When a mark was put, in milliseconds. */
  static long time(byte[] mark) {
    return ByteBuffer.wrap(mark).getLong(1);
  }

  /** Whether a mark has not been taken away. */
  static boolean isOpen(byte[] mark) {
    return mark[0] == OPEN;
  }

  /** What is put in the place of {@code mark} to take it away. */
  static byte[] takenAway(byte[] mark) {
    byte[] taken = mark.clone();
    taken[0] = TAKEN_AWAY;
    return taken;
  }

  /** Different from all others, so that a roll-up sees whether it is the one that it saw. */
  private static byte[] mark(long nowMillis) {
    return ByteBuffer.allocate(1 + 2 * Long.BYTES)
        .put(OPEN)
        .putLong(nowMillis)
        .putLong(ThreadLocalRandom.current().nextLong())
        .array();
  }
}
