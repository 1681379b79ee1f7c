package io.ishbase.dist.doctor;

import io.ishbase.cluster.Printable;
import io.ishbase.dist.doctor.Finding.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** All checks of a cluster, and their findings as text. */
public final class Doctor {
  private static final List<Check> CHECKS =
      List.of(
          new HBaseReleases(),
          new Pages(),
          new RegionClass(),
          new Daemons(),
          new Releases(),
          new DaemonsInUse(),
          new DataNodes(),
          new Rights(),
          new ShortCircuit(),
          new Replicas(),
          new Compactions(),
          new WrongSettings(),
          new Quarantine(),
          new Fallbacks(),
          new DirectMemoryFits(),
          new Clocks());

  private Doctor() {}

  /** What there is to be said of a cluster. */
  public static List<Finding> examine(ClusterFacts facts) {
    return CHECKS.stream().flatMap(check -> check.check(facts).stream()).toList();
  }

  /** The findings, a line each and below it what to do, and their numbers at the end. */
  public static List<String> text(List<Finding> findings) {
    List<String> lines = new ArrayList<>();
    for (Finding finding : findings) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%-5s %s: %s",
              finding.level().name().toLowerCase(Locale.ROOT),
              Printable.line(finding.about()),
              Printable.line(finding.seen())));
      if (!finding.todo().isEmpty()) {
        lines.add("      -> " + Printable.line(finding.todo()));
      }
    }
    lines.add(
        count(findings, Level.OK)
            + " ok, "
            + count(findings, Level.WARN)
            + " warn, "
            + count(findings, Level.FAIL)
            + " fail");
    return lines;
  }

  /** Whether something does not work as it is configured to. */
  public static boolean hasFailures(List<Finding> findings) {
    return count(findings, Level.FAIL) > 0;
  }

  private static long count(List<Finding> findings, Level level) {
    return findings.stream().filter(finding -> finding.level() == level).count();
  }
}
