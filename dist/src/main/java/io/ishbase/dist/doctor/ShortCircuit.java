package io.ishbase.dist.doctor;

import io.ishbase.dist.doctor.ClusterFacts.Daemon;
import io.ishbase.dist.doctor.ClusterFacts.HdfsReads;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Whether daemons read the blocks beside them without the DataNode. */
final class ShortCircuit implements Check {
  private static final String ABOUT = "short-circuit reads";

  @Override
  public List<Finding> check(ClusterFacts facts) {
    List<Finding> findings = new ArrayList<>();
    int configured = 0;
    int effective = 0;
    for (Daemon daemon : facts.daemons()) {
      if (!daemon.reads() || daemon.settings().value().isEmpty()) {
        continue;
      }
      String fault = fault(daemon.settings().value().get());
      HdfsReads reads = daemon.hdfsReads().value().orElse(new HdfsReads(0, 0));
      if (!fault.isEmpty()) {
        findings.add(
            Finding.warn(
                ABOUT,
                "off at daemon " + daemon.name() + ": " + fault,
                "./ishbase attach says how"));
      } else if (reads.bytes() > 0 && reads.shortCircuitBytes() == 0) {
        findings.add(
            Finding.warn(
                ABOUT,
                "configured at daemon "
                    + daemon.name()
                    + ", and of "
                    + reads.bytes()
                    + " bytes none came so",
                "its log: native library, the socket's directory, dfs.block.local-path-access.user;"
                    + " the DataNode needs the setting too"));
      } else {
        configured++;
        effective += reads.shortCircuitBytes() > 0 ? 1 : 0;
      }
    }
    if (configured > 0) {
      findings.add(
          0,
          Finding.ok(
              ABOUT,
              "configured at "
                  + configured
                  + " daemons, "
                  + effective
                  + " have read so (counted when a file is closed)"));
    }
    return findings;
  }

  private static String fault(Map<String, String> settings) {
    if (!"true".equals(settings.get("dfs.client.read.shortcircuit"))) {
      return "dfs.client.read.shortcircuit is not true";
    }
    boolean isLegacy = "true".equals(settings.get("dfs.client.use.legacy.blockreader.local"));
    return !isLegacy && settings.getOrDefault("dfs.domain.socket.path", "").isBlank()
        ? "dfs.domain.socket.path is not set"
        : "";
  }
}
