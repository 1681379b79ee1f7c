package io.ishbase.core.memory;

import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Divides one sum of memory among its consumers so that what it saves all of them together is the
 * most. A pure state machine: its caller tells the sizes and what they would be worth, and applies
 * the answer.
 *
 * <p>All splits of the sum into {@value #PARTS} parts are compared, not only those beside the
 * present one, because what a cache saves need not be concave: a scan over a little more than the
 * cache hits nothing until all of it fits. A split that is better by more than a hundredth, and by
 * more than moving is worth, is where the sizes go, by a quarter of the sum a step if much is to be
 * gained and a sixteenth if not; else they stay. So nothing moves back and forth as long as what is
 * told does not. Sizes beyond their bounds go to the best split within, whatever it saves, unless
 * the heap's limit leaves none.
 *
 * <p>Where the sizes stay, little more than a hundredth of what could be saved is lost, and what a
 * 512th of the sum brings where utilities are concave.
 */
public final class MemoryBudget {
  private static final int PARTS = 64;

  /** Into so many a part is divided around the best split. */
  private static final int FINER = 8;

  /** By which part of what is saved another split has to be better. */
  private static final double HYSTERESIS = 0.01;

  /** By how much a split has to be better at least, in nanoseconds of work for each second. */
  private static final double LEAST_GAIN = 100_000;

  /** What moving the sum counts for, as a part of what another split has to be better by. */
  private static final double COST_OF_MOVE = 0.1;

  /**
   * The part of the sum that is moved in a step, at most. With a quarter of that in all steps,
   * loads that take turns of two minutes and a half cost a fourth more than with the best fixed
   * split.
   */
  private static final double STEP = 16.0 / PARTS;

  /** The same where little is to be gained, or it may be noise. */
  private static final double SMALL_STEP = 8.0 / PARTS;

  /** Much is a tenth of what is saved now, */
  private static final double MUCH = 0.1;

  /** and a thousandth of a processor. */
  private static final double LEAST_OF_MUCH = 1e6;

  private final List<Consumer> consumers;
  private final long heapLimitBytes;

  /**
   * Something that wants memory.
   *
   * @param name for operators
   * @param onHeap whether its memory is on the Java heap
   */
  public record Consumer(String name, long minBytes, long maxBytes, boolean onHeap) {
    public Consumer {
      if (minBytes < 0 || maxBytes < minBytes) {
        throw new IllegalArgumentException(name + " from " + minBytes + " to " + maxBytes);
      }
    }
  }

  /**
   * What is to be done.
   *
   * @param sizes now, in the consumers' order
   * @param best where the sizes go
   * @param gainNanosPerSecond what the best would save more than the present ones; not more than 0
   *     if they go there for the bounds alone
   * @param stays whether the sizes stay as they are
   */
  public record Plan(List<Long> sizes, List<Long> best, double gainNanosPerSecond, boolean stays) {}

  /**
   * Among some consumers, which should be few: all splits are tried.
   *
   * @param heapLimitBytes what all on the heap may have together
   */
  public MemoryBudget(List<Consumer> consumers, long heapLimitBytes) {
    this.consumers = List.copyOf(consumers);
    this.heapLimitBytes = heapLimitBytes;
  }

  public List<Consumer> consumers() {
    return consumers;
  }

  /** What all on the heap may have together. */
  public long heapLimitBytes() {
    return heapLimitBytes;
  }

  /**
   * The sizes from now on. Their sum is as before, and each limit holds that did before.
   *
   * @param sizes now, in bytes
   * @param utilities of the consumers
   */
  public Plan next(List<Long> sizes, List<Utility> utilities) {
    Search search = new Search(sizes, utilities);
    double gain = search.bestNanos - search.presentNanos;
    long[] best = search.best;
    if (best == null || gain <= search.least && !search.entersBounds) {
      return new Plan(List.copyOf(sizes), List.copyOf(sizes), 0, true);
    }
    boolean isMuch = gain > Math.max(LEAST_OF_MUCH, MUCH * search.presentNanos);
    return new Plan(step(sizes, best, isMuch ? STEP : SMALL_STEP), toList(best), gain, false);
  }

  private static List<Long> step(List<Long> sizes, long[] target, double part) {
    long sum = 0;
    long farthest = 0;
    for (int i = 0; i < target.length; i++) {
      sum += sizes.get(i);
      farthest = Math.max(farthest, Math.abs(target[i] - sizes.get(i)));
    }
    double share = Math.min(1, part * sum / farthest);
    long[] next = new long[target.length];
    long rest = sum;
    int most = 0;
    for (int i = 0; i < target.length; i++) {
      next[i] = sizes.get(i) + (long) (share * (target[i] - sizes.get(i)));
      rest -= next[i];
      most = target[i] - sizes.get(i) > target[most] - sizes.get(most) ? i : most;
    }
    // What rounding left, some bytes, goes to who grows most.
    next[most] += rest;
    return toList(next);
  }

  private static List<Long> toList(long[] sizes) {
    return Arrays.stream(sizes).boxed().toList();
  }

  /** One look at all splits. */
  private final class Search {
    private final List<Long> sizes;
    private final List<Utility> utilities;
    private final long sum;
    private final long heapLimit;
    private final double presentNanos;

    /** Whether sizes are beyond their bounds, and the best is not. */
    private boolean entersBounds;

    private final double least;
    private final long[][] candidates;
    private final long[] split;
    private double bestNanos;
    private double bestScore = Double.NEGATIVE_INFINITY;
    private long @Nullable [] best;

    Search(List<Long> sizes, List<Utility> utilities) {
      this.sizes = sizes;
      this.utilities = utilities;
      this.split = new long[sizes.size()];
      long heap = 0;
      long all = 0;
      double nanos = 0;
      for (int i = 0; i < split.length; i++) {
        nanos += utilities.get(i).nanosPerSecond(sizes.get(i));
        heap += consumers.get(i).onHeap() ? sizes.get(i) : 0;
        all += sizes.get(i);
      }
      sum = all;
      heapLimit = Math.max(heap, heapLimitBytes);
      presentNanos = nanos;
      least = Math.max(LEAST_GAIN, HYSTERESIS * nanos);
      candidates = new long[split.length][];
      entersBounds = areOutside();
      look();
      if (best == null && entersBounds) {
        entersBounds = false;
        look();
      }
    }

    private boolean areOutside() {
      for (int i = 0; i < split.length; i++) {
        Consumer consumer = consumers.get(i);
        if (sizes.get(i) < consumer.minBytes() || sizes.get(i) > consumer.maxBytes()) {
          return true;
        }
      }
      return false;
    }

    private void look() {
      for (int i = 0; i < split.length; i++) {
        candidates[i] = candidates(consumers.get(i), sizes.get(i));
      }
      from(0, sum, 0, 0, 0);
      refine();
    }

    /** Looks once more around the best, since a limit may lie between two parts. */
    private void refine() {
      long[] coarse = best;
      if (coarse == null) {
        return;
      }
      long finer = Math.max(1, sum / PARTS / FINER);
      for (int i = 0; i < split.length; i++) {
        Consumer consumer = consumers.get(i);
        long center = coarse[i];
        long present = sizes.get(i);
        candidates[i] =
            LongStream.rangeClosed(-FINER, FINER)
                .map(steps -> center + steps * finer)
                .filter(size -> isWithin(consumer, present, size))
                .toArray();
      }
      from(0, sum, 0, 0, 0);
    }

    /**
     * By parts from the present size on, so that two can exchange some where all limits are met.
     */
    private long[] candidates(Consumer consumer, long present) {
      long part = Math.max(1, sum / PARTS);
      return LongStream.concat(
              LongStream.of(present, consumer.minBytes(), consumer.maxBytes()),
              LongStream.rangeClosed(-PARTS, PARTS).map(parts -> present + parts * part))
          .filter(size -> isWithin(consumer, present, size))
          .sorted()
          .distinct()
          .toArray();
    }

    /** Within its bounds, or, where not all can be, no farther from them than it is. */
    private boolean isWithin(Consumer consumer, long present, long size) {
      if (entersBounds) {
        return size >= consumer.minBytes() && size <= consumer.maxBytes();
      }
      return size >= Math.min(present, consumer.minBytes())
          && size <= Math.max(present, consumer.maxBytes());
    }

    private void from(int consumer, long left, long heap, double nanos, double movedBytes) {
      if (heap > heapLimit || left < 0) {
        return;
      }
      if (consumer == split.length) {
        // Of splits that are worth the same, the nearest.
        double score = nanos - COST_OF_MOVE * least * movedBytes / Math.max(1, sum);
        if (left == 0 && score > bestScore) {
          bestScore = score;
          bestNanos = nanos;
          best = split.clone();
        }
        return;
      }
      boolean isLast = consumer == split.length - 1;
      long present = sizes.get(consumer);
      if (isLast && !isWithin(consumers.get(consumer), present, left)) {
        return;
      }
      for (long size : isLast ? new long[] {left} : candidates[consumer]) {
        split[consumer] = size;
        from(
            consumer + 1,
            left - size,
            heap + (consumers.get(consumer).onHeap() ? size : 0),
            nanos + utilities.get(consumer).nanosPerSecond(size),
            movedBytes + Math.abs(size - present));
      }
    }
  }
}
