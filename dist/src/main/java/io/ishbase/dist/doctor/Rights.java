package io.ishbase.dist.doctor;

import io.ishbase.dist.doctor.ClusterFacts.Answer;
import io.ishbase.dist.doctor.ClusterFacts.Daemon;
import java.util.ArrayList;
import java.util.List;

/** Whether daemons can read HBase's files, tried with one of them. */
final class Rights implements Check {
  private static final String ABOUT = "reads by daemons";

  @Override
  public List<Finding> check(ClusterFacts facts) {
    List<Finding> findings = new ArrayList<>();
    int fine = 0;
    for (Daemon daemon : facts.daemons()) {
      if (daemon.answer().kind() != Answer.Kind.ANSWERED || daemon.trial().file().isEmpty()) {
        continue;
      }
      if (daemon.trial().code().equals("OK")) {
        fine++;
      } else {
        findings.add(
            Finding.fail(
                "daemon " + daemon.name(),
                "cannot read "
                    + daemon.trial().file()
                    + ": "
                    + daemon.trial().code()
                    + ": "
                    + daemon.trial().message(),
                todo(daemon.trial().code())));
      }
    }
    if (fine > 0) {
      findings.add(0, Finding.ok(ABOUT, fine + " daemons have read one of HBase's files"));
    }
    return findings;
  }

  private static String todo(String code) {
    return switch (code) {
      case "REFUSED" -> "run it as the region servers' user, with their hbase.rootdir";
      case "NO_FILE" -> "nothing, if a compaction took the file meanwhile; else its hbase.rootdir";
      case "BUSY", "STOPPING" -> "nothing, if it passes";
      default -> "its log says more";
    };
  }
}
