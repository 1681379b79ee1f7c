package io.ishbase.dist.doctor;

import io.ishbase.dist.doctor.ClusterFacts.Daemon;
import java.util.ArrayList;
import java.util.List;

/** Whether each DataNode has a daemon, and each daemon its DataNode. */
final class DataNodes implements Check {
  private static final String ABOUT = "DataNodes";

  @Override
  public List<Finding> check(ClusterFacts facts) {
    List<Daemon> daemons = facts.daemons().stream().filter(Daemon::reads).toList();
    if (daemons.isEmpty()) {
      return List.of();
    }
    if (facts.dataNodes().value().isEmpty()) {
      return List.of(
          Finding.warn(
              ABOUT,
              "not seen: " + facts.dataNodes().whyNot(),
              "whether each has a daemon is not checked; HDFS tells its superuser"));
    }
    List<String> dataNodes = facts.dataNodes().value().get();
    List<String> without = new ArrayList<>(dataNodes);
    daemons.forEach(daemon -> without.remove(daemon.dataNode()));
    List<Finding> findings = new ArrayList<>();
    if (!without.isEmpty()) {
      findings.add(
          Finding.warn(
              ABOUT,
              "without a daemon: " + Names.of(without),
              "start one there: what lies there alone is read by others over the network"));
    }
    for (Daemon daemon : daemons) {
      if (!dataNodes.contains(daemon.dataNode())) {
        findings.add(
            Finding.fail(
                "daemon " + daemon.name(),
                "its DataNode " + daemon.dataNode() + " is none that HDFS knows as live",
                "the DataNode, or ishbase.issn.datanode: it must be the address under which HDFS"
                    + " knows it, or no read goes there"));
      }
    }
    if (findings.isEmpty()) {
      findings.add(Finding.ok(ABOUT, "a daemon beside each of " + dataNodes.size()));
    }
    return findings;
  }
}
