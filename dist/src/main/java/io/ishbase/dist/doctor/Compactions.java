package io.ishbase.dist.doctor;

import io.ishbase.dist.attach.PlugIn;
import io.ishbase.dist.attach.PlugInList;
import io.ishbase.dist.doctor.ClusterFacts.Daemon;
import io.ishbase.dist.doctor.ClusterFacts.RegionServer;
import io.ishbase.dist.doctor.ClusterFacts.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

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
    for (PlugIn place : PlugIn.COMPACTIONS) {
      Set<String> tables = new TreeSet<>();
      Set<String> without = new TreeSet<>();
      for (RegionServer server : facts.regionServers()) {
        if (server.settings().value().isPresent()) {
          facts
              .offloaded()
              .filter(table -> facts.withOtherCompactor(table, server).equals(Optional.of(place)))
              .forEach(
                  table -> {
                    tables.add(table.name());
                    without.add(server.name());
                  });
        }
      }
      if (!without.isEmpty()) {
        findings.add(
            Finding.fail(
                ABOUT,
                Names.of(List.copyOf(tables))
                    + " to be offloaded, and "
                    + Names.of(List.copyOf(without))
                    + " do it themselves: "
                    + place.key()
                    + " is not the plug-in's",
                "./ishbase attach, and a restart"));
      }
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
