package io.ishbase.plugin.metrics;

import io.ishbase.core.compaction.LocalReason;
import io.ishbase.core.compaction.WarmUpMode;
import io.ishbase.core.metric.Metric;
import io.ishbase.protocol.metrics.Meters;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.metrics.Counter;
import org.apache.hadoop.hbase.metrics.MetricRegistryInfo;

/**
 * What the region server counts of offloaded compactions, in HBase's metrics system: on {@code
 * /jmx} under {@code Hadoop:service=HBase,name=RegionServer,sub=InStorageCompactions}. One per
 * process.
 */
public final class CompactionMetrics {
  private static final MetricRegistryInfo INFO =
      new MetricRegistryInfo(
          "InStorageCompactions",
          "Compactions carried out by storage daemons",
          "RegionServer,sub=InStorageCompactions",
          "regionserver",
          false);
  private static final CompactionMetrics INSTANCE = new CompactionMetrics();

  private final Counters<LocalReason> local;
  private final Counter offloaded;
  private final Counter offloadedBytes;
  private final Counter heldBackMillis;
  private final Counter verifiedBytes;
  private final Counter controlBytes;
  private final Counters<WarmUpMode> warmedBlocks;
  private final Counters<WarmUpMode> warmedBytes;
  private final Counter fetchedBytes;
  private final Counter fetchFailures;
  private final Counter warmUpFailures;
  private final Counter warmUpsSkipped;
  private final AtomicLong warmUps = new AtomicLong();

  private CompactionMetrics() {
    Meters meters = new Meters(INFO, ServerExposition.get());
    local = new Counters<>(meters, Metric.LOCAL, EnumSet.allOf(LocalReason.class), Metric::word);
    offloaded = meters.counter(Metric.OFFLOADED);
    offloadedBytes = meters.counter(Metric.OFFLOADED_BYTES);
    heldBackMillis = meters.counter(Metric.HELD_BACK);
    verifiedBytes = meters.counter(Metric.VERIFIED_COMPACTION_BYTES);
    controlBytes = meters.counter(Metric.CONTROL_BYTES);
    Set<WarmUpMode> modes = EnumSet.complementOf(EnumSet.of(WarmUpMode.NONE));
    warmedBlocks = new Counters<>(meters, Metric.WARMED_BLOCKS, modes, WarmUpMode::toString);
    warmedBytes = new Counters<>(meters, Metric.WARMED_BYTES, modes, WarmUpMode::toString);
    fetchedBytes = meters.counter(Metric.WARM_UP_REMOTE_BYTES);
    fetchFailures = meters.counter(Metric.WARM_UP_REMOTE_FAILURES);
    warmUpFailures = meters.counter(Metric.WARM_UP_FAILURES);
    warmUpsSkipped = meters.counter(Metric.WARM_UPS_SKIPPED);
    meters.gauge(Metric.WARM_UPS, warmUps::get);
  }

  public static CompactionMetrics get() {
    return INSTANCE;
  }

  /** A worker carried out a compaction of files of so many bytes, and paused for so long. */
  public void offloaded(long bytes, long pausedMillis) {
    offloaded.increment();
    offloadedBytes.increment(bytes);
    heldBackMillis.increment(pausedMillis);
  }

  /** So many bytes of a worker's compaction were compared with what HBase's rules keep. */
  public void verified(long bytes) {
    verifiedBytes.increment(bytes);
  }

  /** Bytes of workers' compactions that were compared with what HBase's rules keep. */
  public long verifiedBytes() {
    return verifiedBytes.getCount();
  }

  /** The region server carries out a compaction itself. */
  public void stayed(LocalReason reason) {
    local.of(reason).increment();
  }

  /** Bytes of a request or an answer, without the framing of the RPC. */
  public void exchanged(int bytes) {
    controlBytes.increment(bytes);
  }

  /** Blocks of a new file came into the block cache before they were read. */
  public void warmed(WarmUpMode mode, int blocks, long bytes) {
    warmedBlocks.of(mode).increment(blocks);
    warmedBytes.of(mode).increment(bytes);
  }

  /** A worker gave bytes of a new file from its memory. */
  public void fetched(int bytes) {
    fetchedBytes.increment(bytes);
  }

  /** A new file is not to be had from its worker's memory. */
  public void fetchFailed() {
    fetchFailures.increment();
  }

  /** A warm-up ended early because of an error. */
  public void warmUpFailed() {
    warmUpFailures.increment();
  }

  /** A warm-up did not begin, or ended before its end, because there is too much to warm up. */
  public void warmUpSkipped() {
    warmUpsSkipped.increment();
  }

  /** A warm-up waits or is at work. */
  public void warmUpBegan() {
    warmUps.incrementAndGet();
  }

  public void warmUpEnded() {
    warmUps.decrementAndGet();
  }

  /** Warm-ups that wait or are at work. */
  public long warmUps() {
    return warmUps.get();
  }

  /** Blocks that came into the block cache in this mode. */
  public long warmedBlocks(WarmUpMode mode) {
    return warmedBlocks.of(mode).getCount();
  }

  /** Bytes of new files that workers gave from their memory. */
  public long fetchedBytes() {
    return fetchedBytes.getCount();
  }

  /** New files that were not to be had from a worker's memory, or not to the end. */
  public long fetchFailures() {
    return fetchFailures.getCount();
  }

  /** Warm-ups that ended early because of an error. */
  public long warmUpFailures() {
    return warmUpFailures.getCount();
  }

  /** Compactions that workers carried out. */
  public long offloaded() {
    return offloaded.getCount();
  }

  /** Compactions that the region server carried out itself for {@code reason}. */
  public long local(LocalReason reason) {
    return local.of(reason).getCount();
  }

  /** Compactions that the region server carried out itself although the table says offload. */
  public long local() {
    return local.sum();
  }

  /** Bytes of requests and answers, without the framing of the RPC. */
  public long controlBytes() {
    return controlBytes.getCount();
  }
}
