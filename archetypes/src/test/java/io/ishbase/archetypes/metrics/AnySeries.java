package io.ishbase.archetypes.metrics;

import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Series whose texts try what separates texts in a key. */
final class AnySeries {
  private AnySeries() {}

  static Arbitrary<Series> get() {
    Arbitrary<Map<String, String>> tags =
        Arbitraries.maps(text(), text()).ofMinSize(0).ofMaxSize(3);
    return Combinators.combine(text(), tags)
        .as((metric, some) -> new Series(metric, new TreeMap<>(some)));
  }

  private static Arbitrary<String> text() {
    return Arbitraries.of("\0", "\u0001", "a", "b", "\u00ff", "\uffff", "\ud83d\ude00", "\u0002")
        .list()
        .ofMinSize(1)
        .ofMaxSize(4)
        .map(parts -> String.join("", parts));
  }
}
