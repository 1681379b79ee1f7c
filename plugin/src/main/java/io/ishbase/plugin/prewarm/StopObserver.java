package io.ishbase.plugin.prewarm;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.DroppedSnapshotException;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionServerCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionServerCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionServerObserver;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionServerCoprocessorHost;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears that a region server is about to stop, while it still serves: from the moment at which it
 * stops HBase refuses what clients ask of it. It loads itself where something is to be done then.
 *
 * <p>Public for HBase, which makes it.
 */
public final class StopObserver implements RegionServerCoprocessor, RegionServerObserver {
  private static final Logger LOG = LoggerFactory.getLogger(StopObserver.class);

  /** So long Hadoop lets a process do what it does at its end, and as long once more. */
  private static final String SHUTDOWN_TIMEOUT = "hadoop.service.shutdown.timeout";

  private static final long USUAL_SHUTDOWN_SECONDS = 30;

  private static final int MOST_THREADS = 4;

  /** A region that has something to do before its server stops. */
  public interface Stopping {
    /** Its server; null: it has none. */
    @Nullable RegionServerServices services();

    /**
     * The server is about to stop, and serves as long as this takes.
     *
     * @param goesOn asked now and then
     */
    void serverStops(BooleanSupplier goesOn) throws IOException;
  }

  /** Has a server tell of its stop. Never fails. */
  public static void watch(RegionServerServices services) {
    RegionServerCoprocessorHost host =
        services instanceof HRegionServer server ? server.getRegionServerCoprocessorHost() : null;
    if (host == null) {
      return;
    }
    // Regions open at the same time.
    synchronized (StopObserver.class) {
      try {
        if (host.findCoprocessor(StopObserver.class) == null) {
          host.load(StopObserver.class, PRIORITY_USER, services.getConfiguration());
        }
      } catch (IOException | RuntimeException e) {
        LOG.warn("What is cached is not kept through a restart", e);
      }
    }
  }

  @Override
  public Optional<RegionServerObserver> getRegionServerObserver() {
    return Optional.of(this);
  }

  /** Never fails. */
  @Override
  public void preStopRegionServer(ObserverContext<RegionServerCoprocessorEnvironment> context) {
    List<Stopping> regions = new ArrayList<>();
    for (Region region : context.getEnvironment().getOnlineRegions().getRegions()) {
      if (region instanceof Stopping ours && ours.services() != null) {
        regions.add(ours);
      }
    }
    if (regions.isEmpty() || isAborted(regions.get(0))) {
      return;
    }
    long begun = System.nanoTime();
    // The rest is for closing regions.
    long longest =
        context
                .getEnvironment()
                .getConfiguration()
                .getTimeDuration(SHUTDOWN_TIMEOUT, USUAL_SHUTDOWN_SECONDS, TimeUnit.SECONDS)
            * TimeUnit.SECONDS.toNanos(1)
            / 2;
    long end = begun + longest;
    ExecutorService pool =
        Executors.newFixedThreadPool(
            MOST_THREADS,
            new ThreadFactoryBuilder().setDaemon(true).setNameFormat("ishbase-stop-%d").build());
    for (Stopping region : regions) {
      pool.execute(() -> stops(region, () -> System.nanoTime() < end && !isAborted(region)));
    }
    // Nobody is interrupted: HBase aborts where a flush is.
    pool.shutdown();
    try {
      boolean isDone = pool.awaitTermination(longest, TimeUnit.NANOSECONDS);
      LOG.info(
          "What is cached is written down{} after {} ms",
          isDone ? "" : ", but for some,",
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean isAborted(Stopping region) {
    RegionServerServices services = region.services();
    return services == null || services.isAborted();
  }

  private static void stops(Stopping region, BooleanSupplier goesOn) {
    try {
      region.serverStops(goesOn);
    } catch (DroppedSnapshotException e) {
      RegionServerServices services = region.services();
      if (services != null) {
        // As wherever HBase flushes: what was to be flushed is in the log alone.
        services.abort("A flush failed, and the log is to be replayed", e);
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("What is cached of {} is not kept through a restart", region, e);
    }
  }
}
