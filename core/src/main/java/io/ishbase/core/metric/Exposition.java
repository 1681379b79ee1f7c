package io.ishbase.core.metric;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.DoubleSupplier;

/**
 * The metrics that one server shows, and where their values come from. Thread safe.
 *
 * <p>Values are asked for without the monitor, and one that fails is left out: so what a server
 * cannot say while it stops hides nothing else.
 */
public final class Exposition {
  /** Of {@link #writeTo}, as HTTP says it. */
  public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  // Guarded by this.
  private final Map<Metric, SortedMap<String, DoubleSupplier>> values = new EnumMap<>(Metric.class);
  private final Map<Metric, Buckets> histograms = new EnumMap<>(Metric.class);

  /** Shows a metric without a label, in what the server counts in. */
  public void show(Metric metric, DoubleSupplier value) {
    show(metric, "", value);
  }

  /** Shows one value of a metric's label; what was shown of it before is replaced. */
  public synchronized void show(Metric metric, String label, DoubleSupplier value) {
    if (metric.label().isEmpty() != label.isEmpty() || metric.type() == MetricType.HISTOGRAM) {
      throw new IllegalArgumentException(metric + " with the label '" + label + "'");
    }
    values.computeIfAbsent(metric, key -> new TreeMap<>()).put(label, value);
  }

  /** Shows a histogram. */
  public synchronized void show(Metric metric, Buckets buckets) {
    if (metric.type() != MetricType.HISTOGRAM) {
      throw new IllegalArgumentException(metric + " is no histogram");
    }
    histograms.put(metric, buckets);
  }

  /**
   * What a metric is now, by its label's values; the only one of a metric without a label is under
   * the empty one. Of a histogram it is the sum, {@code sum}, in seconds, and the {@code count}.
   */
  public SortedMap<String, Double> now(Metric metric) {
    SortedMap<String, DoubleSupplier> suppliers;
    Buckets buckets;
    synchronized (this) {
      suppliers = new TreeMap<>(values.getOrDefault(metric, new TreeMap<>()));
      buckets = histograms.get(metric);
    }
    SortedMap<String, Double> now = new TreeMap<>();
    suppliers.forEach(
        (label, supplier) -> {
          try {
            now.put(label, supplier.getAsDouble() * metric.scale());
          } catch (RuntimeException e) {
            // It is left out.
          }
        });
    if (buckets != null) {
      now.put("count", (double) buckets.count());
      now.put("sum", buckets.sumSeconds());
    }
    return now;
  }

  /** The sum over a metric's labels; 0: it is not shown. */
  public double sum(Metric metric) {
    return now(metric).values().stream().mapToDouble(Double::doubleValue).sum();
  }

  /** Writes all metrics in Prometheus's text format 0.0.4. */
  public void writeTo(Appendable out) throws IOException {
    for (Metric metric : Metric.values()) {
      Buckets buckets;
      synchronized (this) {
        buckets = histograms.get(metric);
      }
      SortedMap<String, Double> now = now(metric);
      if (now.isEmpty()) {
        continue;
      }
      out.append("# HELP ").append(metric.prometheusName()).append(' ');
      out.append(metric.help().replace("\\", "\\\\").replace("\n", "\\n")).append('\n');
      out.append("# TYPE ").append(metric.prometheusName()).append(' ');
      out.append(metric.type().toString()).append('\n');
      if (buckets == null) {
        for (Map.Entry<String, Double> value : now.entrySet()) {
          write(out, metric.prometheusName(), metric.label(), value.getKey(), value.getValue());
        }
      } else {
        write(out, metric.prometheusName(), buckets);
      }
    }
  }

  private static void write(Appendable out, String name, Buckets buckets) throws IOException {
    for (int bound = 0; bound < Buckets.bounds(); bound++) {
      String seconds = Double.toString(Buckets.boundSeconds(bound));
      write(out, name + "_bucket", "le", seconds, buckets.below(bound));
    }
    // The last bucket and the count must be the same, also while others count.
    long count = buckets.count();
    write(out, name + "_bucket", "le", "+Inf", count);
    write(out, name + "_sum", "", "", buckets.sumSeconds());
    write(out, name + "_count", "", "", count);
  }

  private static void write(Appendable out, String name, String label, String value, double number)
      throws IOException {
    out.append(name);
    if (!label.isEmpty()) {
      out.append('{').append(label).append("=\"").append(escaped(value)).append("\"}");
    }
    out.append(' ').append(text(number)).append('\n');
  }

  private static String text(double number) {
    return number == Math.rint(number) && Math.abs(number) < 1L << 53
        ? Long.toString((long) number)
        : Double.toString(number);
  }

  private static String escaped(String value) {
    return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }
}
