package io.ishbase.daemon;

import static java.util.Objects.requireNonNull;

import io.ishbase.protocol.generated.IssnProtos.Code;
import io.ishbase.protocol.generated.IssnProtos.ReadResponse;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.io.FSDataInputStreamWrapper;
import org.apache.hadoop.hbase.metrics.Counter;
import org.apache.hadoop.hbase.metrics.Histogram;
import org.apache.hadoop.hbase.metrics.MetricRegistries;
import org.apache.hadoop.hbase.metrics.MetricRegistry;
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
  private final Histogram latencyMicros;

  DaemonMetrics(LongSupplier openFiles, LongSupplier loadPercent) {
    MetricRegistry registry = MetricRegistries.global().create(INFO);
    for (Code code : Code.values()) {
      answers.put(code, registry.counter("answers_" + code.name().toLowerCase(Locale.ROOT)));
    }
    cells = registry.counter("cells");
    bytes = registry.counter("bytes");
    sharedRequests = registry.counter("sharedRequests");
    sharedReads = registry.counter("sharedReads");
    latencyMicros = registry.histogram("latencyMicros");
    registry.register("openFiles", openFiles::getAsLong);
    registry.register("loadPercent", loadPercent::getAsLong);
    // Of files that were closed since, or given back between two scans: HDFS's client counts then.
    registry.register("hdfsBytes", FSDataInputStreamWrapper::getTotalBytesRead);
    registry.register("hdfsShortCircuitBytes", FSDataInputStreamWrapper::getShortCircuitBytesRead);
  }

  void answered(ReadResponse response, long nanos) {
    answers(response.getCode()).increment();
    cells.increment(response.getCellCount());
    bytes.increment(response.getCells().size());
    latencyMicros.update(nanos / 1000);
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

  /** One line per counter. */
  String summary() {
    StringBuilder text = new StringBuilder();
    answers.forEach(
        (code, count) ->
            text.append(
                String.format(
                    "%-16s%d%n", code.name().toLowerCase(Locale.ROOT), count.getCount())));
    return text.append(
            String.format(
                "cells           %d%nbytes           %d%n", cells.getCount(), bytes.getCount()))
        .toString();
  }
}
