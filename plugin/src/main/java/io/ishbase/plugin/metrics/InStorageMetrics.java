package io.ishbase.plugin.metrics;

import io.ishbase.core.Distance;
import io.ishbase.core.Gate;
import io.ishbase.core.Reason;
import io.ishbase.core.cache.CacheStats;
import io.ishbase.core.cache.SegmentCache;
import io.ishbase.core.cache.file.FileCache;
import io.ishbase.core.cache.file.FileStats;
import io.ishbase.core.metric.Metric;
import io.ishbase.core.metric.MetricSource;
import io.ishbase.protocol.Spans;
import io.ishbase.protocol.generated.IssnProtos.FilterScope;
import io.ishbase.protocol.metrics.Meters;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.GlobalStorageStatistics;
import org.apache.hadoop.fs.StorageStatistics;
import org.apache.hadoop.hbase.metrics.Counter;
import org.apache.hadoop.hbase.metrics.MetricRegistryInfo;

/**
 * What the region server counts of in-storage reads, in HBase's metrics system: on {@code /jmx}
 * under {@code Hadoop:service=HBase,name=RegionServer,sub=InStorage}. One per process.
 */
public final class InStorageMetrics {
  private static final MetricRegistryInfo INFO =
      new MetricRegistryInfo(
          "InStorage",
          "Reads answered from storage nodes",
          "RegionServer,sub=InStorage",
          "regionserver",
          false);
  private static final String FALLBACK_EVENT = "fallback";
  private static final InStorageMetrics INSTANCE = new InStorageMetrics();

  private final Counters<Reason> fallbacks;
  private final Counters<FilterScope> filters;
  private final Counters<Distance> distances;
  private final Counters<Gate.Route> routes;
  private final Counter requests;
  private final Counter reads;
  private final Counter readsAgain;
  private final Counter unknownHandles;
  private final Counter late;
  private final Counter hedges;
  private final Counter hedgesWon;
  private final Counter moved;
  private final Counter silences;
  private final Counter doubts;
  private final Counter cells;
  private final Counter responseBytes;
  private final Counter requestBytes;
  private final Counter packedBytes;
  private final Counter unpackedBytes;
  private final Counter gapsEntered;
  private final Counter verified;
  private final Counter verifiedInPart;
  private final Counter verifyDifferences;
  private final Counter verifyPassingDifferences;
  private final Counter prewarmBytes;
  private final Counter restoredRows;
  private final Counter aggregates;
  private final Counter aggregatedRows;
  private final Counter cachedRows;
  private final Counter cachedRowsLeftOut;
  private final Meters.Times latency;
  private final AtomicLong requestsUnderWay = new AtomicLong();
  private final AtomicLong openScanners = new AtomicLong();
  private final AtomicLong prewarming = new AtomicLong();

  private InStorageMetrics() {
    Meters meters = new Meters(INFO, ServerExposition.get());
    fallbacks = new Counters<>(meters, Metric.FALLBACKS, EnumSet.allOf(Reason.class), Metric::word);
    filters =
        new Counters<>(meters, Metric.FILTERS, EnumSet.allOf(FilterScope.class), Metric::word);
    distances =
        new Counters<>(meters, Metric.DISTANCE_BYTES, EnumSet.allOf(Distance.class), Metric::word);
    routes = new Counters<>(meters, Metric.ROUTES, EnumSet.allOf(Gate.Route.class), Metric::word);
    requests = meters.counter(Metric.REQUESTS);
    reads = meters.counter(Metric.READS);
    readsAgain = meters.counter(Metric.READS_AGAIN);
    unknownHandles = meters.counter(Metric.UNKNOWN_HANDLES);
    late = meters.counter(Metric.LATE);
    hedges = meters.counter(Metric.HEDGES);
    hedgesWon = meters.counter(Metric.HEDGES_WON);
    moved = meters.counter(Metric.MOVED);
    silences = meters.counter(Metric.SILENCES);
    doubts = meters.counter(Metric.DOUBTS);
    cells = meters.counter(Metric.CELLS);
    responseBytes = meters.counter(Metric.RESPONSE_BYTES);
    requestBytes = meters.counter(Metric.REQUEST_BYTES);
    packedBytes = meters.counter(Metric.PACKED_BYTES);
    unpackedBytes = meters.counter(Metric.UNPACKED_BYTES);
    verified = meters.counter(Metric.VERIFIED);
    verifiedInPart = meters.counter(Metric.VERIFIED_IN_PART);
    verifyDifferences = meters.counter(Metric.DIFFERENCES);
    verifyPassingDifferences = meters.counter(Metric.PASSING_DIFFERENCES);
    gapsEntered = meters.counter(Metric.GAPS);
    prewarmBytes = meters.counter(Metric.PREWARM_BYTES);
    restoredRows = meters.counter(Metric.RESTORED_ROWS);
    aggregates = meters.counter(Metric.AGGREGATES);
    aggregatedRows = meters.counter(Metric.AGGREGATED_ROWS);
    cachedRows = meters.counter(Metric.CACHED_ROWS);
    cachedRowsLeftOut = meters.counter(Metric.CACHED_ROWS_LEFT_OUT);
    latency = meters.times(Metric.REQUEST_SECONDS);
    meters.gauge(Metric.REQUESTS_UNDER_WAY, requestsUnderWay::get);
    meters.gauge(Metric.OPEN_SCANNERS, openScanners::get);
    meters.gauge(Metric.PREWARMING, prewarming::get);
    meters.gauge(Metric.HDFS_BYTES, InStorageMetrics::blockBytes);
  }

