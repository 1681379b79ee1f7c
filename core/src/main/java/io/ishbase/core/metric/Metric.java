package io.ishbase.core.metric;

import static io.ishbase.core.metric.MetricDeclaration.counter;
import static io.ishbase.core.metric.MetricDeclaration.gauge;
import static io.ishbase.core.metric.MetricDeclaration.histogram;
import static io.ishbase.core.metric.MetricSource.DAEMON;
import static io.ishbase.core.metric.MetricSource.DAEMON_READS;
import static io.ishbase.core.metric.MetricSource.MANAGER;
import static io.ishbase.core.metric.MetricSource.REGION_SERVER;
import static io.ishbase.core.metric.MetricSource.TRACES;

import java.util.Locale;

/**
 * One metric of IS-HBase: its names, type, unit and meaning. This table is the only place where a
 * metric is declared; {@code docs/metrics.md} is made from it.
 *
 * <p>A name is a promise to dashboards and alerts: one that was released is not given to anything
 * else.
 */
public enum Metric {
  // Reads, at a region server.
  ROUTES(
      read("routes")
          .jmx("routes_*")
          .by("route")
          .means("Reads of stores that the gate sent over a route, where ishbase.read is auto.")),
  FALLBACKS(
      read("fallbacks")
          .jmx("fallbacks_*")
          .by("reason")
          .means("Reads, or rests of reads, that went over HBase's own path, by the reason.")),
  REQUESTS(read("requests").jmx("requests").means("Requests sent to storage daemons.")),
  REQUESTS_UNDER_WAY(
      gauge(MetricSource.READS, "requests_under_way")
          .jmx("requestsUnderWay")
          .means(
              "Requests of reads that have no answer yet, have not failed and were not given up.")),
  READS(
      read("reads")
          .jmx("reads")
          .means("Reads in these requests: more than requests where some share one.")),
  READS_AGAIN(
      read("reads_again")
          .jmx("readsAgain")
          .means(
              "Reads that shared a request, or waited for one, and were asked alone after all.")),
  UNKNOWN_HANDLES(
      read("unknown_handles")
          .jmx("unknownHandles")
          .means(
              "Reads that were sent twice because the daemon did not know any more what a handle"
                  + " meant; many mean that it serves more stores than it remembers.")),
  REQUEST_SECONDS(
      histogram(MetricSource.READS, "request_seconds")
          .jmx("latencyMicros")
          .in("seconds")
          .means("From sending a request until its answer has arrived.")),
  LATE(
      read("late_answers")
          .jmx("late")
          .means("Answers that took unusually long for their kind while readers waited for them.")),
  HEDGES(
      read("hedges")
          .jmx("hedges")
          .means("Requests that went to another storage node because one was late or silent.")),
  HEDGES_WON(read("hedges_won").jmx("hedgesWon").means("Of the hedges, those answered first.")),
  MOVED(
      read("moved_reads")
          .jmx("movedReads")
          .means(
              "Reads that another storage node was asked for because the first was away: it is"
                  + " stopping, silent, or cannot be reached.")),
  DOUBTS(
      read("doubts")
          .jmx("doubts")
          .means(
              "Times that a daemon had answered nobody while an answer became late: until it does,"
                  + " other holders of the files are asked.")),
  SILENCES(
      read("silences")
          .jmx("silences")
          .means(
              "Times that a daemon answered nobody for a while, and did not say that it is"
                  + " there.")),
  CELLS(read("cells").jmx("cells").means("Cells that storage daemons sent.")),
  RESPONSE_BYTES(
      read("response_bytes")
          .jmx("inStorageBytes")
          .in("bytes")
          .means("Answers of storage daemons on the line, without the framing of the RPC.")),
  DISTANCE_BYTES(
      read("distance_bytes")
          .jmx("distanceBytes_*")
          .by("distance")
          .in("bytes")
          .means("The same by how far the storage daemon is.")),
  REQUEST_BYTES(
      read("request_bytes")
          .jmx("requestBytes")
          .in("bytes")
          .means("Requests to storage daemons on the line, without the framing of the RPC.")),
  PACKED_BYTES(
      read("packed_bytes")
          .jmx("packedBytes")
          .in("bytes")
          .means("Cells that came packed, as they came: a part of the answers.")),
  UNPACKED_BYTES(
      read("unpacked_bytes")
          .jmx("unpackedBytes")
          .in("bytes")
          .means("Cells that came packed, before they were.")),
  HDFS_BYTES(
      read("hdfs_read_bytes")
          .jmx("blockBytes")
          .in("bytes")
          .means(
              "What the region server read from HDFS: blocks for reads and compactions, WALs,"
                  + " metadata.")),
  FILTERS(
      read("filters_pushed")
          .jmx("filters_*")
          .by("scope")
          .means("Filters that were pushed down, by what they judge.")),
  GAPS(
      read("gaps_entered")
          .jmx("gapsEntered")
          .means("Times that a reader wanted what was trimmed from an answer.")),
  VERIFIED(
      read("verified_reads")
          .jmx("verified")
          .means("Reads that were answered over HBase's path as well, and did not differ.")),
  VERIFIED_IN_PART(
      read("partly_verified_reads")
          .jmx("verifiedInPart")
          .means("The same, compared only in part: it took too long, or the client had enough.")),
  DIFFERENCES(
      read("verify_differences")
          .jmx("verifyDifferences")
          .means("Reads that had other cells than HBase reads; their clients got HBase's.")),
  PASSING_DIFFERENCES(
      read("verify_passing_differences")
          .jmx("verifyPassingDifferences")
          .means(
              "The same where a second look saw none, and what expires, a filter, a coprocessor or"
                  + " changed files may be why. They are not among the former.")),
  PREWARM_BYTES(
      read("prewarm_bytes")
          .jmx("prewarmBytes")
          .in("bytes")
          .means(
              "Answers that were fetched into the segment cache because their rows were hot where"
                  + " the region was before.")),
  RESTORED_ROWS(
      read("restored_rows")
          .jmx("restoredRows")
          .means(
              "Rows that came into the segment cache from where the region server before this had"
                  + " left them.")),
  PREWARMING(
      gauge(MetricSource.READS, "prewarming_stores")
          .jmx("prewarmingStores")
          .means("Stores that have opened and whose hot rows are yet to be fetched.")),
  AGGREGATES(
      read("aggregates").jmx("aggregates").means("Answers of storage daemons to aggregates.")),
  AGGREGATED_ROWS(
      read("aggregated_rows")
          .jmx("aggregatedRows")
          .means("Rows with cells that answers to aggregates are about.")),
  CACHED_ROWS(
      read("cached_rows").jmx("cachedRows").means("Rows that scans took from the segment cache.")),
  CACHED_ROWS_LEFT_OUT(
      read("cached_rows_left_out")
          .jmx("cachedRowsLeftOut")
          .means(
              "Cached rows that scans were not shown, since their filters let nothing of them"
                  + " through.")),
  OPEN_SCANNERS(
      gauge(MetricSource.READS, "open_scanners")
          .jmx("openScanners")
          .means("Readers of storage nodes that are open; each holds its store files.")),

