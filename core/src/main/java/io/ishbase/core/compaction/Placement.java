package io.ishbase.core.compaction;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Which worker carries out a compaction: the one that will be done with it first. A worker beside
 * the files reads them at once; another, such as a dedicated compaction server, fetches them over
 * the storage network, but may have the faster or idler processors.
 */
public final class Placement {
  /** What a worker is taken for that has not compacted yet; HBase's own lower throttle. */
  static final long ASSUMED_BYTES_PER_SECOND = 50L << 20;

  /** Nobody's processors are so busy that nothing is left. */
  private static final double LEAST_IDLE = 0.1;

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
    return workers.stream()
        .filter(worker -> worker.isFree(bytes))
        .sorted(
            Comparator.comparingDouble((Worker worker) -> seconds(worker, bytes, held))
                .thenComparing(Worker::name))
        .toList();
  }

  /** In how many seconds a worker would be done, had it a free slot. */
  public double seconds(Worker worker, long bytes, Map<String, Long> held) {
    double idle = Math.max(LEAST_IDLE, 1 - worker.cpuPercent() / 100.0);
    long measured = worker.bytesPerSecond();
    double compacting =
        measured == 0 ? bytes / (ASSUMED_BYTES_PER_SECOND * idle) : (double) bytes / measured;
    long foreign = Math.max(0, bytes - held.getOrDefault(worker.name(), 0L));
    // Its other compactions want the same processors and disks for as long as they last.
    double sharing = Math.min(compacting * worker.running(), compactingRest(worker, idle));
    return compacting + sharing + (double) foreign / networkBytesPerSecond;
  }

  private static double compactingRest(Worker worker, double idle) {
    double speed =
        worker.bytesPerSecond() == 0 ? ASSUMED_BYTES_PER_SECOND * idle : worker.bytesPerSecond();
    return worker.backlogBytes() / speed;
  }
}
