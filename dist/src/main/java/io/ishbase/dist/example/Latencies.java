package io.ishbase.dist.example;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** How long calls took, in the order in which they ended. Safe for threads. */
final class Latencies {
  private final List<Long> nanos = Collections.synchronizedList(new ArrayList<>());

  void add(long callNanos) {
    nanos.add(callNanos);
  }

  int count() {
    return nanos.size();
  }

  /** The first tenth of the calls, as a text. */
  String first() {
    return text(nanos.subList(0, Math.max(1, nanos.size() / 10)));
  }

  /** The last tenth of the calls, as a text. */
  String last() {
    return text(nanos.subList(nanos.size() - Math.max(1, nanos.size() / 10), nanos.size()));
  }

  private static String text(List<Long> some) {
    List<Long> sorted = some.stream().sorted().toList();
    return String.format(
        "%6.2f %8.2f",
        sorted.get(sorted.size() / 2) / 1e6, sorted.get(sorted.size() * 99 / 100) / 1e6);
  }
}
