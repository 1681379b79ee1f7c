package io.ishbase.core.compaction;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Who gets a worker when there are more compactions than slots: first the stores that block writes
 * or come closest to it, then those with the most delete markers, then who asked first.
 *
 * <p>A region server asks again and again until it gets one or loses patience; what is silent is
 * forgotten. So nothing here must survive: a new queue knows as much after one round of questions.
 * Not thread-safe.
 */
public final class CompactionQueue {
  /** Whoever has not asked for so long does not wait any more. */
  static final long SILENT_MILLIS = 5_000;

  /** A promise that the worker has not begun to keep after so long is not kept any more. */
  static final long PROMISED_MILLIS = 10_000;

  private final Placement placement;
  private final Map<String, Waiting> waiting = new HashMap<>();
  private final List<Promise> promises = new ArrayList<>();

  public CompactionQueue(Placement placement) {
    this.placement = placement;
  }

  /**
   * A compaction that is to be placed.
   *
   * @param ticket unique
   * @param store for operators
   * @param bytes of its files
   * @param held how many of these lie beside which worker, by its name
   * @param pressure the store's files over the number that blocks writes; 1 and more: it blocks
   * @param deletes share of delete markers among its cells
   */
  public record Request(
      String ticket,
      String store,
      long bytes,
      Map<String, Long> held,
      double pressure,
      double deletes) {}

  private record Waiting(Request request, long firstAsked, long lastAsked) {}

  /** Kept once {@code worker} has begun that many compactions. */
  private record Promise(String ticket, String worker, long begun, long at) {}

  private static final Comparator<Waiting> URGENCY =
      Comparator.comparingDouble((Waiting entry) -> -Math.max(1, entry.request().pressure()))
          .thenComparingDouble(entry -> -entry.request().deletes())
          .thenComparingDouble(entry -> -entry.request().pressure())
          .thenComparingLong(Waiting::firstAsked)
          .thenComparing(entry -> entry.request().ticket());

  /**
   * The workers that may carry out {@code request}, the best first; empty: it is to ask again, or
   * to be done at home. The first is counted as taken.
   */
  public List<Worker> ask(Request request, Collection<Worker> workers, long nowMillis) {
    waiting.values().removeIf(entry -> nowMillis - entry.lastAsked() > SILENT_MILLIS);
    promises.removeIf(
        promise ->
            nowMillis - promise.at() > PROMISED_MILLIS
                || promise.ticket().equals(request.ticket())
                || isKept(promise, workers));
    Waiting known = waiting.get(request.ticket());
    waiting.put(
        request.ticket(),
        new Waiting(request, known == null ? nowMillis : known.firstAsked(), nowMillis));
    Map<String, Worker> left = new HashMap<>();
    workers.forEach(worker -> left.put(worker.name(), withPromises(worker)));
    for (Waiting entry : waiting.values().stream().sorted(URGENCY).toList()) {
      List<Worker> ranked =
          placement.rank(left.values(), entry.request().bytes(), entry.request().held());
      if (entry.request().ticket().equals(request.ticket())) {
        if (!ranked.isEmpty()) {
          waiting.remove(request.ticket());
          Worker best = ranked.get(0);
          long begun = best.begun() + promised(best) + 1;
          promises.add(new Promise(request.ticket(), best.name(), begun, nowMillis));
        }
        return ranked;
      }
      if (!ranked.isEmpty()) {
        Worker taken = ranked.get(0);
        left.put(taken.name(), withRunning(taken, taken.running() + 1));
      }
    }
    throw new IllegalStateException("The request is among those that wait");
  }

  /** Those that wait, the most urgent first. */
  public List<Request> waiting() {
    return waiting.values().stream().sorted(URGENCY).map(Waiting::request).toList();
  }

  private static boolean isKept(Promise promise, Collection<Worker> workers) {
    return workers.stream()
        .anyMatch(
            worker -> worker.name().equals(promise.worker()) && worker.begun() >= promise.begun());
  }

  /** How many compactions it was promised for and has not begun. */
  private int promised(Worker worker) {
    return (int)
        promises.stream().filter(promise -> promise.worker().equals(worker.name())).count();
  }

  private Worker withPromises(Worker worker) {
    return withRunning(worker, worker.running() + promised(worker));
  }

  private static Worker withRunning(Worker worker, int running) {
    return new Worker(
        worker.name(),
        worker.slots(),
        running,
        worker.backlogBytes(),
        worker.memoryBytes(),
        worker.cpuPercent(),
        worker.bytesPerSecond(),
        worker.measuredBytes(),
        worker.draining(),
        worker.begun());
  }
}
