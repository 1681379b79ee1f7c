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
 * choice in an attribute, gets no rows, and finds the words under that name for a while.
 */
final class Explanations {
  /** The attribute of a Get or Scan that makes it be explained. */
  static final String ATTRIBUTE = "ishbase.explain";

  private final Cache<String, List<String>> byName =
      Caffeine.newBuilder().maximumSize(100).expireAfterWrite(1, TimeUnit.MINUTES).build();

  void add(String name, List<String> lines) {
    byName
        .asMap()
        .merge(
            name,
            List.copyOf(lines),
            (before, more) -> {
              List<String> all = new ArrayList<>(before);
              all.addAll(more);
              return List.copyOf(all);
            });
  }

  SortedMap<String, List<String>> all() {
    return new TreeMap<>(byName.asMap());
  }
}