  // The segment cache, at a region server.
  CACHE_HITS(cacheCounter("hits").means("Lookups of rows that the segment cache had.")),
  CACHE_ABSENCES(
      cacheCounter("absences").means("Of the hits, those that found that there is nothing.")),
  CACHE_MISSES(cacheCounter("misses").means("Lookups of rows that the segment cache had not.")),
  CACHE_COLUMN_MISSES(
      cache("column_misses", "columnMisses")
          .means("Of the misses, those of rows of which other columns were cached.")),
  CACHE_RETURNS(
      cacheCounter("returns")
          .means("Rows that were filled a short while after they had left for lack of room.")),
  CACHE_FILLS(cacheCounter("fills").means("Entries that were filled.")),
  CACHE_REFUSED(
      cacheCounter("refused").means("Fills that did not land: too late, too large, no memory.")),
  CACHE_EVICTIONS(cacheCounter("evictions").means("Entries that left for lack of room.")),
  CACHE_DROPPED(
      cacheCounter("dropped").means("Entries that left because they were not known to be true.")),
  CACHE_UPGRADES(
      cacheCounter("upgrades").means("Stretches that were fetched in place of a single row.")),
  CACHE_UPGRADED_ROWS(
      cache("upgraded_rows", "upgradedRows")
          .means("Rows that came that way, and have left or been hit since.")),
  CACHE_UPGRADED_ROWS_HIT(
      cache("upgraded_rows_hit", "upgradedRowsHit").means("Of these, those that were hit.")),
  CACHE_ENTRIES(cacheGauge("entries", "entries").means("Entries of the segment cache.")),
  CACHE_SEGMENTS(cacheGauge("segments", "segments").means("Segments of its index.")),
  CACHE_CACHED_BYTES(
      cacheGauge("cached_bytes", "cachedBytes")
          .in("bytes")
          .means("Row keys, columns and cells in the segment cache.")),
  CACHE_ROW_BYTES(
      cacheGauge("row_bytes", "rowBytes").in("bytes").means("Of these, those of whole rows.")),
  CACHE_COLUMN_BYTES(
      cacheGauge("column_bytes", "columnBytes")
          .in("bytes")
          .means("Of these, those of rows of which only some columns are cached.")),
  CACHE_ABSENCE_BYTES(
      cacheGauge("absence_bytes", "absenceBytes")
          .in("bytes")
          .means("Of these, those of rows that are not there.")),
  CACHE_EDGE_BYTES(
      cacheGauge("edge_bytes", "edgeBytes")
          .in("bytes")
          .means("Of these, those of entries that only end a run.")),
  CACHE_RUN_ENTRIES(
      cacheGauge("run_entries", "runEntries")
          .means("Entries between which and the one before nothing lies, as is known.")),
  CACHE_HEAP_BYTES(
      cacheGauge("heap_bytes", "heapBytes")
          .in("bytes")
          .means("Java heap that the segment cache's index takes, estimated.")),
  CACHE_USED_BYTES(
      cacheGauge("used_bytes", "usedBytes")
          .in("bytes")
          .means("All memory that the segment cache takes, slack included.")),
  CACHE_BUDGET_BYTES(
      cacheGauge("budget_bytes", "budgetBytes")
          .in("bytes")
          .means("The most that the segment cache may take.")),

