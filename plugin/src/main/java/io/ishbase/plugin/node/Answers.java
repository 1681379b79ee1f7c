package io.ishbase.plugin.node;

import io.ishbase.core.LineMeter;
import io.ishbase.protocol.Packing;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.ServerName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether storage daemons are asked for packed answers: always, never, or while the line between
 * them and this region server is short. Thread safe.
 */
final class Answers {
  private static final Logger LOG = LoggerFactory.getLogger(Answers.class);

  private final boolean packs;
  private final boolean measures;
  private final LineMeter meter = new LineMeter();

  /** Whether reads came since the line was probed that answers may be wanted for. */
  private volatile boolean isUsed;

  private volatile boolean wasShort;

  /** What it carries while it is short, in bytes a second; else 0. */
  private volatile double shortLine;

  private Answers(boolean packs, boolean measures) {
    this.packs = packs;
    this.measures = measures;
  }

  /** By the setting {@code ishbase.answer.compression}. */
  static Answers of(String compression) {
    if (!Packing.isAvailable()) {
      if (compression.equals("zstd")) {
        LOG.warn("Zstandard's library does not load: answers of storage daemons come as they are");
      }
      return new Answers(false, false);
    }
    return new Answers(compression.equals("zstd"), compression.equals("auto"));
  }

  /** Whether the next answer is to come packed. */
  boolean pack() {
    return packs || measures && wasShort;
  }

  /** A read came that answers might be wanted for, were the line as it should be. */
  void used() {
    if (measures && !isUsed) {
      isUsed = true;
    }
  }

  /** An answer of that size came. */
  void received(int bytes) {
    if (measures) {
      meter.received(bytes, System.nanoTime());
      isUsed = true;
    }
  }

  /** What the line carries at least, in bytes a second; 0: not known. */
  long lineBytesPerSecond() {
    return (long) meter.bytesPerSecond();
  }

  /** How long a short line takes for so many bytes, in nanoseconds; 0: it is not short. */
  long lineNanos(long bytes) {
    double carried = shortLine;
    return carried > 0 ? (long) (bytes * 1e9 / carried) : 0;
  }

  /**
   * Probes the line from now on, as long as there are reads.
   *
   * @param daemons of which any may be asked
   * @param probe asks a daemon for an answer of so many bytes and gives the nanoseconds it took
   * @param changed told when reads may have become dearer or cheaper by much
   * @param timer does not wait for anything
   */
  void measure(
      Supplier<List<ServerName>> daemons,
      BiFunction<ServerName, Integer, CompletableFuture<Long>> probe,
      Runnable changed,
      ScheduledExecutorService timer) {
    if (!measures) {
      return;
    }
    Runnable again = () -> measure(daemons, probe, changed, timer);
    timer.schedule(
        () -> {
          List<ServerName> all = isUsed ? daemons.get() : List.of();
          isUsed = false;
          if (all.isEmpty()) {
            again.run();
            return;
          }
          ServerName daemon = all.get(ThreadLocalRandom.current().nextInt(all.size()));
          int bytes = meter.probeBytes();
          probe
              .apply(daemon, 0)
              .thenCompose(
                  empty ->
                      probe
                          .apply(daemon, bytes)
                          .thenAccept(full -> probed(daemon, bytes, empty, full, changed)))
              .whenComplete(
                  (nothing, failure) -> {
                    if (failure != null) {
                      LOG.debug("The line to {} is not measured", daemon, failure);
                    }
                    again.run();
                  });
        },
        meter.pauseNanos(),
        TimeUnit.NANOSECONDS);
  }

  private void probed(
      ServerName daemon, int bytes, long emptyNanos, long fullNanos, Runnable changed) {
    boolean hasChanged = meter.probed(bytes, emptyNanos, fullNanos, System.nanoTime());
    boolean isShort = meter.isShort();
    shortLine = isShort ? meter.bytesPerSecond() : 0;
    if (isShort != wasShort) {
      wasShort = isShort;
      LOG.info(
          "The line to {} carries {} MB/s: answers come {}",
          daemon,
          Math.round(meter.bytesPerSecond() / 1e6),
          isShort ? "packed" : "as they are");
    }
    if (hasChanged) {
      changed.run();
    }
  }
}
