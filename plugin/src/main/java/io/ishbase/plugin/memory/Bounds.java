package io.ishbase.plugin.memory;

import io.ishbase.core.memory.MemoryBudget.Consumer;
import io.ishbase.plugin.memory.Place.Kind;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The bounds that an operator sets to what each place may have, in percent of the sum. */
final class Bounds {
  private static final double PERCENT = 100;

  private Bounds() {}

  /**
   * Why there is no division of memory within them, one line; null: there is.
   *
   * @param lookup gives the configured text of a key, or null
   */
  static @Nullable String fault(List<? extends Place> places, UnaryOperator<String> lookup) {
    // Also of places that are not there: the log says of each wrong bound that memory stays.
    String fault =
        Stream.of(Kind.values())
            .flatMap(kind -> Stream.of(kind.min, kind.max))
            .map(setting -> setting.fault(lookup))
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null);
    if (fault != null) {
      return fault;
    }
    int least = 0;
    int most = 0;
    for (Place place : places) {
      Kind kind = place.kind();
      int min = kind.min.integer(lookup);
      int max = kind.max.integer(lookup);
      if (min > max) {
        return kind.min.key() + " = " + min + " is more than " + kind.max.key() + " = " + max;
      }
      least += min;
      most += max;
    }
    if (least > PERCENT) {
      return "what all are to have at least (ishbase.memory.*.min) is "
          + least
          + " % of the memory";
    }
    if (most < PERCENT) {
      return "what all may have at most (ishbase.memory.*.max) is " + most + " % of the memory";
    }
    return null;
  }

  /** Those of these places, of which there is no {@link #fault}. */
  static List<Consumer> consumers(List<? extends Place> places, UnaryOperator<String> lookup) {
    long sum = places.stream().mapToLong(Place::bytes).sum();
    return places.stream().map(place -> consumer(place, sum, lookup)).toList();
  }

  private static Consumer consumer(Place place, long sum, UnaryOperator<String> lookup) {
    Kind kind = place.kind();
    long min = (long) (kind.min.integer(lookup) / PERCENT * sum);
    long max = (long) (kind.max.integer(lookup) / PERCENT * sum);
    long most = Math.max(place.leastBytes(), Math.min(max, place.mostBytes()));
    return new Consumer(
        kind.label, Math.min(most, Math.max(min, place.leastBytes())), most, kind.onHeap);
  }
}
