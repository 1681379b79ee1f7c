package io.ishbase.it;

import io.ishbase.plugin.metrics.CompactionMetrics;

/** Compactions of this process's region servers since this was made. */
final class CompactionCounts {
  private final long offloaded = CompactionMetrics.get().offloaded();
  private final long local = CompactionMetrics.get().local();

  long offloaded() {
    return CompactionMetrics.get().offloaded() - offloaded;
  }

  long local() {
    return CompactionMetrics.get().local() - local;
  }
}
