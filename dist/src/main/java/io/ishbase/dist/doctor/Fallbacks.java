package io.ishbase.dist.doctor;

import io.ishbase.core.Reason;
import io.ishbase.core.metric.Metric;
import io.ishbase.dist.doctor.ClusterFacts.PlugInFacts;
import io.ishbase.dist.doctor.ClusterFacts.RegionServer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** How often reads went over HBase's own path since the servers started, and why. */
final class Fallbacks implements Check {
  private static final String ABOUT = "fallbacks";

  /** So many reads may have been late before anything had been read: servers were starting. */
  private static final long MOST_AT_THE_START = 100;

  /** So many may be late on any machine, one whose servers are starting above all. */
  private static final long FEW = 5;

  private static final Set<Reason> OF_TIME =
      EnumSet.of(Reason.TIMEOUT, Reason.LATE, Reason.SILENT, Reason.QUARANTINED, Reason.UNPLACED);

  @Override
  public List<Finding> check(ClusterFacts facts) {
    List<Finding> findings = new ArrayList<>();
    Map<Reason, Long> all = new EnumMap<>(Reason.class);
    boolean isSeen = false;
    for (RegionServer server : facts.regionServers()) {
      if (server.plugIn().value().isEmpty()) {
        continue;
      }
      isSeen = true;
      PlugInFacts shown = server.plugIn().value().get();
      if (shown.differences() > 0) {
        findings.add(
            Finding.fail(
                "reads",
                shown.differences()
                    + " reads at "
                    + server.name()
                    + " had other cells than HBase reads since it started; their clients got HBase's",
                Remedies.of(Reason.DIFFERENT)));
      }
      shown.fallbacks().forEach((reason, count) -> all.merge(reason, count, Long::sum));
      long fallbacks = shown.fallbacks().values().stream().mapToLong(count -> count).sum();
      if (fallbacks > MOST_AT_THE_START && shown.answers() == 0) {
        findings.add(
            Finding.fail(
                ABOUT,
                "no read has been answered by a daemon at "
                    + server.name()
                    + " since it started: "
                    + fallbacks
                    + " went over HBase's path"
                    + tables(facts),
                "what the reasons below say"));
      }
    }
    all.forEach((reason, count) -> findings.add(of(reason, count)));
    if (findings.isEmpty() && isSeen) {
      findings.add(Finding.ok(ABOUT, "none since the region servers started"));
    }
    return findings;
  }

  private static String tables(ClusterFacts facts) {
    List<String> tables = facts.readInStorage().map(ClusterFacts.Table::name).toList();
    return tables.isEmpty() ? "" : "; read in-storage: " + Names.of(tables);
  }

  private static Finding of(Reason reason, long count) {
    String seen =
        count
            + " of fallbacks_"
            + Metric.word(reason)
            + " since the start: "
            + reason.description();
    String remedy = Remedies.of(reason);
    return remedy.startsWith(Remedies.NOTHING) || count <= FEW && OF_TIME.contains(reason)
        ? Finding.ok(ABOUT, seen)
        : Finding.warn(ABOUT, seen, remedy);
  }
}
