package io.ishbase.plugin.shadow;

import io.ishbase.core.Quarantine;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Which reads of a region server are answered twice, and the stores of which one had other cells
 * than HBase reads. Those are read over HBase's path for a minute, after each further such read for
 * twice as long, an hour at most. Thread safe.
 */
public final class ShadowReads {
  /** What HBase's path may take of a read's time. */
  private static final long LONGEST_MILLIS = 100;

  private static final long FIRST_MILLIS = 60_000;
  private static final long MAX_MILLIS = 3_600_000;

  private final Quarantine stores = new Quarantine(FIRST_MILLIS, MAX_MILLIS);
  private final AtomicLong reads = new AtomicLong();
  private final LongSupplier millis;
  private final long seed;
  private volatile long longestMillis = LONGEST_MILLIS;

  /**
   * @param millis the time, in milliseconds
   */
  public ShadowReads(LongSupplier millis) {
    this(millis, ThreadLocalRandom.current().nextLong());
  }

  /**
   * @param seed of the choice of reads
   */
  ShadowReads(LongSupplier millis, long seed) {
    this.millis = millis;
    this.seed = seed;
  }

  /**
   * Whether the next read is to be checked. Which of so many it is changes from one such group to
   * the next, so that no rhythm of reads hides some of them; of the first it is the last.
   *
   * @param oneIn of so many one is; 0: none
   */
  public boolean isNext(int oneIn) {
    if (oneIn <= 0) {
      return false;
    }
    long read = reads.getAndIncrement();
    long group = read / oneIn;
    int chosen = group == 0 ? oneIn - 1 : new SplittableRandom(seed + group).nextInt(oneIn);
    return read % oneIn == chosen;
  }

  /** What HBase's path may take of a read's time from now on, for tests on a machine at work. */
  public void mayTake(long ofReadMillis) {
    longestMillis = ofReadMillis;
  }

  /** What HBase's path may take of a read's time, in milliseconds. */
  long longestMillis() {
    return longestMillis;
  }

  /** Whether reads of {@code store} may go other ways than HBase's own path now. */
  public boolean admits(String store) {
    return !stores.isClosed(store, millis.getAsLong());
  }

  /** Takes note that a read of {@code store} had other cells than HBase reads. */
  void differed(String store) {
    // Regions split and move: what has not been read here for long may never be again.
    stores.forget(millis.getAsLong());
    stores.failed(store, millis.getAsLong());
  }

  /** The stores that are read over HBase's path alone now. */
  public SortedSet<String> closed() {
    return stores.closed(millis.getAsLong());
  }

  /** Lets all stores be read as they are set to. */
  public void forget() {
    stores.clear();
  }
}
