package io.ishbase.dist.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Which servers show no page, so that nobody takes silence for health. */
final class Pages implements Check {
  @Override
  public List<Finding> check(ClusterFacts facts) {
    Map<String, List<String>> servers = new TreeMap<>();
    facts.regionServers().stream()
        .filter(server -> server.settings().value().isEmpty())
        .forEach(server -> add(servers, server.settings().whyNot(), server.name()));
    Map<String, List<String>> daemons = new TreeMap<>();
    facts.daemons().stream()
        .filter(daemon -> daemon.settings().value().isEmpty())
        .forEach(daemon -> add(daemons, daemon.settings().whyNot(), daemon.name()));
    List<Finding> findings = new ArrayList<>();
    servers.forEach(
        (why, names) ->
            findings.add(
                Finding.warn(
                    "pages",
                    "region servers not looked into: " + Names.of(names) + ": " + why,
                    "their plug-in, settings, memory, clock and fallbacks are not checked; their"
                        + " pages must be reachable from here over HTTP")));
    daemons.forEach(
        (why, names) ->
            findings.add(
                Finding.warn(
                    "pages",
                    "daemons not looked into: " + Names.of(names) + ": " + why,
                    "their settings, clock and short-circuit reads are not checked")));
    return findings;
  }

  private static void add(Map<String, List<String>> names, String why, String name) {
    names.computeIfAbsent(why, key -> new ArrayList<>()).add(name);
  }
}
