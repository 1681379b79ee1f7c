package io.ishbase.daemon.compaction;

import static java.util.Objects.requireNonNull;

import io.ishbase.core.Silence;
import io.ishbase.core.compaction.ProcessorBudget;
import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.Spans;
import io.ishbase.protocol.generated.CompactionProtos.Attempt;
import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.ishbase.protocol.generated.CompactionProtos.CompactionState;
import io.ishbase.protocol.generated.CompactionProtos.MobCells;
import io.ishbase.protocol.generated.CompactionProtos.ProgressResponse;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.opentelemetry.api.trace.Span;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.hadoop.hdfs.protocol.QuotaExceededException;
import org.apache.hadoop.hdfs.server.namenode.SafeModeException;
import org.apache.hadoop.ipc.RemoteException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt at a compaction. Its region server asks after it at least once in its lease; when it
 * does not, or says so, the attempt is cancelled. What it has written it deletes itself, unless it
 * has told the region server of it: from then on that is the region server's. A region server that
 * gives up on an attempt deletes the directory, and then no write into it succeeds.
 *
 * <p>One thread runs it, once, and has {@code compaction}, null from the end on; {@code state},
 * {@code refusal}, {@code newFiles}, {@code told} and {@code thread}, null unless it may be
 * interrupted, are guarded by this.
 */
