package io.ishbase.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What was measured of reads in one or more windows of time.
 *
 * @param latency of each read, in nanoseconds
 * @param valueBytes bytes of values that the reads returned
 * @param networkBytes bytes that came from the storage nodes meanwhile
 */
public record Sample(double seconds, Histogram latency, long valueBytes, long networkBytes) {

  /** Longest latency that is told from longer ones: ten minutes. */
  static final long MAX_NANOS = 600_000_000_000L;

  static Histogram newHistogram() {
    return new Histogram(MAX_NANOS, 3);
  }

  /** All windows as if they were one. */
  static Sample sum(List<Sample> samples) {
    Histogram latency = newHistogram();
    double seconds = 0;
    long valueBytes = 0;
    long networkBytes = 0;
    for (Sample sample : samples) {
      latency.add(sample.latency);
      seconds += sample.seconds;
      valueBytes += sample.valueBytes;
      networkBytes += sample.networkBytes;
    }
    return new Sample(seconds, latency, valueBytes, networkBytes);
  }

  public long reads() {
    return latency.getTotalCount();
  }

  public double perSecond() {
    return reads() / seconds;
  }

  /** Bytes from storage for each byte of value. */
  public double amplification() {
    return valueBytes == 0 ? 0 : (double) networkBytes / valueBytes;
  }

  public double meanMillis() {
    return latency.getMean() / 1e6;
  }

  /** The latency that {@code percent} of the reads do not exceed. */
  public double millisAt(double percent) {
    return reads() == 0 ? 0 : latency.getValueAtPercentile(percent) / 1e6;
  }

  /** The sample's figures by name, for a report. */
  Map<String, Object> figures() {
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("reads", reads());
    figures.put("seconds", round(seconds));
    figures.put("reads_per_second", round(perSecond()));
    figures.put("mean_ms", round(meanMillis()));
    figures.put("p50_ms", round(millisAt(50)));
    figures.put("p99_ms", round(millisAt(99)));
    figures.put("value_bytes", valueBytes);
    figures.put("network_bytes", networkBytes);
    figures.put("amplification", round(amplification()));
    return figures;
  }

  static double round(double value) {
    return Math.round(value * 1000) / 1000.0;
  }
}
