package io.ishbase.plugin.regionserver;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * How reads would be done that were asked to be explained. A client gives such a read a name of its
 * choice in an attribute, gets no rows, and finds the words under that name for a while. Any client
 * that may read a table may ask, so all of it is bounded: names, their length, lines of a name and
 * their length, together some megabytes.
 */
final class Explanations {
  /** The attribute of a Get or Scan that makes it be explained. */
  static final String ATTRIBUTE = "ishbase.explain";

  static final int MAX_NAMES = 20;
  static final int MAX_NAME_CHARS = 100;

  /** Some dozens of regions. */
  static final int MAX_LINES = 500;

  static final int MAX_LINE_CHARS = 1_000;
  private static final String MORE = "... and more";

  /** Each list is guarded by itself. */
  private final Cache<String, List<String>> byName =
      Caffeine.newBuilder()
          .maximumSize(MAX_NAMES)
          .executor(Runnable::run)
          .expireAfterWrite(1, TimeUnit.MINUTES)
          .build();

  void add(String name, List<String> more) {
    List<String> lines = byName.get(cut(name, MAX_NAME_CHARS), key -> new ArrayList<>());
    synchronized (lines) {
      for (String line : more) {
        if (lines.size() == MAX_LINES) {
          lines.set(MAX_LINES - 1, MORE);
          return;
        }
        lines.add(cut(line, MAX_LINE_CHARS));
      }
    }
  }

  private static String cut(String text, int maxChars) {
    return text.length() <= maxChars ? text : text.substring(0, maxChars - 3) + "...";
  }

  SortedMap<String, List<String>> all() {
    SortedMap<String, List<String>> all = new TreeMap<>();
    byName
        .asMap()
        .forEach(
            (name, lines) -> {
              synchronized (lines) {
                all.put(name, List.copyOf(lines));
              }
            });
    return all;
  }
}
