package io.ishbase.plugin.compaction;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.metrics2.util.MBeans;

/** The last compactions, and why they went where they went. The lines are guarded by this. */
public final class RecentCompactions implements RecentCompactionsMXBean {
  private static final int KEPT = 100;
  private static final RecentCompactions INSTANCE = new RecentCompactions();

  private final Deque<String> lines = new ArrayDeque<>();
  private final Map<String, Supplier<String>> running = new ConcurrentHashMap<>();

  private RecentCompactions() {
    MBeans.register("HBase", "RegionServer,sub=InStorageRecentCompactions", this);
  }

  public static RecentCompactions get() {
    return INSTANCE;
  }

  synchronized void add(String line) {
    if (lines.size() == KEPT) {
      lines.removeFirst();
    }
    Instant now = Instant.ofEpochMilli(EnvironmentEdgeManager.currentTime());
    lines.addLast(now.truncatedTo(ChronoUnit.SECONDS) + " " + line);
  }

  /** {@code description} is asked for as long as the attempt is under way. */
  void begin(String attempt, Supplier<String> description) {
    running.put(attempt, description);
  }

  void end(String attempt) {
    running.remove(attempt);
  }

  @Override
  public List<String> getRunning() {
    return running.entrySet().stream()
        .map(entry -> entry.getKey() + " " + entry.getValue().get())
        .toList();
  }

  @Override
  public synchronized List<String> getRecent() {
    return List.copyOf(lines);
  }
}