  // Its file, at a region server.
  CACHE_FILE_HITS(
      cacheFile("hits", "hits").means("Rows that were no longer in memory, and were in the file.")),
  CACHE_FILE_MISSES(cacheFile("misses", "misses").means("Rows that were not there either.")),
  CACHE_FILE_READS(cacheFile("reads", "reads").means("Reads of the file.")),
  CACHE_FILE_WRITTEN_ROWS(
      cacheFile("written_rows", "writtenRows").means("Rows that left the memory for the file.")),
  CACHE_FILE_WRITTEN_BYTES(
      cacheFile("written_bytes", "writtenBytes")
          .in("bytes")
          .means("Bytes of the disk that were written: what an SSD wears by.")),
  CACHE_FILE_KEPT_ROWS(
      cacheFile("kept_rows", "keptRows")
          .means(
              "Rows that were written once more when their turn came to be overwritten, since"
                  + " they had been asked for.")),
  CACHE_FILE_LOST_ROWS(
      cacheFile("lost_rows", "lostRows")
          .means("Rows that left the memory for nowhere, as the disk was behind.")),
  CACHE_FILE_DAMAGED(
      cacheFile("damaged", "damaged")
          .means(
              "Rows that the disk gave back otherwise than they were written; their readers went"
                  + " to the files of the store.")),
  CACHE_FILE_BYTES(
      gauge(MetricSource.READS, "cache_file_bytes")
          .jmx("cacheFile_bytes")
          .in("bytes")
          .means("Size of the file; 0: there is none, or the disk failed.")),
  CACHE_FILE_USED_BYTES(
      gauge(MetricSource.READS, "cache_file_used_bytes")
          .jmx("cacheFile_usedBytes")
          .in("bytes")
          .means("What was written of it at least once.")),
  CACHE_FILE_INDEX_BYTES(
      gauge(MetricSource.READS, "cache_file_index_bytes")
          .jmx("cacheFile_indexBytes")
          .in("bytes")
          .means("Memory that its index takes, off the heap.")),

