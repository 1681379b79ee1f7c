package io.ishbase.core.compaction;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Predicate;

/**
 * Which worker carries out a compaction: the one that will be done with it first. A worker beside
 * the files reads them at once; another, such as a dedicated compaction server, fetches them over
 * the storage network, but may have the faster or idler processors.
 */
public final class Placement {
  /** What workers are taken for while none has compacted yet; HBase's own lower throttle. */
  private static final double ASSUMED_BYTES_PER_SECOND = 50L << 20;

  /** Nobody's processors are so busy that nothing is left. */
  private static final double LEAST_IDLE = 0.1;

  /**
   * After so many bytes a worker's own speed counts as much as the usual one of all. Of a few small
   * compactions, or those of a JVM that has just started, it says little.
   */
  private static final double USUAL_BYTES = 1L << 30;

  private final long networkBytesPerSecond;

  /** {@code networkBytesPerSecond}: between storage nodes, for files that a worker must fetch. */
  public Placement(long networkBytesPerSecond) {
    if (networkBytesPerSecond <= 0) {
      throw new IllegalArgumentException("Bytes per second: " + networkBytesPerSecond);
    }
    this.networkBytesPerSecond = networkBytesPerSecond;
  }

  /**
   * The free workers, the best first.
   *
   * @param bytes of the files to compact
   * @param held how many of these lie beside which worker, by its name
   */
  public List<Worker> rank(Collection<Worker> workers, long bytes, Map<String, Long> held) {
    return best(workers, worker -> worker.isFree(bytes), bytes, held, Math.max(1, workers.size()));
  }

  /** The best {@code most} of those that are {@code eligible}, the best first. */
  List<Worker> best(
      Collection<Worker> workers,
      Predicate<Worker> eligible,
      long bytes,
      Map<String, Long> held,
      int most) {
    double usual = usualSpeed(workers);
    PriorityQueue<Ranked> best = new PriorityQueue<>(Collections.reverseOrder());
    for (Worker worker : workers) {
      if (eligible.test(worker)) {
        Ranked next =
            new Ranked(worker, seconds(worker, bytes, held.getOrDefault(worker.name(), 0L), usual));
        Ranked last = best.size() < most ? null : best.peek();
        if (last == null) {
          best.add(next);
        } else if (next.compareTo(last) < 0) {
          best.remove();
          best.add(next);
        }
      }
    }
    List<Ranked> ranked = new ArrayList<>(best);
    Collections.sort(ranked);
    return ranked.stream().map(Ranked::worker).toList();
  }

  private record Ranked(Worker worker, double seconds) implements Comparable<Ranked> {
    @Override
    public int compareTo(Ranked other) {
      int order = Double.compare(seconds, other.seconds);
      return order == 0 ? worker.name().compareTo(other.worker.name()) : order;
    }
  }

  /** In how many seconds a worker would be done, had it a free slot. */
  private double seconds(Worker worker, long bytes, long held, double usual) {
    double speed = speed(worker, usual);
    double compacting = bytes / speed;
    double foreign = Math.max(0, bytes - held);
    // Its other compactions want the same processors and disks for as long as they last.
    double sharing = Math.min(compacting * worker.running(), worker.backlogBytes() / speed);
    return compacting + sharing + foreign / networkBytesPerSecond;
  }

  /** What is measured of a worker counts the more, the more it is. */
  private static double speed(Worker worker, double usual) {
    double idle = Math.max(LEAST_IDLE, 1 - worker.cpuPercent() / 100.0);
    return (USUAL_BYTES + worker.measuredBytes())
        / (USUAL_BYTES / (usual * idle) + secondsMeasured(worker));
  }

  private static double secondsMeasured(Worker worker) {
    return (double) worker.measuredBytes() / Math.max(1, worker.bytesPerSecond());
  }

  /** The mean speed of all workers. */
  private static double usualSpeed(Collection<Worker> workers) {
    double bytes = workers.stream().mapToDouble(Worker::measuredBytes).sum();
    double seconds = workers.stream().mapToDouble(Placement::secondsMeasured).sum();
    return bytes == 0 ? ASSUMED_BYTES_PER_SECOND : bytes / seconds;
  }
}
