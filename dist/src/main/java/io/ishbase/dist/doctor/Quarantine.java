package io.ishbase.dist.doctor;

import java.util.ArrayList;
import java.util.List;

/** What region servers leave alone because it failed. */
final class Quarantine implements Check {
  @Override
  public List<Finding> check(ClusterFacts facts) {
    List<Finding> findings = new ArrayList<>();
    facts
        .regionServers()
        .forEach(
            server ->
                server
                    .plugIn()
                    .value()
                    .filter(shown -> !shown.quarantined().isEmpty())
                    .ifPresent(
                        shown ->
                            findings.add(
                                Finding.warn(
                                    "quarantine",
                                    server.name()
                                        + " leaves alone: "
                                        + Names.of(shown.quarantined()),
                                    "what failed there, by its fallbacks; `update_config` in the"
                                        + " HBase shell lets all be tried again"))));
    if (findings.isEmpty()
        && facts.regionServers().stream().anyMatch(server -> server.plugIn().value().isPresent())) {
      findings.add(Finding.ok("quarantine", "nothing is left alone"));
    }
    return findings;
  }
}
