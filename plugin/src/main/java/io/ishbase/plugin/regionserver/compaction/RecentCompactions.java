package io.ishbase.plugin.regionserver.compaction;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.metrics2.util.MBeans;

/** The last compactions, and why they went where they went. Guarded by its monitor. */
final class RecentCompactions implements RecentCompactionsMXBean {
  private static final int KEPT = 100;
  private static final RecentCompactions INSTANCE = new RecentCompactions();

  private final Deque<String> lines = new ArrayDeque<>();

  private RecentCompactions() {
    MBeans.register("HBase", "RegionServer,sub=InStorageRecentCompactions", this);
  }

  static RecentCompactions get() {
    return INSTANCE;
  }

  synchronized void add(String line) {
    if (lines.size() == KEPT) {
      lines.removeFirst();
    }
    Instant now = Instant.ofEpochMilli(EnvironmentEdgeManager.currentTime());
    lines.addLast(now.truncatedTo(ChronoUnit.SECONDS) + " " + line);
  }

  @Override
  public synchronized List<String> getRecent() {
    return List.copyOf(lines);
  }
}
