package io.ishbase.daemon;

import static java.util.Objects.requireNonNull;

import io.ishbase.core.metric.Exposition;
import io.ishbase.core.metric.Metric;
import io.ishbase.daemon.compaction.CompactionWorker;
import io.ishbase.daemon.rpc.CallQueues;
import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import io.ishbase.protocol.metrics.Meters;
import io.ishbase.protocol.metrics.ProcessMemory;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.io.FSDataInputStreamWrapper;
import org.apache.hadoop.hbase.metrics.Counter;
import org.apache.hadoop.hbase.metrics.MetricRegistryInfo;

/**
 * What the daemon counts, in HBase's metrics system: on {@code /jmx} under {@code
 * Hadoop:service=HBase,name=Issn,sub=Reads}.
 */
final class DaemonMetrics {
  private static final MetricRegistryInfo INFO =
      new MetricRegistryInfo(
          "Reads", "Reads answered by the storage daemon", "Issn,sub=Reads", "issn", false);

  private final Map<Code, Counter> answers = new EnumMap<>(Code.class);
  private final Counter cells;
  private final Counter bytes;
  private final Counter sharedRequests;
  private final Counter sharedReads;
  private final Meters.Times latency;
  private final Exposition exposition = new Exposition();
  private final Demand demand = new Demand();

  DaemonMetrics(LongSupplier openFiles, LongSupplier loadPercent) {
    Meters meters = new Meters(INFO, exposition);
    for (Code code : Code.values()) {
      answers.put(code, meters.counter(Metric.DAEMON_ANSWERS, Metric.word(code)));
    }
    cells = meters.counter(Metric.DAEMON_CELLS);
    bytes = meters.counter(Metric.DAEMON_BYTES);
    sharedRequests = meters.counter(Metric.DAEMON_SHARED_REQUESTS);
    sharedReads = meters.counter(Metric.DAEMON_SHARED_READS);
    latency = meters.times(Metric.DAEMON_SECONDS);
    meters.gauge(Metric.DAEMON_OPEN_FILES, openFiles);
    meters.gauge(Metric.DAEMON_LOAD, loadPercent);
    // Of files that were closed since, or given back between two scans: HDFS's client counts then.
    meters.gauge(Metric.DAEMON_HDFS_BYTES, FSDataInputStreamWrapper::getTotalBytesRead);
    meters.gauge(
        Metric.DAEMON_SHORT_CIRCUIT_BYTES, FSDataInputStreamWrapper::getShortCircuitBytesRead);
    ProcessMemory.show(exposition, Metric.DAEMON_MEMORY_USED, Metric.DAEMON_MEMORY_LIMIT);
  }

  /** Also shows the queues of calls and what they refuse, and the handlers of reads. */
  void show(CallQueues queues, int handlers, int queueLimit) {
    queues.onRefusal(answers(Code.BUSY)::increment);
    exposition.show(Metric.DAEMON_HANDLERS, () -> handlers);
    exposition.show(Metric.DAEMON_QUEUE_LIMIT, () -> queueLimit);
    exposition.show(Metric.DAEMON_QUEUED, "reads", queues::waitingReads);
    exposition.show(Metric.DAEMON_QUEUED, "aggregates", queues::waitingAggregates);
    exposition.show(Metric.DAEMON_QUEUED, "control", queues::waitingControl);
  }

  /** Also shows how many files were opened. */
  void showOpened(LongSupplier files) {
    exposition.show(Metric.DAEMON_FILES_OPENED, files::getAsLong);
  }

  /** Also shows how many buffers of blocks are in use. */
  void showBlockBuffers(IntSupplier inUse) {
    exposition.show(Metric.DAEMON_BLOCK_BUFFERS, inUse::getAsInt);
  }

  /** Also shows the compactions. */
  void show(CompactionWorker worker) {
    exposition.show(Metric.WORKER_SLOTS, () -> worker.info().getSlots());
    exposition.show(Metric.WORKER_RUNNING, () -> worker.info().getRunning());
    exposition.show(Metric.WORKER_BEGUN, () -> worker.info().getBegun());
    exposition.show(Metric.WORKER_COPIED, worker::copiedBlocks);
    exposition.show(Metric.WORKER_BACKLOG, () -> worker.info().getBacklogBytes());
    exposition.show(Metric.WORKER_DRAINING, () -> worker.info().getDraining() ? 1 : 0);
    exposition.show(Metric.WORKER_KEPT_BYTES, worker::keptBytes);
  }

  /** Who asked for what. */
  Demand demand() {
    return demand;
  }

  /** All that the daemon shows for Prometheus. */
  Exposition exposition() {
    return exposition;
  }

  /** The caller whom this thread answers got this about a table. */
  void answered(String operation, String table, ReadResponse response, long nanos) {
    demand.answered(operation, table, response, nanos);
    answers(response.getCode()).increment();
    cells.increment(response.getCellCount());
    bytes.increment(response.getCells().size());
    if (operation.equals(ReadService.READ)) {
      latency.add(nanos);
    }
  }

  /** A read of a shared request was not begun. */
  void putOff() {
    answers(Code.LATER).increment();
  }

  private Counter answers(Code code) {
    return requireNonNull(answers.get(code), "each code has a counter");
  }

  /** A request of so many reads was answered; each of them is counted for itself, too. */
  void answeredShared(int reads) {
    sharedRequests.increment();
    sharedReads.increment(reads);
  }
}
