package io.ishbase.plugin.node;

import io.ishbase.core.LineMeter;
import io.ishbase.protocol.Packing;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
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

  /** Who answered last since the line was probed; null: nobody. */
  private final AtomicReference<ServerName> lastAnswered = new AtomicReference<>();

  private volatile boolean wasShort;

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

  /** {@code daemon} sent an answer of that size. */
  void received(ServerName daemon, int bytes) {
    if (measures) {
      meter.received(bytes, System.nanoTime());
      lastAnswered.lazySet(daemon);
    }
  }

  /** What the line carries at least, in bytes a second; 0: not known. */
  long lineBytesPerSecond() {
    return (long) meter.bytesPerSecond();
  }

  /**
   * Probes the line from now on, as long as answers come.
   *
   * @param probe asks a daemon for an answer of so many bytes and gives the nanoseconds it took
   * @param timer does not wait for anything
   */
  void measure(
      BiFunction<ServerName, Integer, CompletableFuture<Long>> probe,
      ScheduledExecutorService timer) {
    if (measures) {
      next(probe, timer);
    }
  }

  private void next(
      BiFunction<ServerName, Integer, CompletableFuture<Long>> probe,
      ScheduledExecutorService timer) {
    timer.schedule(
        () -> {
          ServerName daemon = lastAnswered.getAndSet(null);
          if (daemon == null) {
            next(probe, timer);
            return;
          }
          probe
              .apply(daemon, 0)
              .thenCompose(
                  empty ->
                      probe
                          .apply(daemon, LineMeter.PROBE_BYTES)
                          .thenAccept(full -> probed(daemon, empty, full)))
              .whenComplete(
                  (nothing, failure) -> {
                    if (failure != null) {
                      LOG.debug("The line to {} is not measured", daemon, failure);
                    }
                    next(probe, timer);
                  });
        },
        meter.pauseNanos(),
        TimeUnit.NANOSECONDS);
  }

  private void probed(ServerName daemon, long emptyNanos, long fullNanos) {
    meter.probed(emptyNanos, fullNanos);
    boolean isShort = meter.isShort();
    if (isShort != wasShort) {
      wasShort = isShort;
      LOG.info(
          "The line to {} carries {} MB/s: answers come {}",
          daemon,
          Math.round(meter.bytesPerSecond() / 1e6),
          isShort ? "packed" : "as they are");
    }
  }
}
