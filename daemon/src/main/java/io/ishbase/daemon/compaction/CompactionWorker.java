package io.ishbase.daemon.compaction;

import io.ishbase.core.compaction.ProcessorBudget;
import io.ishbase.daemon.rpc.RequestException;
import io.ishbase.protocol.Recurring;
import io.ishbase.protocol.WriterSettings;
import io.ishbase.protocol.generated.CompactionProtos.Attempt;
import io.ishbase.protocol.generated.CompactionProtos.CompactRequest;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.WorkerInfo;
import java.io.Closeable;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;

/**
 * The compactions that this daemon carries out: as many at once as it has slots, none waiting.
 * Those whose region server has gone are cancelled, and forgotten once they have ended.
 */
public final class CompactionWorker implements Closeable {
  private static final long SWEEP_MILLIS = 500;
  private static final long SAMPLE_MILLIS = 250;

  /**
   * A region server asks after an attempt every ten seconds at least, whatever lease it names.
   * Nobody's slot is kept much longer than that for a caller that is gone.
   */
  private static final int MAX_LEASE_MILLIS = 60_000;

  /** Attempts that it knows, most of which have ended: as many as it might begin in a lease. */
  private static final int MAX_ATTEMPTS = 10_000;

  /** Of one caller: what cannot be done ends at once, and others are to have their part. */
  private static final int MAX_ATTEMPTS_OF_CALLER = MAX_ATTEMPTS / 5;

  private final Configuration conf;
  private final FileSystem fs;
  private final Path root;
  private final int slots;
  private final FairSlots taken;
  private final long memoryBytes;
  private final RemoteCache cache;
  private final ProcessorBudget budget;
  private final Runnable changed;
  private final Map<String, CompactionJob> jobs = new ConcurrentHashMap<>();

  /** How many of {@code jobs} each caller has asked for. */
  private final Map<String, Integer> known = new ConcurrentHashMap<>();

  private final AtomicLong begun = new AtomicLong();
  private final AtomicLong copiedBlocks = new AtomicLong();
  private final MeasuredSpeed speed = new MeasuredSpeed(System::nanoTime);
  private final ExecutorService threads;
  private final ScheduledExecutorService sweeper;
  private volatile boolean stopping;
  private volatile boolean draining;

  /**
   * Carries out compactions.
   *
   * @param slots compactions at once at most; 0: none
   * @param memoryBytes for the files that they work on; 0: they are not bounded by it
   * @param cacheBytes for what they have written; 0: nothing is kept
   * @param leastShare of the processors that compactions get however busy these are, 0 to 1
   * @param changed is called when a compaction begins or ends, or the worker is drained
   */
  public CompactionWorker(
      Configuration conf,
      FileSystem fs,
      Path root,
      int slots,
      long memoryBytes,
      long cacheBytes,
      double leastShare,
      Runnable changed) {
    this(
        conf,
        fs,
        root,
        slots,
        memoryBytes,
        cacheBytes,
        leastShare,
        changed,
        Executors.newCachedThreadPool(daemonThreads("issn-compaction")));
  }

