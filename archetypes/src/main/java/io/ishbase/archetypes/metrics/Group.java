package io.ishbase.archetypes.metrics;

import java.util.Comparator;
import java.util.Iterator;
import java.util.Map;
import java.util.SortedMap;

/**
 * What a line of an answer is about. Ordered by tags, then by time.
 *
 * @param tags the tags by which the query groups, as far as its series have them
 * @param startMillis the beginning of the bucket; of the query, if it groups by no time
 */
public record Group(SortedMap<String, String> tags, long startMillis) implements Comparable<Group> {
  private static final Comparator<Map.Entry<String, String>> BY_TAG =
      Map.Entry.<String, String>comparingByKey().thenComparing(Map.Entry.comparingByValue());

  /** The value of a tag; empty: the series of the group do not have it. */
  public String tag(String key) {
    return tags.getOrDefault(key, "");
  }

  @Override
  public int compareTo(Group other) {
    Iterator<Map.Entry<String, String>> theirs = other.tags.entrySet().iterator();
    for (Map.Entry<String, String> tag : tags.entrySet()) {
      if (!theirs.hasNext()) {
        return 1;
      }
      int order = BY_TAG.compare(tag, theirs.next());
      if (order != 0) {
        return order;
      }
    }
    return theirs.hasNext() ? -1 : Long.compare(startMillis, other.startMillis);
  }
}
