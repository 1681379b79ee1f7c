package io.ishbase.dist.doctor;

import io.ishbase.dist.SupportedHBase;
import io.ishbase.dist.SupportedHBase.Standing;
import io.ishbase.dist.doctor.ClusterFacts.RegionServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Whether all servers are of a release of HBase that the plug-in is for. */
final class HBaseReleases implements Check {
  private static final String ABOUT = "HBase";

  @Override
  public List<Finding> check(ClusterFacts facts) {
    Map<String, List<String>> byRelease = new TreeMap<>();
    add(byRelease, facts.master().release(), "master " + facts.master().name());
    for (RegionServer server : facts.regionServers()) {
      add(byRelease, server.release(), server.name());
    }
    List<Finding> findings = new ArrayList<>();
    byRelease.forEach((release, servers) -> findings.add(of(release, servers)));
    return findings;
  }

  private static void add(Map<String, List<String>> byRelease, String release, String server) {
    byRelease.computeIfAbsent(release, key -> new ArrayList<>()).add(server);
  }

  private static Finding of(String release, List<String> servers) {
    if (release.equals(ClusterFacts.UNKNOWN)) {
      return Finding.warn(
          ABOUT,
          "the release of " + Names.of(servers) + " was not seen",
          "`hbase version` there; a secured HBase shows it to its own user");
    }
    String seen = release + " at " + Names.of(servers);
    Standing standing = SupportedHBase.of(release);
    return switch (standing) {
      case TESTED -> Finding.ok(ABOUT, seen);
      case UNTESTED ->
          Finding.warn(
              ABOUT,
              seen + ": not tested with IS-HBase",
              "HBase " + SupportedHBase.TESTED + " is tested; ./ishbase verify compares reads");
      case UNSUPPORTED ->
          Finding.fail(
              ABOUT,
              seen + ": the plug-in is for " + SupportedHBase.RANGE,
              "another HBase, or no plug-in there");
    };
  }
}
