package io.ishbase.dist.doctor;

import io.ishbase.dist.doctor.ClusterFacts.Answer;
import io.ishbase.dist.doctor.ClusterFacts.Daemon;
import io.ishbase.dist.doctor.ClusterFacts.RegionServer;
import java.util.ArrayList;
import java.util.List;

/** Whether region servers use the daemons that answer here. */
final class DaemonsInUse implements Check {
  private static final String ABOUT = "daemons in use";

  @Override
  public List<Finding> check(ClusterFacts facts) {
    List<String> answering =
        facts.daemons().stream()
            .filter(daemon -> daemon.reads() && daemon.answer().kind() == Answer.Kind.ANSWERED)
            .map(Daemon::name)
            .toList();
    List<Finding> findings = new ArrayList<>();
    int servers = 0;
    for (RegionServer server : facts.withPlugIn()) {
      if (server.plugIn().value().isEmpty()) {
        continue;
      }
      servers++;
      List<String> missing = new ArrayList<>(answering);
      missing.removeAll(server.plugIn().value().get().daemons());
      if (!missing.isEmpty()) {
        findings.add(
            Finding.fail(
                ABOUT,
                server.name() + " does not use what answers here: " + Names.of(missing),
                "whether that region server reaches them: names, firewalls; its log says why"));
      }
    }
    if (findings.isEmpty() && servers > 0 && !answering.isEmpty()) {
      findings.add(
          Finding.ok(
              ABOUT,
              "all " + answering.size() + " that answer, by " + servers + " region servers"));
    }
    return findings;
  }
}
