package io.ishbase.sim.engine;

import java.util.PriorityQueue;

/**
 * One direction of a line. All transfers under way share it alike, as connections of TCP nearly do;
 * each ends when its share of the bandwidth's integral is its size. For one thread.
 *
 * <p>Instead of counting down every transfer, the link counts what one that began with it would
 * have got by now; each transfer knows at which count it ends.
 */
public final class Link {
  /** Some bytes on their way; used again when it has ended. */
  public static final class Transfer implements Comparable<Transfer> {
    private final Runnable ended;
    private double endsAt;
    private long order;
    private long bytes;

    public Transfer(Runnable ended) {
      this.ended = ended;
    }

    /** It has arrived. */
    void end() {
      ended.run();
    }

    @Override
    public int compareTo(Transfer other) {
      int ends = Double.compare(endsAt, other.endsAt);
      return ends != 0 ? ends : Long.compare(order, other.order);
    }
  }

  private final EventLoop loop;
  private final EventLoop.Timer timer = new EventLoop.Timer(this::next);
  private final PriorityQueue<Transfer> underWay = new PriorityQueue<>();
  private Bandwidth bandwidth;

  /** Bits that one transfer got since the line was idle last. */
  private double share;

  private long countedTo;
  private long begun;
  private long bytes;
  private long busyNanos;

  public Link(EventLoop loop, Bandwidth bandwidth) {
    this.loop = loop;
    this.bandwidth = bandwidth;
  }

  /** Begins a transfer. It must not be under way. */
  public void send(Transfer transfer, long size) {
    count();
    transfer.bytes = size;
    transfer.endsAt = share + 8.0 * size;
    transfer.order = begun++;
    underWay.add(transfer);
    plan();
  }

  /** The line carries something else from now on. */
  public void become(Bandwidth other) {
    count();
    bandwidth = other;
    plan();
  }

  /** Megabits a second now, for all transfers together. */
  public double mbps() {
    return bandwidth.mbps(loop.now());
  }

  /** Bytes of transfers that have ended. */
  public long bytes() {
    return bytes;
  }

  /** Transfers under way. */
  public int underWay() {
    return underWay.size();
  }

  /** Time in which there was something to carry. */
  public long busyNanos() {
    count();
    return busyNanos;
  }

  private void count() {
    long now = loop.now();
    if (!underWay.isEmpty()) {
      share += bandwidth.bits(countedTo, now) / underWay.size();
      busyNanos += now - countedTo;
    } else {
      share = 0;
    }
    countedTo = now;
  }

  private void plan() {
    Transfer first = underWay.peek();
    if (first != null) {
      double bits = (first.endsAt - share) * underWay.size();
      loop.at(bandwidth.when(loop.now(), Math.max(0, bits)), timer);
    }
  }

  private void next() {
    count();
    Transfer first = underWay.remove();
    // Times are whole nanoseconds: it has got a little more than it needs, or by rounding less.
    bytes += first.bytes;
    plan();
    first.end();
  }
}
