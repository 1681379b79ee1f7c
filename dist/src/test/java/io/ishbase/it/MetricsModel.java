package io.ishbase.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.ishbase.archetypes.metrics.Group;
import io.ishbase.archetypes.metrics.Resolution;
import io.ishbase.archetypes.metrics.Series;
import io.ishbase.archetypes.metrics.Summary;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/** All that was counted, one by one, and what queries are to answer. Safe for several threads. */
final class MetricsModel {
  private static final double ERROR = Summary.ACCURACY * (1 + 1e-6);

  /** What was measured once: added to the total, recorded, or both. */
  record Measurement(Series series, long millis, Long added, Double recorded) {}

  /** A query as the model sees it. */
  record Question(
      long fromMillis,
      long toMillis,
      Predicate<Series> which,
      BiFunction<Series, Long, Group> group,
      boolean totalsOnly) {}

  private final List<Measurement> measurements = new ArrayList<>();

  synchronized void add(List<Measurement> some) {
    measurements.addAll(some);
  }

  private static final class Truth {
    long total;
    boolean added;
    final List<Double> values = new ArrayList<>();
  }

  /** Fails unless {@code got} is what {@code question} is to be answered. */
  synchronized void check(Question question, SortedMap<Group, Summary> got, Random random) {
    SortedMap<Group, Truth> wanted = new TreeMap<>();
    for (Measurement one : measurements) {
      long second = Resolution.SECOND.floor(one.millis());
      if (second >= question.fromMillis()
          && second < question.toMillis()
          && question.which().test(one.series())
          && !(question.totalsOnly() && one.added() == null)) {
        Truth truth =
            wanted.computeIfAbsent(
                question.group().apply(one.series(), second), unknown -> new Truth());
        if (one.added() != null) {
          truth.total += one.added();
          truth.added = true;
        }
        if (one.recorded() != null && !question.totalsOnly()) {
          truth.values.add(one.recorded());
        }
      }
    }
    assertThat(got.keySet()).isEqualTo(wanted.keySet());
    got.forEach(
        (group, summary) -> {
          Truth truth = wanted.get(group);
          assertThat(summary.total()).as("total of %s", group).isEqualTo(truth.total);
          assertThat(summary.count()).as("count of %s", group).isEqualTo(truth.values.size());
          if (!truth.values.isEmpty()) {
            Collections.sort(truth.values);
            double q = random.nextDouble();
            close(
                summary.quantile(q).getAsDouble(),
                truth.values.get((int) (q * (truth.values.size() - 1))));
            close(summary.min().getAsDouble(), truth.values.get(0));
            close(summary.max().getAsDouble(), truth.values.get(truth.values.size() - 1));
            double magnitudes = truth.values.stream().mapToDouble(Math::abs).sum();
            double sum = truth.values.stream().mapToDouble(value -> value).sum();
            assertThat(summary.sum()).isCloseTo(sum, within(ERROR * magnitudes + 1e-9));
          }
        });
  }

  private static void close(double got, double exact) {
    assertThat(got).isCloseTo(exact, within(ERROR * Math.abs(exact)));
  }
}
