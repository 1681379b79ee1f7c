package io.ishbase.it;

import io.ishbase.core.compaction.LocalReason;
import io.ishbase.plugin.metrics.CompactionMetrics;
import java.util.EnumMap;
import java.util.Map;

/** Compactions of this process's region servers since this was made. */
final class CompactionCounts {
  private final long offloaded = CompactionMetrics.get().offloaded();
  private final long local = CompactionMetrics.get().local();
  private final Map<LocalReason, Long> reasons = reasons();

  private static Map<LocalReason, Long> reasons() {
    Map<LocalReason, Long> counts = new EnumMap<>(LocalReason.class);
    for (LocalReason reason : LocalReason.values()) {
      counts.put(reason, CompactionMetrics.get().local(reason));
    }
    return counts;
  }

  long offloaded() {
    return CompactionMetrics.get().offloaded() - offloaded;
  }

  /** Why some were HBase's own; empty: none was. */
  Map<LocalReason, Long> whyLocal() {
    Map<LocalReason, Long> counts = reasons();
    counts.replaceAll((reason, count) -> count - reasons.get(reason));
    counts.values().removeIf(count -> count == 0);
    return counts;
  }

  long local() {
    return CompactionMetrics.get().local() - local;
  }
}