  /** The same, with threads that end with it. */
  CompactionWorker(
      Configuration conf,
      FileSystem fs,
      Path root,
      int slots,
      long memoryBytes,
      long cacheBytes,
      double leastShare,
      Runnable changed,
      ExecutorService threads) {
    this.conf = WriterSettings.without(conf);
    this.fs = fs;
    this.root = root;
    this.slots = slots;
    this.taken = new FairSlots(slots);
    this.memoryBytes = memoryBytes;
    this.cache = new RemoteCache(cacheBytes);
    this.budget =
        new ProcessorBudget(
            Runtime.getRuntime().availableProcessors(),
            leastShare,
            CompactionWorker::processorLoad,
            CompactionWorker::compilerNanos,
            taken::running,
            System::nanoTime);
    this.changed = changed;
    this.threads = threads;
    this.sweeper = Executors.newSingleThreadScheduledExecutor(daemonThreads("issn-sweeper"));
    sweeper.scheduleWithFixedDelay(
        new Recurring(this::sweep), SWEEP_MILLIS, SWEEP_MILLIS, TimeUnit.MILLISECONDS);
    sweeper.scheduleWithFixedDelay(
        new Recurring(budget::sample), SAMPLE_MILLIS, SAMPLE_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Share of the processors that was busy since the last call; negative if it is not known. */
  private static double processorLoad() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean machine
        ? machine.getCpuLoad()
        : -1;
  }

  private static long compilerNanos() {
    CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    return compiler != null && compiler.isCompilationTimeMonitoringSupported()
        ? TimeUnit.MILLISECONDS.toNanos(compiler.getTotalCompilationTime())
        : 0;
  }

  private static ThreadFactory daemonThreads(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }

  /**
   * Starts a compaction. To be told twice of the same attempt changes nothing.
   *
   * @param caller where the request comes from
   * @param clocks looked at once more at its end
   * @throws RequestException if it does not start
   */
  void start(CompactRequest request, String caller, ClockCheck clocks) throws RequestException {
    if (jobs.containsKey(request.getAttempt())) {
      return;
    }
    if (stopping || draining) {
      throw new RequestException(
          Code.STOPPING, "This daemon " + (stopping ? "is stopping" : "is being drained"));
    }
    if (jobs.size() >= MAX_ATTEMPTS || known.getOrDefault(caller, 0) >= MAX_ATTEMPTS_OF_CALLER) {
      throw new RequestException(
          Code.BUSY, "So many attempts have begun that this worker waits until some are forgotten");
    }
    CompactionJob job =
        new CompactionJob(
            request,
            new StoreCompaction(request, conf, fs, root, cache),
            caller,
            budget,
            clocks,
            Math.min(request.getLeaseMillis(), MAX_LEASE_MILLIS));
    if (!taken.take(caller, System.nanoTime())) {
      throw new RequestException(
          Code.BUSY, "All " + slots + " slots for compactions are taken, or kept for others");
    }
    if (jobs.putIfAbsent(request.getAttempt(), job) != null) {
      taken.release(caller);
      return;
    }
    known.merge(caller, 1, Integer::sum);
    boolean isBegun = false;
    job.accepted();
    try {
      threads.execute(() -> run(job, caller));
      isBegun = true;
    } finally {
      if (!isBegun) {
        forget(job);
        taken.release(caller);
      }
    }
    begun.incrementAndGet();
    changed.run();
  }

  private void forget(CompactionJob job) {
    if (jobs.remove(job.name(), job)) {
      known.computeIfPresent(job.caller(), (caller, count) -> count == 1 ? null : count - 1);
    }
  }

  private void run(CompactionJob job, String caller) {
    try {
      job.run();
    } finally {
      taken.release(caller);
      copiedBlocks.addAndGet(job.copiedBlocks());
      if (job.isDone()) {
        speed.add(job.bytes(), job.ageMillis());
      }
      changed.run();
    }
  }

  /** The attempt, or null if it is not known or no more. */
  @Nullable CompactionJob job(String attempt) {
    return jobs.get(attempt);
  }

  /** What compactions wrote, as far as it is kept. */
  RemoteCache cache() {
    return cache;
  }

  /** Blocks that compactions which have ended copied as they lay. */
  public long copiedBlocks() {
    return copiedBlocks.get();
  }

  /** Bytes that it holds of what it has written. */
  public long keptBytes() {
    return cache.usedBytes();
  }

  Collection<CompactionJob> jobs() {
    return jobs.values();
  }

  /** What it says of all compactions that it knows. */
  public List<Attempt> attempts() {
    return jobs.values().stream().map(CompactionJob::attempt).toList();
  }

  /** Whether it takes new compactions from now on. Those at work go on in any case. */
  void drain(boolean drain) {
    draining = drain;
    changed.run();
  }

  /** What this worker says of itself. */
  public WorkerInfo info() {
    return WorkerInfo.newBuilder()
        .setSlots(slots)
        .setRunning(taken.running())
        .setBegun(begun.get())
        .setBacklogBytes(
            jobs.values().stream()
                .filter(job -> !job.hasEnded())
                .mapToLong(CompactionJob::backlogBytes)
                .sum())
        .setMemoryBytes(memoryBytes)
        .setBytesPerSecond(speed.bytesPerSecond())
        .setMeasuredBytes(speed.bytes())
        .setDraining(draining)
        .setCpuPercent((int) (100 * budget.othersLoad()))
        .build();
  }

  private void sweep() {
    cache.sweep();
    for (CompactionJob job : List.copyOf(jobs.values())) {
      if (!job.isForgotten()) {
        continue;
      }
      if (job.hasEnded()) {
        // HDFS may hang, and the others wait for the next sweep.
        threads.execute(job::discard);
        forget(job);
      } else {
        job.cancelOrWake();
      }
    }
  }

  /** Refuses new compactions and cancels those at work. */
  @Override
  public void close() {
    stopping = true;
    jobs.values().forEach(CompactionJob::cancel);
    sweeper.shutdownNow();
    threads.shutdown();
    try {
      // They delete what they have written.
      threads.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
