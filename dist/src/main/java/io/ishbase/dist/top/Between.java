package io.ishbase.dist.top;

import io.ishbase.cluster.MetricsPage;
import io.ishbase.core.metric.Metric;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What one server did between two looks at its page. */
final class Between {
  private final MetricsPage before;
  private final MetricsPage after;
  private final double seconds;

  /**
   * @param before null: it was not there
   */
  Between(MetricsPage before, MetricsPage after, double seconds) {
    this.before = before;
    this.after = after;
    this.seconds = seconds;
  }

  /** How much a counter grew a second, over all values of its label. */
  double rate(Metric counter) {
    String name = counter.prometheusName();
    return Math.max(0, after.sum(name) - (before == null ? 0 : before.sum(name))) / seconds;
  }

  /** The same by the values of its label, without those that did not grow. */
  Map<String, Double> rates(Metric counter) {
    String name = counter.prometheusName();
    Map<String, Double> rates = new TreeMap<>(after.by(name, counter.label()));
    Map<String, Double> old = before == null ? Map.of() : before.by(name, counter.label());
    rates.replaceAll((label, now) -> (now - old.getOrDefault(label, 0.0)) / seconds);
    rates.values().removeIf(rate -> rate <= 0);
    return rates;
  }

  /** What a gauge is now, over all values of its label. */
  double now(Metric gauge) {
    return after.sum(gauge.prometheusName());
  }

  /** What it is now, of one value of its label. */
  double now(Metric gauge, String label) {
    return after.sum(gauge.prometheusName(), gauge.label(), label);
  }

  /** Which part of {@code limit} is in use at that place; NaN: there is no such place. */
  double share(Metric used, Metric limit, String place) {
    return now(used, place) / now(limit, place);
  }

  /**
   * A quantile of what was counted between, in seconds, as Prometheus estimates it: evenly spread
   * within a bucket. NaN: there was nothing.
   */
  double quantile(Metric histogram, double share) {
    String name = histogram.prometheusName() + "_bucket";
    Map<String, Double> old = before == null ? Map.of() : before.by(name, "le");
    List<double[]> buckets = new ArrayList<>();
    after
        .by(name, "le")
        .forEach(
            (bound, count) ->
                buckets.add(
                    new double[] {
                      bound.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(bound),
                      count - old.getOrDefault(bound, 0.0)
                    }));
    buckets.sort(Comparator.comparingDouble(bucket -> bucket[0]));
    double all = buckets.isEmpty() ? 0 : buckets.get(buckets.size() - 1)[1];
    if (all <= 0) {
      return Double.NaN;
    }
    double from = 0;
    double below = 0;
    for (double[] bucket : buckets) {
      if (bucket[1] >= share * all) {
        return Double.isInfinite(bucket[0])
            ? from
            : from + (bucket[0] - from) * (share * all - below) / (bucket[1] - below);
      }
      from = bucket[0];
      below = bucket[1];
    }
    return from;
  }
}
