package io.ishbase.dist.doctor;

import io.ishbase.dist.attach.PlugIn;
import io.ishbase.dist.attach.PlugInList;
import io.ishbase.dist.doctor.ClusterFacts.Daemon;
import io.ishbase.dist.doctor.ClusterFacts.RegionServer;
import io.ishbase.dist.doctor.ClusterFacts.Table;
import java.util.ArrayList;
import java.util.List;

/** Whether somebody is there for compactions that are to be offloaded. */
final class Compactions implements Check {
  private static final String ABOUT = "compactions";

  @Override
  public List<Finding> check(ClusterFacts facts) {
    List<String> offloaded = facts.offloaded().map(Table::name).toList();
    if (offloaded.isEmpty()) {
      return List.of();
    }
    List<Finding> findings = new ArrayList<>();
    List<String> without =
        facts.regionServers().stream()
            .filter(server -> server.settings().value().isPresent())
            .filter(
                server -> !server.setting(PlugIn.COMPACTOR.key()).equals(PlugIn.COMPACTOR.own()))
            .map(RegionServer::name)
            .toList();
    if (!without.isEmpty()) {
      findings.add(
          Finding.fail(
              ABOUT,
              Names.of(offloaded)
                  + " to be offloaded, and "
                  + Names.of(without)
                  + " do it themselves: "
                  + PlugIn.COMPACTOR.key()
                  + " is not the plug-in's",
              "./ishbase attach, and a restart"));
    }
    if (facts.daemons().stream().mapToInt(Daemon::slots).sum() == 0) {
      findings.add(
          Finding.fail(
              ABOUT,
              Names.of(offloaded) + " to be offloaded, and no daemon takes compactions",
              "daemons, with ishbase.issn.compactions above 0"));
    }
    if (!facts.hasManager()) {
      findings.add(
          Finding.warn(
              ABOUT,
              "no manager: "
                  + (facts.master().coprocessors().contains("CompactionManager")
                      ? "the master has the coprocessor, but it is not registered"
                      : "the master has no coprocessor CompactionManager"),
              "region servers choose daemons by themselves, and may choose the same one: "
                  + PlugInList.MASTER_COPROCESSORS.key()
                  + " (./ishbase attach)"));
    }
    if (findings.isEmpty()) {
      findings.add(Finding.ok(ABOUT, "offloaded for " + Names.of(offloaded) + ", with a manager"));
    }
    return findings;
  }
}
