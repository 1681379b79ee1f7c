package io.ishbase.sim.engine;

import java.util.Arrays;
import java.util.concurrent.CancellationException;

/**
 * Virtual time, which jumps from event to event. Events of one time happen in the order in which
 * they were planned, so a run is the same each time. For one thread.
 */
public final class EventLoop {
  /**
   * Something that happens once it is due. Planned again and again, so that nothing is allocated.
   */
  public static final class Timer {
    private static final int IDLE = -1;

    private final Runnable action;
    private long at;
    private long order;

    /** Place in the heap. */
    private int place = IDLE;

    public Timer(Runnable action) {
      this.action = action;
    }
  }

  /** Whether the thread is interrupted is asked so rarely. */
  private static final int EVENTS_BETWEEN_LOOKS = 1 << 14;

  private Timer[] heap = new Timer[64];
  private int size;
  private long now;
  private long planned;
  private long happened;

  /** Nanoseconds since the run began. */
  public long now() {
    return now;
  }

  /** Events that have happened. */
  public long events() {
    return happened;
  }

  /**
   * Plans an event; one that was planned already is moved.
   *
   * @throws IllegalArgumentException if it lies in the past
   */
  public void at(long nanos, Timer timer) {
    if (nanos < now) {
      throw new IllegalArgumentException("An event at " + nanos + " when it is " + now);
    }
    cancel(timer);
    timer.at = nanos;
    timer.order = planned++;
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, 2 * size);
    }
    up(size++, timer);
  }

  /** Plans an event so many nanoseconds from now. */
  public void in(long nanos, Timer timer) {
    at(now + nanos, timer);
  }

  /** Takes back what was planned; nothing if it was not. */
  public void cancel(Timer timer) {
    int place = timer.place;
    if (place == Timer.IDLE) {
      return;
    }
    timer.place = Timer.IDLE;
    Timer last = heap[--size];
    if (place < size) {
      down(place, last);
      if (last.place == place) {
        up(place, last);
      }
    }
  }

  /**
   * Lets the next event happen; false if none is planned.
   *
   * @throws CancellationException soon after this thread was interrupted
   */
  public boolean step() {
    if (size == 0) {
      return false;
    }
    if (happened % EVENTS_BETWEEN_LOOKS == 0 && Thread.currentThread().isInterrupted()) {
      throw new CancellationException("Interrupted at event " + happened);
    }
    Timer next = heap[0];
    cancel(next);
    now = next.at;
    happened++;
    next.action.run();
    return true;
  }

  private void up(int from, Timer timer) {
    int place = from;
    while (place > 0) {
      int parent = (place - 1) / 2;
      if (!isBefore(timer, heap[parent])) {
        break;
      }
      set(place, heap[parent]);
      place = parent;
    }
    set(place, timer);
  }

  private void down(int from, Timer timer) {
    int place = from;
    while (2 * place + 1 < size) {
      int child = 2 * place + 1;
      if (child + 1 < size && isBefore(heap[child + 1], heap[child])) {
        child++;
      }
      if (!isBefore(heap[child], timer)) {
        break;
      }
      set(place, heap[child]);
      place = child;
    }
    set(place, timer);
  }

  private void set(int place, Timer timer) {
    heap[place] = timer;
    timer.place = place;
  }

  private static boolean isBefore(Timer a, Timer b) {
    return a.at < b.at || a.at == b.at && a.order < b.order;
  }
}