final class CompactionJob implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(CompactionJob.class);
  private static final Silence FAILURES =
      new Silence(TimeUnit.SECONDS.toNanos(1), System.nanoTime());

  private static final long HEARD_MILLIS = 3_000;

  // Only what is small: an attempt is known for some time behind its end, and there may be many.
  private final String name;
  private final String caller;
  private final String regionServer;
  private final String store;
  private final int files;
  private final long bytes;
  private final AttemptOutput output;
  private @Nullable StoreCompaction compaction;
  private volatile @Nullable MobCells mobCells;
  private final JobThrottle throttle;
  private final ClockCheck clocks;
  private final long leaseNanos;
  private final CountDownLatch ended = new CountDownLatch(1);

  /** Open once somebody was told that it has ended without a result. */
  private final CountDownLatch heard = new CountDownLatch(1);

  /** A part of the request that it was asked for with. */
  private volatile Span span = Span.getInvalid();

  private final long startNanos = System.nanoTime();
  private volatile boolean cancelled;
  private volatile long askedNanos = startNanos;
  private volatile long totalCells;
  private volatile LongSupplier readBytes = () -> 0;
  private CompactionState state = CompactionState.RUNNING;
  private @Nullable RequestException refusal;
  private List<String> newFiles = List.of();
  private boolean told;
  private @Nullable Thread thread;
  private long sweptActivity = -1;

  CompactionJob(
      CompactRequest request,
      StoreCompaction compaction,
      String caller,
      ProcessorBudget budget,
      ClockCheck clocks,
      int leaseMillis) {
    this.caller = caller;
    this.clocks = clocks;
    this.leaseNanos = TimeUnit.MILLISECONDS.toNanos(leaseMillis);
    this.name = request.getAttempt();
    this.regionServer = request.getRegionServer();
    this.store = compaction.store();
    this.files = request.getFileCount();
    this.bytes = request.getBytes();
    this.output = compaction.output();
    this.compaction = compaction;
    this.throttle =
        new JobThrottle(
            budget, request.getMaxBytesPerSecond(), request.getPressure(), () -> !cancelled);
  }

  /** It will be run: traces have it from here on. To be called by who asked for it. */
  void accepted() {
    span = Spans.begin("Issn.compact");
  }

  @Override
  public void run() {
    try {
      end(CompactionState.DONE, null, compact());
    } catch (IOException | RuntimeException | InternalError e) {
      RequestException reason =
          cancelled
              ? new RequestException(Code.STOPPING, "Cancelled")
              : isRefusedByHdfs(e)
                  ? new RequestException(Code.STORAGE, e.toString(), e)
                  : RequestException.classified(describe(), e);
      if (!cancelled) {
        warn(reason);
      }
      output.delete();
      end(CompactionState.ENDED, reason, List.of());
    } catch (Error e) {
      // Of a codec that is not here, say. What is fatal ends the daemon, which keeps nothing.
      output.delete();
      // Of what takes more memory than there is the next worker would die, too.
      boolean isMemory = e instanceof OutOfMemoryError;
      Code code = isMemory ? Code.STORAGE : Code.FAILED;
      end(CompactionState.ENDED, new RequestException(code, e.toString(), e), List.of());
      if (isMemory) {
        awaitHeard();
      }
      throw e;
    }
  }

  /** The error ends the daemon: whoever waits for the answer should have it before. */
  private void awaitHeard() {
    try {
      if (heard.await(HEARD_MILLIS, TimeUnit.MILLISECONDS)) {
        // It is on its way now.
        TimeUnit.MILLISECONDS.sleep(HEARD_MILLIS / 10);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whoever asks for what cannot be done may do so all the time. */
  private void warn(RequestException reason) {
    long silent = FAILURES.next(System.nanoTime());
    if (silent >= 0) {
      LOG.warn(
          "Cannot compact {}{}",
          describe(),
          silent == 0 ? "" : "; nor " + silent + " others since one was said",
          reason);
    } else {
      LOG.debug("Cannot compact {}", describe(), reason);
    }
  }

  private List<String> compact() throws IOException {
    readBytes = ThreadReads.ofCallingThread();
    mayBeInterrupted(Thread.currentThread());
    try {
      StoreCompaction once = requireNonNull(compaction, "it is run once");
      List<String> written = once.run(throttle, () -> !cancelled, cells -> totalCells = cells);
      mobCells = once.mobCells();
      // Had it jumped since the request, cells might be dropped that have not expired.
      clocks.check();
      return written;
    } finally {
      compaction = null;
      mayBeInterrupted(null);
      // With the flag up, what was written could not be deleted.
      Thread.interrupted();
    }
  }

  private synchronized void mayBeInterrupted(@Nullable Thread newThread) {
    thread = newThread;
  }

  private void end(
      CompactionState newState, @Nullable RequestException reason, List<String> written) {
    synchronized (this) {
      LOG.info(
          "Compaction of {}: {} -> {}{}, {} cells, {} bytes, {} blocks copied, in {} ms, of which"
              + " {} held back",
          describe(),
          state,
          newState,
          reason == null ? "" : " (" + reason.getMessage() + ")",
          throttle.cells(),
          throttle.bytes(),
          throttle.copiedBlocks(),
          ageMillis(),
          throttle.heldBackMillis());
      state = newState;
      refusal = reason;
      newFiles = written;
    }
    span.setAttribute(Spans.FILES, files)
        .setAttribute(Spans.BYTES, bytes)
        .setAttribute(Spans.CELLS, throttle.cells())
        .setAttribute(Spans.HELD_BACK, throttle.heldBackMillis());
    Spans.failed(span, reason);
    span.end();
    ended.countDown();
  }

  /** What another worker would be refused, too. */
  private static boolean isRefusedByHdfs(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      Throwable known = cause instanceof RemoteException e ? e.unwrapRemoteException() : cause;
      if (known instanceof QuotaExceededException || known instanceof SafeModeException) {
        return true;
      }
    }
    return false;
  }

  /** Makes it end soon, without a result. */
  void cancel() {
    cancelled = true;
  }

  /**
   * Cancels, and when it is called again and nothing has happened since, wakes the thread: it waits
   * for the file system and would not notice for as long as that hangs. One that is at work is not
   * interrupted, for that would close files that HDFS shares with other readers. Called by the
   * sweeper alone.
   */
  void cancelOrWake() {
    cancel();
    long now = activity();
    synchronized (this) {
      if (thread != null && now == sweptActivity) {
        thread.interrupt();
      }
    }
    sweptActivity = now;
  }

  private long activity() {
    return throttle.steps() + readBytes.getAsLong();
  }

  /** Takes note that the region server wants it to go on, at that rate and with that pressure. */
  void askedFor(long maxBytesPerSecond, double pressure) {
    askedNanos = System.nanoTime();
    throttle.limit(maxBytesPerSecond, pressure);
  }

  /** Waits until it has ended, at the longest so long. */
  void await(long millis) throws InterruptedException {
    ended.await(millis, TimeUnit.MILLISECONDS);
  }

  boolean hasEnded() {
    return ended.getCount() == 0;
  }

  /** Whether nobody has asked after it for longer than its lease. */
  boolean isForgotten() {
    return System.nanoTime() - askedNanos > leaseNanos;
  }

  /** Deletes a result of which the region server was not told. */
  void discard() {
    synchronized (this) {
      if (told || state != CompactionState.DONE) {
        return;
      }
      state = CompactionState.ENDED;
      refusal = new RequestException(Code.STOPPING, "Nobody asked for the result");
    }
    output.delete();
  }

  /** What the region server is told. */
  synchronized ProgressResponse tell() {
    told |= state == CompactionState.DONE;
    if (state == CompactionState.ENDED) {
      heard.countDown();
    }
    return progress();
  }

  synchronized ProgressResponse progress() {
    ProgressResponse.Builder answer =
        ProgressResponse.newBuilder()
            .setState(state)
            .setCells(throttle.cells())
            .setTotalCells(totalCells)
            .setBytes(throttle.bytes())
            .setActivity(activity())
            .setHeldBackMillis(throttle.heldBackMillis())
            .addAllOutput(newFiles);
    MobCells moved = mobCells;
    if (state == CompactionState.DONE && moved != null) {
      answer.setMobCells(moved);
    }
    if (refusal != null) {
      answer.setCode(refusal.code()).setMessage(String.valueOf(refusal.getMessage()));
    }
    return answer.build();
  }

  Attempt attempt() {
    return Attempt.newBuilder()
        .setAttempt(name)
        .setStore(store)
        .setRegionServer(regionServer)
        .setFiles(files)
        .setBytes(bytes)
        .setAgeMillis(ageMillis())
        .setProgress(progress())
        .build();
  }

  long ageMillis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
  }

  /**
   * Bytes of the files that are not compacted yet: by the share of the cells that are, or, where
   * few of them are left, by what was read.
   */
  long backlogBytes() {
    long total = totalCells;
    double byCells = total == 0 ? 1 : Math.max(0, 1 - (double) throttle.cells() / total);
    return Math.min((long) (bytes * byCells), Math.max(0, bytes - readBytes.getAsLong()));
  }

  /** Blocks that were copied as they lay. */
  long copiedBlocks() {
    return throttle.copiedBlocks();
  }

  String name() {
    return name;
  }

  /** Who asked for it. */
  String caller() {
    return caller;
  }

  /** Bytes of the files that it compacts. */
  long bytes() {
    return bytes;
  }

  synchronized boolean isDone() {
    return state == CompactionState.DONE;
  }

  private String describe() {
    return store + ", attempt " + name + " of " + regionServer;
  }
}
