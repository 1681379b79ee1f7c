package io.ishbase.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import site.ycsb.workloads.CoreWorkload;

/** YCSB's Gets on a loaded table, from some threads, each of which waits for its answers. */
public final class GetLoad {
  private final YcsbTable table;
  private final CoreWorkload workload;
  private final int threads;
  private final NetworkRig rig;

  /**
   * A load that does not run yet.
   *
   * @param distribution of the rows that are read: uniform or zipfian
   */
  public GetLoad(YcsbTable table, String distribution, int threads, NetworkRig rig) {
    this.table = table;
    this.workload = table.workload(distribution);
    this.threads = threads;
    this.rig = rig;
  }

  /**
   * Runs the load for {@code leadIn}, which is discarded, and for {@code window}, which is
   * measured. Reads count in the window in which they end.
   */
  public Sample run(Mode mode, Duration leadIn, Duration window) throws IOException {
    Run run = new Run(mode, leadIn, window);
    Workers.run(threads + 1, run);
    return run.sample;
  }

  /** One run: worker 0 keeps the time, the others read. */
  private final class Run implements Workers.Work {
    private final Mode mode;
    private final Duration leadIn;
    private final Duration window;
    private final CountDownLatch failed = new CountDownLatch(1);
    private final Histogram latency = Sample.newHistogram();
    private long valueBytes;
    private volatile boolean measuring;
    private volatile boolean over;
    private volatile Sample sample;

    Run(Mode mode, Duration leadIn, Duration window) {
      this.mode = mode;
      this.leadIn = leadIn;
      this.window = window;
    }

    @Override
    public void run(int worker) throws Exception {
      if (worker == 0) {
        keepTime();
      } else {
        read();
      }
    }

    private void keepTime() throws InterruptedException {
      try {
        if (failed.await(leadIn.toMillis(), TimeUnit.MILLISECONDS)) {
          return;
        }
        long bytes = rig.bytesFromStorage();
        long start = System.nanoTime();
        measuring = true;
        failed.await(window.toMillis(), TimeUnit.MILLISECONDS);
        measuring = false;
        double seconds = (System.nanoTime() - start) / 1e9;
        long networkBytes = rig.bytesFromStorage() - bytes;
        synchronized (this) {
          sample = new Sample(seconds, latency.copy(), valueBytes, networkBytes);
        }
      } finally {
        over = true;
      }
    }

    private void read() throws Exception {
      HBaseBinding binding = new HBaseBinding(table.connection(), YcsbTable.FAMILY, mode, false);
      try {
        while (!over) {
          workload.doTransaction(binding, null);
          if (measuring) {
            take(binding);
          }
        }
      } catch (RuntimeException e) {
        failed.countDown();
        IOException cause = binding.lastFailure();
        throw new IOException(
            mode + " Get: " + (cause == null ? e.getMessage() : cause.getMessage()), e);
      } finally {
        binding.cleanup();
      }
    }

    private synchronized void take(HBaseBinding binding) {
      if (sample == null) {
        latency.recordValue(Math.min(binding.lastReadNanos(), Sample.MAX_NANOS));
        valueBytes += binding.lastValueBytes();
      }
    }
  }
}
