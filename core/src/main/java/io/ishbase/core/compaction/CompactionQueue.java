package io.ishbase.core.compaction;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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

  /** Who is told more would not try more. */
  static final int BEST = 5;

  /**
   * Compactions that wait, at most: more than all threads of a large cluster have. Who comes beyond
   * that is told to wait, and not remembered until others have ceased to ask.
   */
  static final int MOST_WAITING = 10_000;

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
   * @param avoided workers that it does not want
   */
  public record Request(
      String ticket,
      String store,
      long bytes,
      Map<String, Long> held,
      double pressure,
      double deletes,
      Set<String> avoided) {}

  /** {@code wants}: the worker that is best for it, free or not; empty: none. */
  private record Waiting(Request request, String wants, long firstAsked, long lastAsked) {}

  /** Kept once {@code worker} has begun that many compactions. */
  private record Promise(String ticket, String worker, long begun, long at) {}

  private static final Comparator<Waiting> URGENCY =
      Comparator.comparingDouble((Waiting entry) -> -Math.max(1, entry.request().pressure()))
          .thenComparingDouble(entry -> -entry.request().deletes())
          .thenComparingDouble(entry -> -entry.request().pressure())
          .thenComparingLong(Waiting::firstAsked)
          .thenComparing(entry -> entry.request().ticket());

  /**
   * The workers that may carry out {@code request}, the best first, {@link #BEST} at most; empty:
   * it is to ask again, or to be done at home. The first is counted as taken.
   *
   * <p>A slot is free for it if there are more than stores that come before it and could use one.
   * Of these each is thought to want the worker that is best for it, free or not. The time for that
   * grows with the workers, those that wait and what they avoid, not with their product.
   */
  public List<Worker> ask(Request request, Collection<Worker> workers, long nowMillis) {
    return ask(request, false, workers, nowMillis);
  }

  /**
   * The same.
   *
   * @param isLast whether it will not ask again: it does not wait then, nor do others for it
   */
  public List<Worker> ask(
      Request request, boolean isLast, Collection<Worker> workers, long nowMillis) {
    List<Worker> best = place(request, workers, nowMillis);
    if (isLast) {
      waiting.remove(request.ticket());
    }
    return best;
  }

  private List<Worker> place(Request request, Collection<Worker> workers, long nowMillis) {
    Map<String, Worker> now = new HashMap<>(2 * workers.size());
    workers.forEach(worker -> now.put(worker.name(), worker));
    forgetSilent(nowMillis);
    promises.removeIf(
        promise ->
            isPast(promise.at(), PROMISED_MILLIS, nowMillis)
                || promise.ticket().equals(request.ticket())
                || isKept(promise, now.get(promise.worker())));
    Map<String, Integer> promised = new HashMap<>();
    promises.forEach(promise -> promised.merge(promise.worker(), 1, Integer::sum));
    promised.forEach(
        (name, more) -> now.computeIfPresent(name, (key, worker) -> withMore(worker, more)));
    if (waiting.size() >= MOST_WAITING && !waiting.containsKey(request.ticket())) {
      return List.of();
    }

    Waiting asking = waitsNow(request, now.values(), nowMillis);
    List<Room> rooms = rooms(now.values());
    Map<String, Integer> wanted = new HashMap<>();
    int before = 0;
    for (Waiting entry : waiting.values()) {
      if (URGENCY.compare(entry, asking) < 0 && isFitting(entry.request(), rooms)) {
        before++;
        wanted.merge(entry.wants(), 1, Integer::sum);
      }
    }
    if (freeSlots(now.values(), request) <= before) {
      return List.of();
    }
    List<Worker> best =
        placement.best(
            now.values(),
            worker ->
                !request.avoided().contains(worker.name())
                    && worker.free(request.bytes()) > wanted.getOrDefault(worker.name(), 0),
            request.bytes(),
            request.held(),
            BEST);
    if (!best.isEmpty()) {
      waiting.remove(request.ticket());
      Worker taken = best.get(0);
      promises.add(
          new Promise(
              request.ticket(),
              taken.name(),
              taken.begun() + promised.getOrDefault(taken.name(), 0) + 1,
              nowMillis));
    }
    return best;
  }

  private void forgetSilent(long nowMillis) {
    waiting.values().removeIf(entry -> isPast(entry.lastAsked(), SILENT_MILLIS, nowMillis));
  }

  // What lies ahead was before the clock was set back.
  private static boolean isPast(long then, long millis, long nowMillis) {
    return Math.abs(nowMillis - then) > millis;
  }

  /** Remembers that it waits, since when, and for whom most of all. */
  private Waiting waitsNow(Request request, Collection<Worker> workers, long nowMillis) {
    Waiting known = waiting.get(request.ticket());
    List<Worker> wanted =
        placement.best(
            workers,
            worker ->
                !request.avoided().contains(worker.name())
                    && !worker.draining()
                    && worker.limit(request.bytes()) > 0,
            request.bytes(),
            request.held(),
            1);
    Waiting entry =
        new Waiting(
            request,
            wanted.isEmpty() ? "" : wanted.get(0).name(),
            known == null ? nowMillis : known.firstAsked(),
            nowMillis);
    waiting.put(request.ticket(), entry);
    return entry;
  }

  /** Bytes of the largest compaction for which a worker has a slot. */
  private record Room(String worker, long bytes) {}

  /** The largest first. */
  private static List<Room> rooms(Collection<Worker> workers) {
    return workers.stream()
        .filter(worker -> worker.isFree(0))
        .map(
            worker ->
                new Room(
                    worker.name(),
                    worker.memoryBytes() == 0
                        ? Long.MAX_VALUE
                        : worker.memoryBytes() / (worker.running() + 1)))
        .sorted(Comparator.comparingLong(Room::bytes).reversed())
        .toList();
  }

  /** Whether it could use a slot. */
  private static boolean isFitting(Request request, List<Room> rooms) {
    for (Room room : rooms) {
      if (room.bytes() < request.bytes()) {
        return false;
      }
      if (!request.avoided().contains(room.worker())) {
        return true;
      }
    }
    return false;
  }

  private static long freeSlots(Collection<Worker> workers, Request request) {
    long free = 0;
    for (Worker worker : workers) {
      if (!request.avoided().contains(worker.name())) {
        free += worker.free(request.bytes());
      }
    }
    return free;
  }

  /** How many wait. */
  public int waitingCount() {
    return waiting.size();
  }

  /** Those that wait now, the most urgent first. */
  public List<Request> waiting(long nowMillis) {
    forgetSilent(nowMillis);
    return waiting.values().stream().sorted(URGENCY).map(Waiting::request).toList();
  }

  /** {@code worker}: as it is now, or null if it has gone. */
  private static boolean isKept(Promise promise, @Nullable Worker worker) {
    return worker != null && worker.begun() >= promise.begun();
  }

  private static Worker withMore(Worker worker, int running) {
    return new Worker(
        worker.name(),
        worker.slots(),
        worker.running() + running,
        worker.backlogBytes(),
        worker.memoryBytes(),
        worker.cpuPercent(),
        worker.bytesPerSecond(),
        worker.measuredBytes(),
        worker.draining(),
        worker.begun());
  }
}
