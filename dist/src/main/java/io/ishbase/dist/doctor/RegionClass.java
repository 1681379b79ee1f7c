package io.ishbase.dist.doctor;

import io.ishbase.dist.attach.PlugIn;
import io.ishbase.dist.doctor.ClusterFacts.RegionServer;
import io.ishbase.dist.doctor.ClusterFacts.Table;
import java.util.ArrayList;
import java.util.List;

/** Whether region servers have the plug-in. */
final class RegionClass implements Check {
  private static final String ABOUT = "plug-in";

  @Override
  public List<Finding> check(ClusterFacts facts) {
    List<RegionServer> seen =
        facts.regionServers().stream().filter(each -> each.settings().value().isPresent()).toList();
    List<RegionServer> without = seen.stream().filter(each -> !each.hasPlugIn()).toList();
    if (seen.isEmpty()) {
      return List.of();
    }
    if (without.size() == seen.size()) {
      return List.of(none(facts));
    }
    List<Finding> findings = new ArrayList<>();
    if (!without.isEmpty()) {
      findings.add(
          Finding.fail(
              ABOUT,
              "not at "
                  + Names.of(without.stream().map(RegionServer::name).toList())
                  + ", where "
                  + PlugIn.REGION.key()
                  + " is '"
                  + without.get(0).setting(PlugIn.REGION.key())
                  + "', but at others",
              "the same hbase-site.xml and jars everywhere, and a restart (./ishbase attach)"));
    }
    facts.withPlugIn().stream()
        .filter(server -> server.plugIn().value().isEmpty())
        .forEach(
            server ->
                findings.add(
                    Finding.warn(
                        ABOUT,
                        server.name() + " shows nothing of it yet: " + server.plugIn().whyNot(),
                        "nothing, if it has no region of a table of users")));
    if (findings.isEmpty()) {
      findings.add(Finding.ok(ABOUT, "at all " + seen.size() + " region servers"));
    }
    return findings;
  }

  private static Finding none(ClusterFacts facts) {
    List<String> waiting =
        facts.tables().stream()
            .filter(table -> table.isReadInStorage("stock") || table.isOffloaded("stock"))
            .map(Table::name)
            .toList();
    String seen = "no region server has it: HBase reads and compacts as ever";
    String todo = "./ishbase attach says how to switch it on";
    return waiting.isEmpty() && facts.daemons().isEmpty()
        ? Finding.warn(ABOUT, seen, todo)
        : Finding.fail(
            ABOUT,
            seen
                + (waiting.isEmpty()
                    ? ", and daemons run"
                    : ", and tables are set otherwise: " + Names.of(waiting)),
            todo);
  }
}
