package io.ishbase.plugin.trace;

import io.ishbase.core.trace.TraceBuffer;
import io.ishbase.core.trace.TraceEntry;
import io.ishbase.core.trace.TraceEntry.Keys;
import io.ishbase.core.trace.TraceText;
import io.ishbase.plugin.metrics.TraceMetrics;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes down what a region server's recorded regions are asked. Handlers put operations into a
 * buffer, and wait for nothing; one thread of ours writes them once a second. Where the file system
 * is slow, full or fails, operations are dropped and counted, and it tries again after a minute.
 *
 * <p>The file is there while a region is recorded. All but the buffer, the set of regions and the
 * start of the thread is that thread's alone.
 */
public final class AccessRecorder {
  private static final Logger LOG = LoggerFactory.getLogger(AccessRecorder.class);
  private static final long BUFFER_BYTES = 4 << 20;
  private static final int PIECE_CHARS = 1 << 16;
  private static final long TICK_MILLIS = 1000;
  private static final long RETRY_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Configuration conf;
  private final String server;
  private final long mostBytes;
  private final TraceBuffer buffer = new TraceBuffer(BUFFER_BYTES);
  private final Set<RegionRecorder> regions = ConcurrentHashMap.newKeySet();
  private @Nullable ScheduledExecutorService thread;

  private final StringBuilder text = new StringBuilder();
  private @Nullable TraceOutput output;
  private long lastMicros;

  /** Why it writes nothing, as the log has it. */
  private @Nullable String paused;

  /** When it may try again, by the nanosecond clock; null: it may. */
  private @Nullable Long retryNanos;

  /**
   * @param server HBase's name of the region server
   * @param mostBytes of all its files
   */
  public AccessRecorder(Configuration conf, String server, long mostBytes) {
    this.conf = conf;
    this.server = server;
    this.mostBytes = mostBytes;
  }

  /** A region begins to be recorded. */
  void begin(RegionRecorder region) {
    regions.add(region);
    synchronized (this) {
      if (thread == null) {
        thread =
            Executors.newSingleThreadScheduledExecutor(
                new ThreadFactoryBuilder().setDaemon(true).setNameFormat("ishbase-trace").build());
        thread.scheduleWithFixedDelay(this::tick, 0, TICK_MILLIS, TimeUnit.MILLISECONDS);
      }
    }
  }

  /** A region is recorded no more. */
  void end(RegionRecorder region) {
    regions.remove(region);
  }

  /** Takes an operation, or drops it. */
  void add(TraceEntry entry) {
    buffer.add(entry);
  }

  private void tick() {
    try {
      tick(System.nanoTime());
    } catch (RuntimeException | Error e) {
      // An executor forgets a task that throws.
      LOG.warn("Recorded operations cannot be written", e);
    }
  }

  /** Writes what waits; {@code nanos} is of a clock that only goes on. */
  void tick(long nanos) {
    boolean isLast = regions.isEmpty();
    regions.forEach(RegionRecorder::look);
    if (retryNanos != null && nanos - retryNanos >= 0) {
      retryNanos = null;
    }
    try {
      write(nanos);
      if (isLast && output != null) {
        TraceOutput closing = output;
        output = null;
        closing.close();
      }
    } catch (IOException e) {
      LOG.debug("Recorded operations cannot be written", e);
      pause(nanos, "Recorded operations cannot be written: " + e.getClass().getName());
    }
  }

  private void write(long nanos) throws IOException {
    long taken = 0;
    boolean isWritten = false;
    for (TraceEntry entry = buffer.take(); entry != null; entry = buffer.take()) {
      // Threads overtake one another between the clock and the buffer.
      lastMicros = Math.max(lastMicros, entry.micros());
      TraceText.append(text, entry.at(lastMicros), Keys.ROWS);
      taken++;
      if (text.length() >= PIECE_CHARS) {
        isWritten |= writePiece(taken, nanos);
        taken = 0;
      }
    }
    long dropped = buffer.takeDropped();
    if (dropped > 0) {
      TraceMetrics.get().dropped(dropped);
      text.append(TraceText.COMMENT).append("dropped ").append(dropped).append('\n');
    }
    isWritten |= writePiece(taken, nanos);
    TraceOutput written = output;
    if (isWritten && written != null) {
      written.flush();
    }
  }

  /** Writes {@code text}, which has so many operations, or drops them. */
  private boolean writePiece(long operations, long nanos) throws IOException {
    if (text.length() == 0) {
      return false;
    }
    boolean isWritten = false;
    try {
      TraceOutput to = retryNanos == null ? open(nanos) : null;
      isWritten = to != null && to.write(text);
      if (to != null && !isWritten) {
        pause(nanos, full());
      }
    } finally {
      if (isWritten) {
        TraceMetrics.get().recorded(operations, text.length());
      } else {
        TraceMetrics.get().dropped(operations);
      }
      text.setLength(0);
    }
    return isWritten;
  }

  private @Nullable TraceOutput open(long nanos) throws IOException {
    if (output == null) {
      Path root = CommonFSUtils.getRootDir(conf);
      // A handler started the thread, perhaps while it worked as another user.
      FileSystem fs = User.runAsLoginUser(() -> root.getFileSystem(conf));
      output = TraceOutput.open(fs, root, server, mostBytes, text.length());
      if (output == null) {
        pause(nanos, full());
      } else {
        paused = null;
        LOG.info("Operations are recorded in {}", output.file());
      }
    }
    return output;
  }

  private String full() {
    return "Recorded operations have no room left: the files of this server in "
        + TraceOutput.DIRECTORY
        + " below the HBase root may take "
        + mostBytes
        + " bytes (ishbase.trace.bytes); fetch and delete them, or switch ishbase.trace off";
  }

  /** Writes nothing for a while. */
  private void pause(long nanos, String why) {
    if (!why.equals(paused)) {
      paused = why;
      LOG.warn("{}. Operations are dropped; it tries again each minute", why);
    }
    retryNanos = nanos + RETRY_NANOS;
    TraceOutput closing = output;
    output = null;
    if (closing != null) {
      try {
        closing.close();
      } catch (IOException e) {
        LOG.debug("{} cannot be closed", closing.file(), e);
      }
    }
  }
}
