package io.ishbase.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Which reads of many threads share a request to one daemon. While few requests are under way a
 * read goes at once, alone. Else it waits, for no longer than until one of them is answered or
 * enough reads wait for a full request, and goes with all that wait then. There is no timer: a
 * request forms while others are under way.
 *
 * <p>How many reads share a request follows the daemon's answers. One that begins only the first of
 * them, because these took long, gets no more than it began the next time; each {@link
 * #GROWS_AFTER} requests that were answered whole add one. Where rows are slow, because a disk
 * turns for each, requests thus shrink to a read and all go at once: the daemon then waits for many
 * disks together.
 *
 * <p>Invariant: a read waits only while a request is under way. The thread that adds one looks
 * behind it whether few are under way; whoever takes one away looks behind that whether reads wait.
 * Of the two the later sees what the other did. Thread safe, without locks.
 *
 * @param <R> what is sent of a read
 */
public final class Sharing<R extends Sharing.Read> {
  private static final int GROWS_AFTER = 16;

  /** What waits to be sent. */
  public interface Read {
    /** Whether it is still to be sent. If so, it is being sent from now on. */
    boolean begin();
  }

  private final int few;
  private final int most;

  /** Sends reads as one request and does not wait; {@link #ended} follows once, for each call. */
  private final Consumer<List<R>> sender;

  private final Queue<R> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waitingCount = new AtomicInteger();
  private final AtomicInteger underWay = new AtomicInteger();

  /** What a request may have by the daemon's answers; a lost update costs nothing. */
  private volatile int pace;

  private volatile int wholeAnswers;

  /**
   * @param few requests; while fewer are under way a read goes at once
   * @param most reads of one request
   * @param sender sends them, at once; then calls {@link #ended}, from whatever thread
   */
  public Sharing(int few, int most, Consumer<List<R>> sender) {
    this.few = few;
    this.most = most;
    this.sender = sender;
    this.pace = most;
  }

  /** Sends the read now, or with others. Does not wait. */
  public void send(R read) {
    if (waiting.isEmpty() && begin()) {
      if (read.begin()) {
        sender.accept(List.of(read));
      } else {
        ended();
      }
      return;
    }
    waiting.add(read);
    if (waitingCount.incrementAndGet() >= pace) {
      underWay.incrementAndGet();
      sendOrEnd();
    }
    sendWaiting();
  }

  /** A request is not under way any more, however it ended. */
  public void ended() {
    underWay.decrementAndGet();
    sendWaiting();
  }

  /** The daemon began so many reads of a shared request, of that many. */
  public void began(int begun, int asked) {
    if (begun < asked) {
      wholeAnswers = 0;
      pace = Math.max(1, begun);
    } else if (pace < most && ++wholeAnswers >= GROWS_AFTER) {
      wholeAnswers = 0;
      pace = Math.min(most, pace + 1);
    }
  }

  /** A shared request is to have so many reads at most, by their size. */
  public void limit(int reads) {
    if (reads < pace) {
      pace = Math.max(1, reads);
    }
  }

  /** Reads that wait to be sent. */
  public int waiting() {
    return waitingCount.get();
  }

  /** Requests that were sent and have not ended. */
  public int underWay() {
    return underWay.get();
  }

  private boolean begin() {
    for (int now = underWay.get(); now < few; now = underWay.get()) {
      if (underWay.compareAndSet(now, now + 1)) {
        return true;
      }
    }
    return false;
  }

  private void sendWaiting() {
    while (!waiting.isEmpty() && begin()) {
      sendOrEnd();
    }
  }

  /** Sends what waits as a request that is counted already. */
  private void sendOrEnd() {
    List<R> reads = take();
    if (reads.isEmpty()) {
      underWay.decrementAndGet();
    } else {
      sender.accept(reads);
    }
  }

  private List<R> take() {
    List<R> taken = new ArrayList<>();
    while (taken.size() < Math.max(1, pace)) {
      R read = waiting.poll();
      if (read == null) {
        break;
      }
      waitingCount.decrementAndGet();
      if (read.begin()) {
        taken.add(read);
      }
    }
    return taken;
  }
}
