package io.ishbase.it.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What one test class did in one mode, from the lines that {@link TestClassMain} wrote.
 *
 * @param failed method to exception
 * @param counters in-storage requests and cells, fallbacks by reason
 */
record ClassRun(
    SortedSet<String> passed,
    SortedSet<String> skipped,
    Map<String, String> failed,
    Map<String, Long> counters,
    long seconds) {
  /** The name under which it fails if the whole class did not come to its end. */
  static final String WHOLE_CLASS = "(class)";

  static ClassRun of(List<String> lines, long seconds) {
    SortedSet<String> passed = new TreeSet<>();
    SortedSet<String> skipped = new TreeSet<>();
    Map<String, String> failed = new TreeMap<>();
    Map<String, Long> counters = new TreeMap<>();
    boolean done = false;
    for (String line : lines) {
      String[] fields = line.split("\t", 3);
      switch (fields[0]) {
        case "passed" -> passed.add(fields[1]);
        case "skipped" -> skipped.add(fields[1]);
        case "failed" -> failed.put(fields[1], fields[2]);
        case "counted" -> counters.put(fields[1], Long.parseLong(fields[2]));
        case "done" -> done = true;
        default -> throw new IllegalArgumentException("What is this: " + line);
      }
    }
    if (!done) {
      failed.putIfAbsent(WHOLE_CLASS, "did not come to its end");
    }
    return new ClassRun(passed, skipped, failed, counters, seconds);
  }

  /** Cells that storage daemons sent. */
  long cells() {
    return counters.getOrDefault("cells", 0L);
  }

  /**
   * Methods that fail here and not in {@code stock}. A class that did not run at all says nothing,
   * so it counts as one.
   */
  List<String> worseThan(ClassRun stock) {
    List<String> worse = new ArrayList<>(failed.keySet());
    if (!passed.isEmpty()) {
      worse.removeAll(stock.failed.keySet());
    }
    return worse;
  }

  String summary() {
    StringBuilder text =
        new StringBuilder(
            passed.size()
                + " passed, "
                + failed.size()
                + " failed, "
                + skipped.size()
                + " skipped");
    counters.forEach(
        (name, count) -> {
          if (count > 0) {
            text.append(", ").append(count).append(' ').append(name);
          }
        });
    return text.append(", ").append(seconds).append(" s").toString();
  }
}
