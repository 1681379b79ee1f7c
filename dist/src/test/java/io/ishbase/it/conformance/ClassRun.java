package io.ishbase.it.conformance;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What one test class did in one pass, from the lines that {@link TestClassMain} wrote.
 *
 * @param passed methods, with their parameters
 * @param skipped by an assumption of theirs; those that nobody is to run are nowhere
 * @param failed method, with its parameters, to exception
 * @param counters what is above zero, by the names below
 */
record ClassRun(
    SortedSet<String> passed,
    SortedSet<String> skipped,
    Map<String, String> failed,
    Map<String, Long> counters,
    long seconds) {
  private static final int LONGEST_WHY = 160;

  /** The name under which it fails if the whole class did not come to its end. */
  static final String WHOLE_CLASS = "(class)";

  /** Requests to daemons for cells. */
  static final String REQUESTS = "requests";

  /** Cells that daemons sent. */
  static final String CELLS = "cells";

  /** Gets of a store that the segment cache answered. */
  static final String CACHE_HITS = "cache-hits";

  /** Rows that came into the segment cache. */
  static final String CACHE_FILLS = "cache-fills";

  /** Compactions that daemons carried out. */
  static final String OFFLOADED = "offloaded";

  /** Before a reason: reads, or rests of reads, over HBase's own path. */
  static final String FALLBACK = "fallback-";

  /** Before a route: reads that {@code auto} sent over it. */
  static final String ROUTE = "route-";

  /** Before a reason: compactions by HBase's own compactor. */
  static final String LOCAL = "local-";

  static ClassRun of(List<String> lines) {
    SortedSet<String> passed = new TreeSet<>();
    SortedSet<String> skipped = new TreeSet<>();
    Map<String, String> failed = new TreeMap<>();
    Map<String, Long> counters = new TreeMap<>();
    long seconds = -1;
    for (String line : lines) {
      String[] fields = line.split("\t", 3);
      switch (fields[0]) {
        case "passed" -> passed.add(fields[1]);
        case "skipped" -> skipped.add(fields[1]);
        case "failed" -> failed.put(fields[1], fields[2]);
        case "counted" -> counters.put(fields[1], Long.parseLong(fields[2]));
        case "done" -> seconds = Long.parseLong(fields[1]);
        default -> throw new IllegalArgumentException("What is this: " + line);
      }
    }
    if (seconds < 0) {
      failed.putIfAbsent(WHOLE_CLASS, "did not come to its end");
    }
    return new ClassRun(passed, skipped, failed, counters, seconds);
  }

  /** What {@link #of} reads. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    passed.forEach(method -> lines.add("passed\t" + method));
    skipped.forEach(method -> lines.add("skipped\t" + method));
    failed.forEach(
        (method, why) ->
            lines.add(
                "failed\t"
                    + method
                    + "\t"
                    + why.substring(0, Math.min(LONGEST_WHY, why.length()))));
    counters.forEach((name, count) -> lines.add("counted\t" + name + "\t" + count));
    if (seconds >= 0) {
      lines.add("done\t" + seconds);
    }
    return lines;
  }

  /** A method without its parameters. */
  static String withoutParameters(String method) {
    return method.replaceFirst("[\\[{].*", "");
  }

  private static SortedSet<String> withoutParameters(Collection<String> variants) {
    SortedSet<String> methods = new TreeSet<>();
    variants.forEach(variant -> methods.add(withoutParameters(variant)));
    return methods;
  }

  long counter(String name) {
    return counters.getOrDefault(name, 0L);
  }

  /** Whether anything of what was read or compacted went another way than stock HBase's. */
  boolean isEvidence() {
    return Stream.of(CELLS, CACHE_HITS, OFFLOADED).anyMatch(name -> counter(name) > 0);
  }

  /** Whether some read, or the rest of one, went over HBase's own path. */
  boolean readBlocks() {
    return counter(ROUTE + "BLOCK") > 0 || !counted(FALLBACK).isEmpty();
  }

  /** Reads and compactions that ended at home because what a daemon sent was wrong. */
  long badAnswers() {
    return counter(FALLBACK + "BAD_ANSWER") + counter(LOCAL + "BAD_ANSWER");
  }

  /** Methods without parameters of which any variant failed. */
  SortedSet<String> failedMethods() {
    return withoutParameters(failed.keySet());
  }

  /**
   * Methods without parameters of which more variants were skipped than in {@code other}. The names
   * of variants may be others each time.
   */
  SortedSet<String> skippedMoreThanIn(ClassRun other) {
    SortedSet<String> methods = withoutParameters(skipped);
    methods.removeIf(method -> skippedVariants(method) <= other.skippedVariants(method));
    return methods;
  }

  private long skippedVariants(String method) {
    return skipped.stream().filter(each -> withoutParameters(each).equals(method)).count();
  }

  /** Methods without parameters of which some variant passed and none failed. */
  SortedSet<String> passedMethods() {
    SortedSet<String> methods = withoutParameters(passed);
    methods.removeAll(failedMethods());
    return methods;
  }

  /** The counters whose names begin with {@code prefix}, as "number name" without the prefix. */
  List<String> counted(String prefix) {
    List<String> texts = new ArrayList<>();
    counters.forEach(
        (name, count) -> {
          if (name.startsWith(prefix)) {
            texts.add(count + " " + name.substring(prefix.length()));
          }
        });
    return texts;
  }

  String summary() {
    return passed.size()
        + " passed, "
        + failed.size()
        + " failed, "
        + skipped.size()
        + " skipped, "
        + seconds
        + " s; "
        + String.join(", ", counted(""));
  }
}
