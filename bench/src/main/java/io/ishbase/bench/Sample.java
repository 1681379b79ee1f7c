package io.ishbase.bench;

import io.ishbase.cluster.NetworkRig;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * What was measured of a load in one or more windows of time.
 *
 * @param latency of each operation, in nanoseconds
 * @param byKind the same for each kind of operation
 * @param read what the clients got
 * @param written what the clients gave
 * @param network bytes between compute and storage meanwhile
 * @param counters how much each of the variant's counters grew
 */
public record Sample(
    double seconds,
    Histogram latency,
    Map<String, Histogram> byKind,
    Moved read,
    Moved written,
    NetworkRig.Traffic network,
    Map<String, Double> counters) {

  /** Longest latency that is told from longer ones: ten minutes. */
  private static final long MAX_NANOS = 600_000_000_000L;

  /** A window under way. Not thread-safe. */
  public static final class Builder {
    private final Histogram latency = newHistogram();
    private final Map<String, Histogram> byKind = new TreeMap<>();
    private Moved read = Moved.NOTHING;
    private Moved written = Moved.NOTHING;

    /** Adds an operation. */
    public void add(long latencyNanos, Tally tally) {
      long bounded = Math.max(0, Math.min(latencyNanos, MAX_NANOS));
      latency.recordValue(bounded);
      byKind.computeIfAbsent(tally.kind(), kind -> newHistogram()).recordValue(bounded);
      read = read.plus(tally.read());
      written = written.plus(tally.written());
    }

    long operations() {
      return latency.getTotalCount();
    }

    /** The window, with what the network and the counters read at its two ends. */
    public Sample end(
        double seconds,
        NetworkRig.Traffic network,
        Map<String, Double> countersBefore,
        Map<String, Double> countersAfter) {
      Map<String, Double> grown = new TreeMap<>();
      countersAfter.forEach(
          (name, value) -> grown.put(name, value - countersBefore.getOrDefault(name, 0.0)));
      return new Sample(seconds, latency, byKind, read, written, network, grown);
    }
  }

  private static Histogram newHistogram() {
    return new Histogram(MAX_NANOS, 3);
  }

  /** All windows as if they were one. */
  public static Sample sum(List<Sample> samples) {
    Histogram latency = newHistogram();
    Map<String, Histogram> byKind = new TreeMap<>();
    Map<String, Double> counters = new TreeMap<>();
    double seconds = 0;
    Moved read = Moved.NOTHING;
    Moved written = Moved.NOTHING;
    NetworkRig.Traffic network = new NetworkRig.Traffic(0, 0);
    for (Sample sample : samples) {
      latency.add(sample.latency);
      sample.byKind.forEach(
          (kind, one) -> byKind.computeIfAbsent(kind, k -> newHistogram()).add(one));
      sample.counters.forEach((name, value) -> counters.merge(name, value, Double::sum));
      seconds += sample.seconds;
      read = read.plus(sample.read);
      written = written.plus(sample.written);
      network = network.plus(sample.network);
    }
    return new Sample(seconds, latency, byKind, read, written, network, counters);
  }

  public long operations() {
    return latency.getTotalCount();
  }

  /** Operations a second. */
  public double perSecond() {
    return operations() / seconds;
  }

  /** Operations for each second of a processor, of all processes together; 0: nobody counted. */
  public double operationsPerProcessorSecond() {
    return Processors.operationsPerSecond(this);
  }

  /** Rows that were read or written a second. */
  public double rowsPerSecond() {
    return (read.rows() + written.rows()) / seconds;
  }

  /** Bytes from storage for each byte of value that a client got; 0 if none got any. */
  public double amplification() {
    return per(network.in(), read.valueBytes());
  }

  /** Bytes to storage for each row that a client got. */
  public double outPerRow() {
    return per(network.out(), read.rows());
  }

  /** Bytes from storage for each byte of cells, keys included, that a client got. */
  public double cellAmplification() {
    return per(network.in(), read.cellBytes());
  }

  /** Bytes from storage for each byte of value that a client gave; 0 if none gave any. */
  public double writeAmplificationIn() {
    return per(network.in(), written.valueBytes());
  }

  /** Bytes to storage for each byte of value that a client gave; 0 if none gave any. */
  public double writeAmplificationOut() {
    return per(network.out(), written.valueBytes());
  }

  private static double per(long bytes, long of) {
    return of == 0 ? 0 : (double) bytes / of;
  }

  public double meanMillis() {
    return operations() == 0 ? 0 : latency.getMean() / 1e6;
  }

  /** The latency that {@code percent} of the operations do not exceed. */
  public double millisAt(double percent) {
    return operations() == 0 ? 0 : latency.getValueAtPercentile(percent) / 1e6;
  }

  /** Latencies by kind of operation; none if there is but one kind. */
  Map<String, Histogram> severalKinds() {
    return byKind.size() > 1 ? byKind : Map.of();
  }

  /** The sample's figures by name, for a report. */
  public Map<String, Object> figures() {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("operations", operations());
    figures.put("seconds", round(seconds));
    figures.put("operations_per_second", round(perSecond()));
    figures.put("rows_per_second", round(rowsPerSecond()));
    putLatency(figures, latency);
    Map<String, Object> kinds = new LinkedHashMap<>();
    severalKinds()
        .forEach(
            (kind, histogram) -> {
              Map<String, Object> one = new LinkedHashMap<>();
              one.put("operations", histogram.getTotalCount());
              putLatency(one, histogram);
              kinds.put(kind, one);
            });
    if (!kinds.isEmpty()) {
      figures.put("by_kind", kinds);
    }
    figures.put("value_bytes_read", read.valueBytes());
    figures.put("cell_bytes_read", read.cellBytes());
    figures.put("value_bytes_written", written.valueBytes());
    figures.put("cell_bytes_written", written.cellBytes());
    figures.put("network_bytes_in", network.in());
    figures.put("network_bytes_out", network.out());
    if (read.valueBytes() > 0) {
      figures.put("in_per_value_byte_read", round(amplification()));
      figures.put("in_per_cell_byte_read", round(cellAmplification()));
    }
    if (written.valueBytes() > 0 && read.valueBytes() == 0) {
      figures.put("in_per_value_byte_written", round(writeAmplificationIn()));
      figures.put("out_per_value_byte_written", round(writeAmplificationOut()));
    }
    if (Processors.areKnown(this)) {
      figures.put("operations_per_processor_second", round(Processors.operationsPerSecond(this)));
      Map<String, Double> micros = new LinkedHashMap<>();
      Processors.microsPerOperation(this).forEach((kind, each) -> micros.put(kind, round(each)));
      figures.put("processor_us_per_operation", micros);
    }
    counters.forEach((name, value) -> figures.put(name, round(value)));
    return figures;
  }

  private static void putLatency(Map<String, Object> figures, Histogram latency) {
    if (latency.getTotalCount() > 0) {
      figures.put("mean_ms", round(latency.getMean() / 1e6));
      for (String percent : List.of("50", "95", "99", "99.9", "99.99")) {
        figures.put(
            "p" + percent + "_ms",
            round(latency.getValueAtPercentile(Double.parseDouble(percent)) / 1e6));
      }
      figures.put("max_ms", round(latency.getMaxValue() / 1e6));
    }
  }

  static double round(double value) {
    return Math.round(value * 1000) / 1000.0;
  }
}
