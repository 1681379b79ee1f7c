package io.ishbase.plugin.compaction;

import java.util.List;

/** Where compactions of tables that offload them are and were carried out, for operators. */
public interface RecentCompactionsMXBean {
  /** One line each, the newest last. */
  List<String> getRecent();

  /** Those that workers carry out now: attempt, store, worker, how far. */
  List<String> getRunning();
}
