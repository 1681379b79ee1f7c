package io.ishbase.cluster;

import java.io.Closeable;
import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * A progress bar with the time left. On a terminal it redraws one line; elsewhere it prints a plain
 * line now and then. Thread-safe.
 */
public final class Progress implements Closeable {
  private static final int BAR_CELLS = 24;
  private static final long REDRAW_MILLIS = 200;
  private static final long PLAIN_LINE_MILLIS = 10_000;
  private static final boolean TERMINAL = System.console() != null;
  private static final ScheduledExecutorService CLOCK =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "progress");
            thread.setDaemon(true);
            return thread;
          });

  private static volatile Supplier<String> behindAll = () -> "";

  private final PrintStream out = System.err;
  private final String label;
  private final long total;
  private final AtomicLong done = new AtomicLong();
  private final long startNanos = System.nanoTime();
  private final ScheduledFuture<?> ticks;
  private volatile String note = "";
  private boolean closed;

  /**
   * Starts one.
   *
   * @param label what is being done
   * @param total steps that will be reported; 0 or less if unknown
   */
  public Progress(String label, long total) {
    this.label = label;
    this.total = total;
    long every = TERMINAL ? REDRAW_MILLIS : PLAIN_LINE_MILLIS;
    ticks =
        CLOCK.scheduleAtFixedRate(this::draw, TERMINAL ? 0 : every, every, TimeUnit.MILLISECONDS);
  }

  /** A bar that time alone moves. */
  public static Progress ofSeconds(String label, double seconds) {
    Progress progress = new Progress(label, Math.max(1, Math.round(seconds * 1000)));
    progress.timed = true;
    return progress;
  }

  private volatile boolean timed;

  /** Sets what stands at the end of every bar from now on. */
  public static void behindAll(Supplier<String> words) {
    behindAll = words;
  }

  /** Reports that {@code steps} more are done. */
  public void add(long steps) {
    done.addAndGet(steps);
  }

  /** Sets the few words that stand behind the bar. */
  public void note(String words) {
    note = words;
  }

  private synchronized void draw() {
    if (closed) {
      return;
    }
    if (TERMINAL) {
      // No line break at the right edge: what does not fit is cut.
      out.print("\r\033[K\033[?7l" + line() + "\033[?7h");
      out.flush();
    } else {
      out.println(line());
    }
  }

  private String line() {
    double seconds = seconds();
    double share = 0;
    if (total > 0) {
      share = Math.min(1, (double) (timed ? (long) (seconds * 1000) : done.get()) / total);
    }
    int filled = (int) (share * BAR_CELLS);
    String bar =
        total > 0
            ? "["
                + "#".repeat(filled)
                + ".".repeat(BAR_CELLS - filled)
                + "] "
                + String.format(Locale.ROOT, "%3.0f %%", share * 100)
            : done.get() + "";
    String left =
        share > 0.01 && share < 1 ? "  " + clock(seconds / share - seconds) + " left" : "";
    return String.format(Locale.ROOT, "%-38s %s%s%s  %s", label, bar, left, behindAll.get(), note);
  }

  private double seconds() {
    return (System.nanoTime() - startNanos) / 1e9;
  }

  /** Seconds in words, {@code 7 s} or {@code 1:05 min}. */
  public static String clock(double seconds) {
    long whole = Math.round(seconds);
    return whole < 60
        ? whole + " s"
        : String.format(Locale.ROOT, "%d:%02d min", whole / 60, whole % 60);
  }

  /** Ends the bar with a line that says how long it took. */
  public synchronized void done() {
    done(note);
  }

  /** Ends the bar with a line that says how long it took, and {@code result}. */
  public synchronized void done(String result) {
    if (closed) {
      return;
    }
    close();
    out.println(
        String.format(
            Locale.ROOT,
            "%-38s %s%s",
            label,
            clock(seconds()),
            result.isEmpty() ? "" : "  " + result));
  }

  /** Ends the bar without a word. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      ticks.cancel(false);
      if (TERMINAL) {
        out.print("\r\033[K");
        out.flush();
      }
    }
  }
}
