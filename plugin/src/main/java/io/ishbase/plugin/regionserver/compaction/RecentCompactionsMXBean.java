package io.ishbase.plugin.regionserver.compaction;

import java.util.List;

/** Where the last compactions of tables that offload them were carried out, for operators. */
public interface RecentCompactionsMXBean {
  /** One line each, the newest last. */
  List<String> getRecent();
}