  // Compactions, at a region server.
  OFFLOADED(
      compaction("offloaded_compactions")
          .jmx("offloaded")
          .means("Compactions that storage daemons carried out.")),
  OFFLOADED_BYTES(
      compaction("offloaded_compaction_bytes")
          .jmx("offloadedBytes")
          .in("bytes")
          .means("Files that these compacted.")),
  HELD_BACK(
      compaction("compactions_held_back_seconds")
          .jmx("heldBackMillis")
          .in("seconds")
          .scaled(0.001)
          .means("How long these paused because processors were busy with other things.")),
  VERIFIED_COMPACTION_BYTES(
      compaction("verified_compaction_bytes")
          .jmx("verifiedBytes")
          .in("bytes")
          .means("Cells of these that were compacted here as well, and compared.")),
  LOCAL(
      compaction("local_compactions")
          .jmx("local_*")
          .by("reason")
          .means(
              "Compactions that the region server carried out itself although the table says"
                  + " offload, by the reason.")),
  CONTROL_BYTES(
      compaction("compaction_control_bytes")
          .jmx("controlBytes")
          .in("bytes")
          .means("Requests and answers about compactions, without the framing of the RPC.")),
  WARMED_BLOCKS(
      compaction("warmed_blocks")
          .jmx("warmedBlocks_*")
          .by("mode")
          .means("Blocks of new files that came into the block cache before they were read.")),
  WARMED_BYTES(
      compaction("warmed_bytes")
          .jmx("warmedBytes_*")
          .by("mode")
          .in("bytes")
          .means("Bytes of these blocks.")),
  WARM_UP_REMOTE_BYTES(
      compaction("warm_up_remote_bytes")
          .jmx("warmUpRemoteBytes")
          .in("bytes")
          .means("What workers gave of new files from their memory.")),
  WARM_UP_REMOTE_FAILURES(
      compaction("warm_up_remote_failures")
          .jmx("warmUpRemoteFailures")
          .means("New files that were not to be had from a worker's memory, or not to the end.")),
  WARM_UP_FAILURES(
      compaction("warm_up_failures")
          .jmx("warmUpFailures")
          .means("Warm-ups that ended early because of an error.")),
  WARM_UPS_SKIPPED(
      compaction("warm_ups_skipped")
          .jmx("warmUpsSkipped")
          .means("Warm-ups that did not begin, or ended early: there was too much to warm up.")),
  WARM_UPS(
      gauge(MetricSource.COMPACTIONS, "warm_ups_under_way")
          .jmx("warmUpsUnderWay")
          .means("Warm-ups that wait or are at work.")),

  // Operations recorded for the simulator, at a region server.
  TRACE_RECORDED(
      counter(TRACES, "trace_recorded").jmx("recorded").means("Operations that were recorded.")),
  TRACE_DROPPED(
      counter(TRACES, "trace_dropped")
          .jmx("dropped")
          .means("Operations that should have been recorded, and were not.")),
  TRACE_BYTES(
      counter(TRACES, "trace_bytes")
          .jmx("bytes")
          .in("bytes")
          .means("What recorded operations take in HDFS.")),

