package io.ishbase.archetypes.metrics;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Which series of a metric are asked for, for what time, and by what they are grouped. Immutable:
 * each method returns another one.
 */
public final class Query {
  /** The end of time for queries: the year 9999. */
  static final long END_OF_TIME = 253_402_300_800_000L;

  private final String metric;
  private final long fromMillis;
  private final long toMillis;
  private SortedMap<String, Optional<String>> tags = new TreeMap<>();
  private SortedSet<String> groups = new TreeSet<>();
  private boolean bySeries;
  private @Nullable Resolution step;
  private boolean totalsOnly;

  private Query(String metric, long fromMillis, long toMillis) {
    this.metric = metric;
    this.fromMillis = fromMillis;
    this.toMillis = toMillis;
  }

  /**
   * All of {@code metric} in some time, as one group.
   *
   * @param fromMillis the first moment, a whole second since 1970
   * @param toMillis the end, not in it, a whole second
   * @throws IllegalArgumentException if the metric is not one, the times are not whole seconds, not
   *     in order, or not between 1970 and the year 9999
   */
  public static Query of(String metric, long fromMillis, long toMillis) {
    Series.checkText("metric", metric, Series.MAX_TEXT_BYTES);
    if (fromMillis < 0 || toMillis <= fromMillis || toMillis > END_OF_TIME) {
      throw new IllegalArgumentException(
          "No time is from %d ms to %d ms".formatted(fromMillis, toMillis));
    }
    if (fromMillis % Resolution.SECOND.stepMillis() != 0
        || toMillis % Resolution.SECOND.stepMillis() != 0) {
      throw new IllegalArgumentException(
          "Time is counted in whole seconds, not from %d ms to %d ms"
              .formatted(fromMillis, toMillis));
    }
    return new Query(metric, fromMillis, toMillis);
  }

  /** Only series whose tag {@code key} is {@code value}. */
  public Query where(String key, String value) {
    return with(query -> query.tags.put(key, Optional.of(value)));
  }

  /** Only series that have the tag {@code key}, with any value. */
  public Query whereAny(String key) {
    return with(query -> query.tags.put(key, Optional.empty()));
  }

  /** A group for each value of the tag {@code key}, and one for the series without it. */
  public Query groupBy(String key) {
    return with(query -> query.groups.add(key));
  }

  /** A group for each series. */
  public Query groupBySeries() {
    return with(query -> query.bySeries = true);
  }

  /** A group for each bucket of time. */
  public Query step(Resolution resolution) {
    return with(query -> query.step = resolution);
  }

  /** Totals of counters only: no distributions are read. */
  public Query totalsOnly() {
    return with(query -> query.totalsOnly = true);
  }

  private Query with(Consumer<Query> change) {
    Query copy = new Query(metric, fromMillis, toMillis);
    copy.tags = new TreeMap<>(tags);
    copy.groups = new TreeSet<>(groups);
    copy.bySeries = bySeries;
    copy.step = step;
    copy.totalsOnly = totalsOnly;
    change.accept(copy);
    return copy;
  }

  String metric() {
    return metric;
  }

  long fromMillis() {
    return fromMillis;
  }

  long toMillis() {
    return toMillis;
  }

  /** What tags must be; empty: anything. */
  SortedMap<String, Optional<String>> tags() {
    return tags;
  }

  boolean isTotalsOnly() {
    return totalsOnly;
  }

  /** The coarsest buckets that are of use. */
  Resolution coarsest() {
    return step == null ? Resolution.DAY : step;
  }

  /** In which group a bucket of {@code series} that begins at {@code millis} is counted. */
  Group group(Series series, long millis) {
    return new Group(groupTags(series), step == null ? fromMillis : step.floor(millis));
  }

  private SortedMap<String, String> groupTags(Series series) {
    if (bySeries) {
      return series.tags();
    }
    SortedMap<String, String> values = new TreeMap<>();
    for (String key : groups) {
      String value = series.tags().get(key);
      if (value != null) {
        values.put(key, value);
      }
    }
    return Collections.unmodifiableSortedMap(values);
  }
}