  public static InStorageMetrics get() {
    return INSTANCE;
  }

  /** Shows the counters of the process's segment cache too, as {@code cache_hits} and so on. */
  public static void show(SegmentCache cache) {
    Meters meters = new Meters(INFO, ServerExposition.get());
    for (RecordComponent counter : CacheStats.class.getRecordComponents()) {
      meters.gauge(metric("cache_" + counter.getName()), () -> value(counter, cache.stats()));
    }
    for (RecordComponent counter : FileStats.class.getRecordComponents()) {
      meters.gauge(
          metric("cacheFile_" + counter.getName()),
          () -> {
            FileCache file = cache.file();
            return value(counter, file == null ? FileStats.NONE : file.stats());
          });
    }
  }

  private static Metric metric(String jmxName) {
    return Arrays.stream(Metric.values())
        .filter(metric -> metric.source() == MetricSource.READS)
        .filter(metric -> metric.jmxName().equals(jmxName))
        .findAny()
        .orElseThrow(() -> new IllegalStateException(jmxName + " is no metric"));
  }

  private static long value(RecordComponent counter, Record stats) {
    try {
      return (long) counter.getAccessor().invoke(stats);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A request of so many reads was sent, of so many bytes without the framing of the RPC. */
  public void requested(int readCount, int bytes) {
    requests.increment();
    reads.increment(readCount);
    requestBytes.increment(bytes);
  }

  /** A request of reads is under way. */
  public void began() {
    requestsUnderWay.incrementAndGet();
  }

  /** A request of reads has its answer, has failed or was given up. */
  public void ended() {
    requestsUnderWay.decrementAndGet();
  }

  /** Requests of reads that are under way. */
  public long requestsUnderWay() {
    return requestsUnderWay.get();
  }

  /** A read that shared a request, or was to, is sent alone: it was put off, or took too long. */
  public void askedAgain() {
    readsAgain.increment();
  }

  /** A daemon did not know a handle; the read is sent once more, in full. */
  public void unknownHandle() {
    unknownHandles.increment();
  }

  /** An answer that a reader waits for has become late for its kind. */
  public void late() {
    late.increment();
  }

  /** A request went to another storage node, for the one that was asked is late or silent. */
  public void hedged() {
    hedges.increment();
  }

  /** The other storage node's answer came first. */
  public void hedgeWon() {
    hedgesWon.increment();
  }

  /** A read goes to another storage node, for the one that was asked is away. */
  public void moved() {
    moved.increment();
  }

  /** A storage daemon answered nobody for a while. */
  public void silent() {
    silences.increment();
  }

  /** Counts a daemon that has answered nobody while an answer became late. */
  public void doubted() {
    doubts.increment();
  }

  /** An answer to a read arrived, of so many bytes without the framing of the RPC. */
  public void answered(int cellCount, int bytes, long nanos) {
    cells.increment(cellCount);
    responseBytes.increment(bytes);
    latency.add(nanos);
  }

  /** Of an answer so many bytes came from so far. */
  public void came(Distance distance, int bytes) {
    distances.of(distance).increment(bytes);
  }

  /** Bytes of answers that came from so far. */
  public long cameFrom(Distance distance) {
    return distances.of(distance).getCount();
  }

  /** The cells of an answer came packed, in so many bytes, and were so large before. */
  public void unpacked(int packed, int unpacked) {
    packedBytes.increment(packed);
    unpackedBytes.increment(unpacked);
  }

  /** Bytes of cells that came packed, before they were. */
  public long unpackedBytes() {
    return unpackedBytes.getCount();
  }

  /** A read, or the rest of one, goes over HBase's own path, which its trace says, too. */
  public void fellBack(Reason reason) {
    fallbacks.of(reason).increment();
    Span span = Span.current();
    if (span.isRecording()) {
      span.addEvent(FALLBACK_EVENT, Attributes.of(Spans.FALLBACK, Metric.word(reason)));
    }
  }

  /** The gate sent the read of a store over that route. */
  public void took(Gate.Route route) {
    routes.of(route).increment();
  }

  /** Reads of stores that the gate sent over that route. */
  public long routes(Gate.Route route) {
    return routes.of(route).getCount();
  }

  /** A filter of that scope was pushed down for a read of a store on a node. */
  public void pushedFilter(FilterScope scope) {
    filters.of(scope).increment();
  }

  /** How often filters of that scope were pushed down. */
  public long pushedFilters(FilterScope scope) {
    return filters.of(scope).getCount();
  }

  /** A read was compared with what HBase reads, to its end or not, and no difference was found. */
  public void verified(boolean isWhole) {
    (isWhole ? verified : verifiedInPart).increment();
  }

  /**
   * A read had other cells than HBase reads.
   *
   * @param mayPass whether that may be by right
   */
  public void differed(boolean mayPass) {
    (mayPass ? verifyPassingDifferences : verifyDifferences).increment();
  }

  /** How many reads were compared with what HBase reads, and did not differ. */
  public long verified() {
    return verified.getCount() + verifiedInPart.getCount();
  }

  /** How many reads had other cells than HBase reads, without a reason. */
  public long differences() {
    return verifyDifferences.getCount();
  }

  /** How many had others, and there may be a reason. */
  public long passingDifferences() {
    return verifyPassingDifferences.getCount();
  }

  /** A reader wanted what was trimmed from an answer. */
  public void enteredGap() {
    gapsEntered.increment();
  }

  /** How often a reader wanted what was trimmed from an answer. */
  public long gapsEntered() {
    return gapsEntered.getCount();
  }

  /** So many bytes came into the segment cache because their rows were hot elsewhere. */
  public void prewarmed(int bytes) {
    prewarmBytes.increment(bytes);
  }

  /** So many rows are cached as they were before the region server started. */
  public void restored(long rows) {
    restoredRows.increment(rows);
  }

  /** Rows that are cached as they were before the region server started. */
  public long restoredRows() {
    return restoredRows.getCount();
  }

  /** So many stores more, or fewer, whose hot rows are yet to be fetched. */
  public void prewarming(int stores) {
    prewarming.addAndGet(stores);
  }

  /** Stores whose hot rows are yet to be fetched. */
  public long prewarming() {
    return prewarming.get();
  }

  /** Bytes of answers that were fetched because their rows were hot where a region was before. */
  public long prewarmBytes() {
    return prewarmBytes.getCount();
  }

  /** An answer to an aggregate came that is about so many rows with cells, none of which came. */
  public void aggregated(long rows) {
    aggregates.increment();
    aggregatedRows.increment(rows);
  }

  /** Answers to aggregates that storage daemons gave. */
  public long aggregates() {
    return aggregates.getCount();
  }

  /** A scan took rows from the segment cache. */
  public void tookCached(long rows) {
    cachedRows.increment(rows);
  }

  /** A scan was not shown so many cached rows, of which its filter lets nothing through. */
  public void leftOutCachedRows(int rows) {
    cachedRowsLeftOut.increment(rows);
  }

  /** Cached rows that scans were not shown, since their filters let nothing of them through. */
  public long cachedRowsLeftOut() {
    return cachedRowsLeftOut.getCount();
  }

  /** Rows with cells that these answers were about. */
  public long aggregatedRows() {
    return aggregatedRows.getCount();
  }

  public void opened() {
    openScanners.incrementAndGet();
  }

  public void closed() {
    openScanners.decrementAndGet();
  }

  /** Node scanners open now; each holds references on its store files. */
  public long openScanners() {
    return openScanners.get();
  }

  /** Requests sent to storage daemons. */
  public long requests() {
    return requests.getCount();
  }

  /** Reads in the requests sent to storage daemons: several where they share one. */
  public long reads() {
    return reads.getCount();
  }

  /** Reads that shared a request, or were to, and were sent alone after all. */
  public long readsAgain() {
    return readsAgain.getCount();
  }

  /** Reads that were sent once more because a daemon did not know their handle. */
  public long unknownHandles() {
    return unknownHandles.getCount();
  }

  /** Answers that became late for their kind while readers waited for them. */
  public long lateAnswers() {
    return late.getCount();
  }

  /** Requests that went to another storage node because one was late or silent. */
  public long hedges() {
    return hedges.getCount();
  }

  /** Those of {@link #hedges} that were answered first. */
  public long hedgesWon() {
    return hedgesWon.getCount();
  }

  /** Reads that another storage node was asked for because the first was away. */
  public long movedReads() {
    return moved.getCount();
  }

  /** How often a storage daemon answered nobody for a while. */
  public long silences() {
    return silences.getCount();
  }

  /** Times that a daemon had answered nobody while an answer became late. */
  public long doubts() {
    return doubts.getCount();
  }

  /** Cells that storage daemons sent. */
  public long cells() {
    return cells.getCount();
  }

  /** Bytes of the answers of storage daemons, without the framing of the RPC. */
  public long inStorageBytes() {
    return responseBytes.getCount();
  }

  /** Reads, or rests of reads, that went over HBase's own path for {@code reason}. */
  public long fallbacks(Reason reason) {
    return fallbacks.of(reason).getCount();
  }

  /** Reads, or rests of reads, that went over HBase's own path. */
  public long fallbacks() {
    return fallbacks.sum();
  }

  /**
   * Bytes that this process has read from HDFS: blocks for reads and compactions, WALs, metadata.
   */
  public static long blockBytes() {
    StorageStatistics hdfs = GlobalStorageStatistics.INSTANCE.get("hdfs");
    Long bytes = hdfs == null ? null : hdfs.getLong("bytesRead");
    return bytes == null ? 0 : bytes;
  }
}