  // The region server as a whole.
  DAEMONS(
      gauge(REGION_SERVER, "daemons")
          .means("Storage daemons that are registered, as this region server sees it.")),
  DAEMONS_ANSWERING(
      gauge(REGION_SERVER, "daemons_answering")
          .means("Of these, those that have answered this region server since they registered.")),
  QUARANTINED(
      gauge(REGION_SERVER, "quarantined")
          .by("kind")
          .means(
              "What is left alone for a while because it failed: storage nodes; or files, filters"
                  + " and stores.")),
  HELD_BYTES(
      gauge(REGION_SERVER, "held_bytes")
          .in("bytes")
          .means("Answers that are on their way or wait for their reader.")),
  COMPACTIONS_UNDER_WAY(
      gauge(REGION_SERVER, "compactions_under_way")
          .means("Compactions of this region server that workers carry out now.")),
  MEMORY_USED(
      gauge(REGION_SERVER, "memory_used_bytes")
          .by("place")
          .in("bytes")
          .means(
              "Memory in use, by its place; heap and direct memory are the sums in which the"
                  + " others lie.")),
  MEMORY_LIMIT(
      gauge(REGION_SERVER, "memory_limit_bytes")
          .by("place")
          .in("bytes")
          .means("The most that each place may take now.")),

  // The storage daemon.
  DAEMON_ANSWERS(
      counter(DAEMON_READS, "daemon_answers")
          .jmx("answers_*")
          .by("code")
          .means(
              "Answers to reads and aggregates, by their code; busy: also of what was refused"
                  + " because a queue was full.")),
  DAEMON_CELLS(counter(DAEMON_READS, "daemon_cells").jmx("cells").means("Cells in answers.")),
  DAEMON_BYTES(
      counter(DAEMON_READS, "daemon_response_bytes")
          .jmx("bytes")
          .in("bytes")
          .means("Cells in answers, as they were sent.")),
  DAEMON_SHARED_REQUESTS(
      counter(DAEMON_READS, "daemon_shared_requests")
          .jmx("sharedRequests")
          .means("Requests that several reads shared.")),
  DAEMON_SHARED_READS(
      counter(DAEMON_READS, "daemon_shared_reads").jmx("sharedReads").means("Reads in these.")),
  DAEMON_SECONDS(
      histogram(DAEMON_READS, "daemon_read_seconds")
          .jmx("latencyMicros")
          .in("seconds")
          .means("How long a handler worked on a read.")),
  DAEMON_OPEN_FILES(
      gauge(DAEMON_READS, "daemon_open_files").jmx("openFiles").means("HFiles that are open.")),
  DAEMON_FILES_OPENED(
      counter(DAEMON, "daemon_files_opened")
          .means(
              "HFiles that were opened: far more than are written where more are read than"
                  + " stay open.")),
  DAEMON_BLOCK_BUFFERS(
      gauge(DAEMON, "daemon_block_buffers_used")
          .means("Pooled buffers that blocks lie in which somebody reads.")),
  DAEMON_HDFS_BYTES(
      counter(DAEMON_READS, "daemon_hdfs_read_bytes")
          .jmx("hdfsBytes")
          .in("bytes")
          .means("What it read from HDFS, of files that were closed since.")),
  DAEMON_SHORT_CIRCUIT_BYTES(
      counter(DAEMON_READS, "daemon_short_circuit_read_bytes")
          .jmx("hdfsShortCircuitBytes")
          .in("bytes")
          .means("Of these, what did not pass through a DataNode.")),
  DAEMON_LOAD(
      gauge(DAEMON_READS, "daemon_load_ratio")
          .jmx("loadPercent")
          .in("ratio")
          .scaled(0.01)
          .means("Handlers that work on reads, of all.")),
  DAEMON_HANDLERS(gauge(DAEMON, "daemon_handlers").means("Handlers for reads.")),
  DAEMON_QUEUED(
      gauge(DAEMON, "daemon_queued_calls")
          .by("queue")
          .means("Calls that no handler works on yet.")),
  DAEMON_QUEUE_LIMIT(
      gauge(DAEMON, "daemon_queue_limit_calls").means("Reads that may wait; more are sent away.")),
  WORKER_SLOTS(
      gauge(DAEMON, "worker_slots").means("Compactions that it carries out at once at most.")),
  WORKER_RUNNING(gauge(DAEMON, "worker_running").means("Compactions that it carries out now.")),
  WORKER_BEGUN(counter(DAEMON, "worker_begun").means("Compactions that it has begun.")),
  WORKER_COPIED(
      counter(DAEMON, "worker_copied_blocks")
          .means("Blocks that compactions which have ended copied as they lay.")),
  WORKER_BACKLOG(
      gauge(DAEMON, "worker_backlog_bytes")
          .in("bytes")
          .means("What the compactions at work have still to read.")),
  WORKER_DRAINING(
      gauge(DAEMON, "worker_draining").means("1 where it takes no new compactions, else 0.")),
  WORKER_KEPT_BYTES(
      gauge(DAEMON, "worker_kept_bytes")
          .in("bytes")
          .means("What it keeps in memory of files that it has written.")),
  DAEMON_MEMORY_USED(
      gauge(DAEMON, "daemon_memory_used_bytes")
          .by("place")
          .in("bytes")
          .means("Memory in use: the heap, and direct memory beside it.")),
  DAEMON_MEMORY_LIMIT(
      gauge(DAEMON, "daemon_memory_limit_bytes")
          .by("place")
          .in("bytes")
          .means("The most that each may take.")),

