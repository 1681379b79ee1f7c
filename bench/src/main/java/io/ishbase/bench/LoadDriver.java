package io.ishbase.bench;

import io.ishbase.cluster.NetworkRig;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * Runs loads and measures them in windows.
 *
 * <p>Closed loop: each thread starts an operation when its last one ended. Open loop: operations
 * start at fixed times whatever the cluster does; the thread that is free takes the next, and
 * latency counts from the time the operation was meant to start, so that those which had to wait
 * for a stall count with their wait.
 *
 * <p>A window begins and ends with the end of an operation, at the moment at which the counters are
 * read. An operation counts in the window in which it ends: those under way when the window begins
 * count, those under way when it ends do not. What this does to the bytes is at most that of as
 * many operations as there are threads.
 */
public final class LoadDriver {
  private final Clock clock;
  private final NetworkRig rig;
  private final int threads;
  private final double perSecond;
  private final Counters processors;

  /**
   * A driver.
   *
   * @param perSecond operations that start each second, over all threads; 0: closed loop
   */
  public LoadDriver(Clock clock, NetworkRig rig, int threads, double perSecond) {
    this(clock, rig, threads, perSecond, Counters.NONE);
  }

  /**
   * The same.
   *
   * @param processors what is counted beside a variant's own counters
   */
  LoadDriver(Clock clock, NetworkRig rig, int threads, double perSecond, Counters processors) {
    this.processors = processors;
    this.clock = clock;
    this.rig = rig;
    this.threads = threads;
    this.perSecond = perSecond;
  }

  /**
   * Runs a variant for {@code leadIn}, which is discarded, and for one window. A window of an exact
   * number of operations has no lead-in.
   */
  public Sample run(Variant variant, Duration leadIn, Span window) throws IOException {
    Sample[] only = new Sample[1];
    stream(
        variant,
        leadIn,
        window,
        sample -> {
          only[0] = sample;
          return false;
        });
    return only[0];
  }

  /**
   * Runs a variant for {@code leadIn}, which is discarded, and then in windows without a gap until
   * {@code more}, called between two operations, says no.
   */
  public void stream(Variant variant, Duration leadIn, Span window, Predicate<Sample> more)
      throws IOException {
    List<Load.Client> clients = open(variant);
    Run run;
    try {
      run = new Run(variant, leadIn, window, more);
    } catch (IOException | RuntimeException e) {
      close(clients, e);
      throw e;
    }
    Workers.run(threads, worker -> run.work(clients.get(worker)));
  }

  /** One for each thread. Before anything is due: that a client is made is no part of its work. */
  private List<Load.Client> open(Variant variant) throws IOException {
    List<Load.Client> clients = new ArrayList<>(threads);
    try {
      for (int worker = 0; worker < threads; worker++) {
        clients.add(variant.load().open(worker));
      }
    } catch (IOException e) {
      close(clients, e);
      throw named(variant, e);
    } catch (RuntimeException e) {
      close(clients, e);
      throw e;
    }
    return clients;
  }

  private static void close(List<Load.Client> clients, Exception cause) {
    for (Load.Client client : clients) {
      try {
        client.close();
      } catch (IOException e) {
        cause.addSuppressed(e);
      }
    }
  }

  private static IOException named(Variant variant, Exception failure) {
    return new IOException(variant.name() + ": " + failure.getMessage(), failure);
  }

  private final class Run {
    private final Variant variant;
    private final Counters counted;
    private final Duration leadIn;
    private final Span span;
    private final Predicate<Sample> more;
    private final long startNanos;
    private final AtomicLong arrivals = new AtomicLong();
    private final AtomicLong started = new AtomicLong();
    private volatile boolean over;

    /** The current window; null while leading in. Guarded by this, as are the next three. */
    private Sample.Builder window;

    private long windowNanos;
    private NetworkRig.Traffic traffic;
    private Map<String, Double> counters;

    Run(Variant variant, Duration leadIn, Span span, Predicate<Sample> more) throws IOException {
      this.variant = variant;
      this.counted = variant.counters().and(processors);
      this.leadIn = leadIn;
      this.span = span;
      this.more = more;
      NetworkRig.Traffic traffic = rig.traffic();
      Map<String, Double> counters = counted.read();
      // After these were read: no operation of an open loop is due before.
      startNanos = clock.nanos();
      if (leadIn.isZero()) {
        begin(traffic, counters, startNanos);
      }
    }

    void work(Load.Client opened) throws Exception {
      Tally tally = new Tally();
      boolean failed = true;
      try (Load.Client client = opened) {
        while (mayStart()) {
          long start = nextStart();
          if (over) {
            break;
          }
          tally.clear();
          client.operate(tally);
          ended(clock.nanos() - start, tally);
        }
        failed = false;
      } catch (IOException e) {
        throw named(variant, e);
      } finally {
        over |= failed;
      }
    }

    private boolean mayStart() {
      return !over && (!span.isExact() || started.getAndIncrement() < span.operations());
    }

    /** Waits until the next operation is due; returns when that is or was. */
    private long nextStart() throws InterruptedException {
      if (perSecond == 0) {
        return clock.nanos();
      }
      long due = startNanos + (long) (arrivals.getAndIncrement() * 1e9 / perSecond);
      clock.sleepUntil(due);
      return due;
    }

    private synchronized void ended(long latencyNanos, Tally tally) throws IOException {
      if (over) {
        return;
      }
      if (window == null) {
        if (clock.nanos() - startNanos >= leadIn.toNanos()) {
          begin(rig.traffic(), counted.read(), clock.nanos());
        }
        return;
      }
      window.add(latencyNanos, tally);
      if (span.isOver(clock.nanos() - windowNanos, window.operations())) {
        NetworkRig.Traffic traffic = rig.traffic();
        Map<String, Double> counters = counted.read();
        long now = clock.nanos();
        Sample sample =
            window.end(
                (now - windowNanos) / 1e9, traffic.since(this.traffic), this.counters, counters);
        over = !more.test(sample);
        begin(traffic, counters, now);
      }
    }

    private void begin(NetworkRig.Traffic traffic, Map<String, Double> counters, long nanos) {
      window = new Sample.Builder();
      windowNanos = nanos;
      this.traffic = traffic;
      this.counters = counters;
    }
  }
}
