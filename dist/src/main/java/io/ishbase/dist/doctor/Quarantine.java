package io.ishbase.dist.doctor;

import io.ishbase.cluster.RegionServerJmx;
import io.ishbase.core.Reason;
import io.ishbase.dist.doctor.ClusterFacts.PlugInFacts;
import io.ishbase.dist.doctor.ClusterFacts.RegionServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What region servers leave alone because it failed. */
final class Quarantine implements Check {
  private static final String ABOUT = "quarantine";

  @Override
  public List<Finding> check(ClusterFacts facts) {
    List<Finding> findings = new ArrayList<>();
    for (RegionServer server : facts.regionServers()) {
      Map<Boolean, List<String>> byKind =
          server.plugIn().value().map(PlugInFacts::quarantined).orElse(List.of()).stream()
              .collect(
                  Collectors.partitioningBy(name -> name.startsWith(RegionServerJmx.READS_OF)));
      if (!byKind.get(true).isEmpty()) {
        findings.add(
            Finding.fail(
                ABOUT,
                server.name() + " does not read in-storage: " + Names.of(byKind.get(true)),
                Remedies.of(Reason.DIFFERENT)));
      }
      if (!byKind.get(false).isEmpty()) {
        findings.add(
            Finding.warn(
                ABOUT,
                server.name() + " leaves alone: " + Names.of(byKind.get(false)),
                "what failed there, by its fallbacks; `update_config` in the HBase shell lets all be"
                    + " tried again"));
      }
    }
    if (findings.isEmpty()
        && facts.regionServers().stream().anyMatch(server -> server.plugIn().value().isPresent())) {
      findings.add(Finding.ok(ABOUT, "nothing is left alone"));
    }
    return findings;
  }
}