  // The compaction manager.
  MANAGER_WAITING(
      gauge(MANAGER, "manager_waiting").means("Compactions that wait for a free worker.")),
  MANAGER_ASKED(
      counter(MANAGER, "manager_questions")
          .means("Questions of region servers for a worker; who waits asks again and again.")),
  MANAGER_PLACED(
      counter(MANAGER, "manager_placed").means("Questions that were answered with a worker.")),
  MANAGER_WORKERS(gauge(MANAGER, "manager_workers").means("Workers that the manager knows.")),
  MANAGER_SLOTS(
      gauge(MANAGER, "manager_slots").means("Slots of these, but for those that are drained.")),
  MANAGER_RUNNING(
      gauge(MANAGER, "manager_running").means("Slots that are taken, as the workers say."));

  private static final String PREFIX = "ishbase_";

  private final MetricDeclaration declaration;

  Metric(MetricDeclaration declaration) {
    this.declaration = declaration;
  }

  private static MetricDeclaration read(String name) {
    return counter(MetricSource.READS, name);
  }

  private static MetricDeclaration compaction(String name) {
    return counter(MetricSource.COMPACTIONS, name);
  }

  private static MetricDeclaration cacheCounter(String name) {
    return cache(name, name);
  }

  private static MetricDeclaration cache(String name, String component) {
    return counter(MetricSource.READS, "cache_" + name).jmx("cache_" + component);
  }

  private static MetricDeclaration cacheFile(String name, String component) {
    return counter(MetricSource.READS, "cache_file_" + name).jmx("cacheFile_" + component);
  }

  private static MetricDeclaration cacheGauge(String name, String component) {
    return gauge(MetricSource.READS, "cache_" + name).jmx("cache_" + component);
  }

  /** A constant as names and labels of metrics have it. */
  public static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /** Who shows it. */
  public MetricSource source() {
    return declaration.source;
  }

  public MetricType type() {
    return declaration.type;
  }

  /** Its name for Prometheus. */
  public String prometheusName() {
    return PREFIX + declaration.name;
  }

  /**
   * Its name in HBase's metrics system, which begins it with a capital on JMX; with a label, {@code
   * *} stands for the label's value. Empty: it is not there.
   */
  public String jmxName() {
    return declaration.jmxName;
  }

  /** The same with a value of the label. */
  public String jmxName(String labelValue) {
    return declaration.jmxName.replace("*", labelValue);
  }

  /** The name of its label; empty: it has none. */
  public String label() {
    return declaration.label;
  }

  /** What Prometheus counts it in; empty: it is a mere number. */
  public String unit() {
    return declaration.unit;
  }

  /** So much of the unit is one of what the server counts in. */
  double scale() {
    return declaration.scale;
  }

  /** What it means, a sentence. */
  public String help() {
    return declaration.help;
  }
}
