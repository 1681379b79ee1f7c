package io.ishbase.dist.example;

import io.ishbase.archetypes.metrics.Summary;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Bars of text. */
final class MetricsPicture {
  private static final int WIDTH = 50;

  private MetricsPicture() {}

  /** A line for each entry, with a bar as long as its part of the largest. */
  static void bars(PrintStream out, Map<String, Long> values) {
    long most = values.values().stream().mapToLong(value -> value).max().orElse(1);
    values.forEach(
        (name, value) ->
            out.printf(
                "%20s %,12d %s%n",
                name, value, "#".repeat((int) Math.ceil((double) value * WIDTH / most))));
  }

  /** How many values of a distribution, from 1 on, lie between powers of two. */
  static void histogram(PrintStream out, Summary summary) {
    SortedMap<Integer, Long> powers = new TreeMap<>();
    summary
        .histogram()
        .forEach((value, count) -> powers.merge(Math.getExponent(value), count, Long::sum));
    Map<String, Long> named = new LinkedHashMap<>();
    powers.forEach(
        (power, count) -> named.put("%,d to %,d".formatted(1L << power, 1L << (power + 1)), count));
    bars(out, named);
  }
}
