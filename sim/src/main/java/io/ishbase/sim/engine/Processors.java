package io.ishbase.sim.engine;

import java.util.ArrayDeque;

/**
 * The processors of a node. Work waits in one queue for the next that is free, in the order in
 * which it came, as calls wait for handlers. For one thread.
 */
public final class Processors {
  /** Some work; used again when it is done. */
  public static final class Work {
    private final Runnable done;
    private final EventLoop.Timer timer;
    private long nanos;
    private final Processors on;

    public Work(Processors on, Runnable done) {
      this.on = on;
      this.done = done;
      this.timer = new EventLoop.Timer(this::isDone);
    }

    /** Begins it, or lets it wait. It must not be under way. */
    public void begin(double nanosAtFullSpeed) {
      nanos = (long) Math.ceil(nanosAtFullSpeed / on.speed);
      if (on.free > 0) {
        on.free--;
        on.loop.in(nanos, timer);
      } else {
        on.waiting.add(this);
      }
    }

    private void isDone() {
      on.busyNanos += nanos;
      Work next = on.waiting.poll();
      if (next == null) {
        on.free++;
      } else {
        on.loop.in(next.nanos, next.timer);
      }
      done.run();
    }
  }

  private final EventLoop loop;
  private final double speed;
  private final ArrayDeque<Work> waiting = new ArrayDeque<>();
  private int free;
  private long busyNanos;

  /**
   * @param count how many
   * @param speed as a part of that of the processors on which costs were taken
   */
  public Processors(EventLoop loop, int count, double speed) {
    if (count < 1 || !(speed > 0)) {
      throw new IllegalArgumentException(count + " processors of speed " + speed);
    }
    this.loop = loop;
    this.free = count;
    this.speed = speed;
  }

  /** Processor time of all work that is done. */
  public long busyNanos() {
    return busyNanos;
  }
}
