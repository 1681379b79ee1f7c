package io.ishbase.dist.doctor;

import io.ishbase.dist.doctor.ClusterFacts.Daemon;
import io.ishbase.protocol.Protocol;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Whether region servers and daemons have the same release of IS-HBase. */
final class Releases implements Check {
  private static final String ABOUT = "releases";

  @Override
  public List<Finding> check(ClusterFacts facts) {
    Map<String, List<String>> byRelease = new TreeMap<>();
    facts
        .regionServers()
        .forEach(
            server ->
                server
                    .plugIn()
                    .value()
                    .ifPresent(shown -> add(byRelease, shown.release(), server.name())));
    facts.daemons().forEach(daemon -> add(byRelease, daemon.release(), daemon.name()));
    List<Finding> findings = new ArrayList<>(protocols(facts));
    if (byRelease.size() == 1) {
      findings.add(
          Finding.ok(
              ABOUT,
              "IS-HBase "
                  + byRelease.keySet().iterator().next()
                  + " at all region servers and daemons that say so"));
    } else if (byRelease.size() > 1) {
      findings.add(
          Finding.warn(
              ABOUT,
              byRelease.entrySet().stream()
                  .map(each -> each.getKey() + " at " + Names.of(each.getValue()))
                  .collect(Collectors.joining("; ")),
              "nothing during a rolling upgrade; else the same jars everywhere"));
    }
    return findings;
  }

  /** The protocol of this command is that of its release, which the plug-in should have. */
  private static List<Finding> protocols(ClusterFacts facts) {
    List<String> others =
        facts.daemons().stream()
            .filter(daemon -> daemon.protocol() != Protocol.VERSION)
            .map(Daemon::name)
            .toList();
    return others.isEmpty()
        ? List.of()
        : List.of(
            Finding.fail(
                ABOUT,
                "daemons that do not speak protocol version "
                    + Protocol.VERSION
                    + " of this command: "
                    + Names.of(others),
                "upgrade the older side; reads go over HBase's path meanwhile"));
  }

  private static void add(Map<String, List<String>> byRelease, String release, String server) {
    byRelease
        .computeIfAbsent(release.isEmpty() ? "unknown" : release, key -> new ArrayList<>())
        .add(server);
  }
}
