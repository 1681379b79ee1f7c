package io.ishbase.sim.compaction;

import io.ishbase.core.Setting;
import io.ishbase.core.compaction.CompactionQueue;
import io.ishbase.core.compaction.Patience;
import io.ishbase.core.compaction.Placement;
import io.ishbase.core.compaction.Worker;
import io.ishbase.sim.engine.EventLoop;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Workers of compactions and the manager, whose queue is the one that ships: a compaction asks it,
 * again and again as region servers do, until it has a worker or its patience ends.
 */
public final class WorkerPool {
  private static final long ASK_AGAIN_NANOS = 500_000_000;

  /** What {@code ishbase.compaction.network} is by default, in bytes a second. */
  static final long STORAGE_NETWORK_BYTES =
      Long.parseLong(Setting.COMPACTION_NETWORK.defaultValue()) << 20;

  private static final long MILLI = 1_000_000;

  /** What a compaction is told. */
  public interface Listener {
    /** It has a worker, after so long. */
    void begins(String worker, long waitedNanos);

    /** Its patience has ended, or there is no worker: it is carried out at home. */
    void goesHome(long waitedNanos);

    /** Its worker is done. */
    void ends();
  }

  private final EventLoop loop;
  private final CompactionQueue queue = new CompactionQueue(new Placement(STORAGE_NETWORK_BYTES));
  private final List<Worker> workers = new ArrayList<>();
  private final Map<String, Integer> places = new HashMap<>();
  private final double bytesPerSecond;
  private final long patienceMillis;
  private final LongSupplier wallNanos;
  private long questions;
  private long questionNanos;
  private long tickets;

  /**
   * @param bytesPerSecond of one compaction
   * @param wallNanos what time it really is, to say how long questions take; only that
   */
  public WorkerPool(
      EventLoop loop, double bytesPerSecond, long patienceMillis, LongSupplier wallNanos) {
    this.loop = loop;
    this.bytesPerSecond = bytesPerSecond;
    this.patienceMillis = patienceMillis;
    this.wallNanos = wallNanos;
  }

  /** Adds a worker. */
  public void add(String name, int slots) {
    places.put(name, workers.size());
    workers.add(new Worker(name, slots, 0, 0, 0, 0, 0, 0, false, 0));
  }

  /** A worker takes no more compactions, or takes them again. */
  public void drain(String name, boolean draining) {
    change(place(name), 0, 0, 0, draining);
  }

  /** Questions to the manager so far. */
  public long questions() {
    return questions;
  }

  /** How long they took, by the clock that was given. */
  public long questionNanos() {
    return questionNanos;
  }

  /**
   * Lets a compaction look for a worker.
   *
   * @param held bytes of its files beside which worker
   * @param pressure its store's files over the number that blocks writes
   */
  public void compact(long bytes, Map<String, Long> held, double pressure, Listener listener) {
    new Waiting(bytes, held, pressure, listener).ask();
  }

  private final class Waiting {
    private final long began = loop.now();
    private final Patience patience = new Patience(loop::now);
    private final EventLoop.Timer again = new EventLoop.Timer(this::ask);
    private final CompactionQueue.Request request;
    private final Listener listener;

    Waiting(long bytes, Map<String, Long> held, double pressure, Listener listener) {
      this.listener = listener;
      request =
          new CompactionQueue.Request(
              "compaction" + tickets++, "store", bytes, held, pressure, 0, Set.of());
    }

    void ask() {
      long before = wallNanos.getAsLong();
      List<Worker> best = queue.ask(request, workers, loop.now() / MILLI);
      questionNanos += wallNanos.getAsLong() - before;
      questions++;
      if (!best.isEmpty()) {
        begin(best.get(0).name());
      } else if (patience.isLeft(patienceMillis, request.pressure(), false)) {
        loop.in(ASK_AGAIN_NANOS, again);
      } else {
        listener.goesHome(loop.now() - began);
      }
    }

    private void begin(String name) {
      long bytes = request.bytes();
      int place = place(name);
      change(place, 1, bytes, 0, workers.get(place).draining());
      listener.begins(name, loop.now() - began);
      loop.in(
          (long) (bytes / bytesPerSecond * 1e9),
          new EventLoop.Timer(
              () -> {
                change(place, -1, -bytes, bytes, workers.get(place).draining());
                listener.ends();
              }));
    }
  }

  private int place(String name) {
    Integer place = places.get(name);
    if (place == null) {
      throw new IllegalArgumentException("No worker " + name);
    }
    return place;
  }

  private void change(int place, int running, long backlog, long measured, boolean draining) {
    Worker was = workers.get(place);
    workers.set(
        place,
        new Worker(
            was.name(),
            was.slots(),
            was.running() + running,
            was.backlogBytes() + backlog,
            was.memoryBytes(),
            was.cpuPercent(),
            (long) bytesPerSecond,
            was.measuredBytes() + measured,
            draining,
            was.begun() + Math.max(0, running)));
  }
}
