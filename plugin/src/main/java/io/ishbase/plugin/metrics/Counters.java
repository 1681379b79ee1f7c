package io.ishbase.plugin.metrics;

import static java.util.Objects.requireNonNull;

import io.ishbase.core.metric.Metric;
import io.ishbase.protocol.metrics.Meters;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.metrics.Counter;

/** A counter for each of some constants of an enum. */
final class Counters<E extends Enum<E>> {
  private final Map<E, Counter> byConstant;

  /** Registers them under the words for them, as values of the metric's label. */
  Counters(Meters meters, Metric metric, Set<E> constants, Function<E, String> word) {
    byConstant =
        new EnumMap<>(
            constants.stream()
                .collect(
                    Collectors.toMap(
                        Function.identity(),
                        constant -> meters.counter(metric, word.apply(constant)))));
  }

  Counter of(E constant) {
    return requireNonNull(byConstant.get(constant), "this constant has no counter");
  }

  long sum() {
    return byConstant.values().stream().mapToLong(Counter::getCount).sum();
  }
}
