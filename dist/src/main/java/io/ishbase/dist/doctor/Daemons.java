package io.ishbase.dist.doctor;

import io.ishbase.dist.doctor.ClusterFacts.Answer;
import io.ishbase.dist.doctor.ClusterFacts.Daemon;
import java.util.ArrayList;
import java.util.List;

/** Whether daemons are registered, and answer. */
final class Daemons implements Check {
  private static final String ABOUT = "daemons";

  @Override
  public List<Finding> check(ClusterFacts facts) {
    if (!facts.registry().isEmpty()) {
      return List.of(
          Finding.fail(
              ABOUT,
              "ZooKeeper does not say which are registered: " + facts.registry(),
              "zookeeper.znode.parent, and who may read there"));
    }
    if (facts.daemons().isEmpty()) {
      boolean needed = facts.readInStorage().findAny().isPresent();
      String seen = "none is registered in ZooKeeper";
      String todo =
          "start io.ishbase.daemon.Issn beside each DataNode; check their ZooKeeper quorum and"
              + " zookeeper.znode.parent";
      return facts.isAttached() || needed
          ? List.of(needed ? Finding.fail(ABOUT, seen, todo) : Finding.warn(ABOUT, seen, todo))
          : List.of();
    }
    List<Finding> findings = new ArrayList<>();
    for (Daemon daemon : facts.daemons()) {
      bad(daemon, findings);
    }
    long answering =
        facts.daemons().stream()
            .filter(daemon -> daemon.answer().kind() == Answer.Kind.ANSWERED)
            .count();
    if (answering > 0) {
      findings.add(
          0,
          Finding.ok(
              ABOUT, answering + " of " + facts.daemons().size() + " registered ones answer"));
    }
    return findings;
  }

  private static void bad(Daemon daemon, List<Finding> findings) {
    String name = "daemon " + daemon.name();
    if (!daemon.fault().isEmpty()) {
      findings.add(
          Finding.fail(
              name,
              "its registration is ignored: " + daemon.fault(),
              "its settings ishbase.issn.hostname, .port and .datanode; its release"));
      return;
    }
    switch (daemon.answer().kind()) {
      case ANSWERED -> {}
      case REFUSED ->
          findings.add(
              Finding.warn(
                  name,
                  "it turns this user away: " + daemon.answer().text(),
                  "run this command as the region servers' user to see more"));
      case SILENT ->
          findings.add(
              Finding.fail(
                  name,
                  "registered, and does not answer: " + daemon.answer().text(),
                  "its host, its log; region servers read over HBase's path meanwhile"));
    }
  }
}
