package io.ishbase.dist;

import io.ishbase.bench.report.Results;
import io.ishbase.cluster.NetworkRig;
import java.util.Map;

/** Under what figures were measured, beside what each row says. */
final class Conditions {
  private Conditions() {}

  /**
   * Says them.
   *
   * @param cluster what is so of this cluster
   */
  static void of(Map<String, String> cluster, NetworkRig rig, Results results) {
    String commit = Home.commit().orElse("unknown: this is no git repository");
    results.condition(
        "commit",
        commit.endsWith(Results.DIRTY)
            ? commit + ": the tree has uncommitted changes, these figures are not to be quoted"
            : commit);
    results.condition(
        "machine",
        Runtime.getRuntime().availableProcessors()
            + " processors for all servers and the client together");
    cluster.forEach(results::condition);
    results.condition(
        "capped links",
        rig.canCap()
            ? "cap, compute: of each compute node and compaction server to storage, in both"
                + " directions; storage: of each storage node. Links that no column names are not"
                + " capped"
            : "none");
    results.condition(
        "HFiles",
        "blocks of 64 KB, no compression, no encoding, unless a row or the line of a table says"
            + " otherwise");
    results.condition(
        "page cache", "warm: the files were written just before, and nothing was dropped");
  }
}
