package io.ishbase.dist.doctor;

import io.ishbase.cluster.sample.ClockOffset;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Whether servers agree on the time: cells expire by it, and a worker refuses if it is too wrong.
 */
final class Clocks implements Check {
  private static final String ABOUT = "clocks";
  private static final long MOST_MILLIS = 1000;

  @Override
  public List<Finding> check(ClusterFacts facts) {
    Map<String, ClockOffset> clocks = new TreeMap<>();
    facts
        .regionServers()
        .forEach(
            server -> server.clock().value().ifPresent(clock -> clocks.put(server.name(), clock)));
    facts
        .daemons()
        .forEach(
            daemon -> daemon.clock().value().ifPresent(clock -> clocks.put(daemon.name(), clock)));
    if (clocks.size() < 2) {
      return List.of();
    }
    long worst = 0;
    String between = "";
    for (Map.Entry<String, ClockOffset> one : clocks.entrySet()) {
      for (Map.Entry<String, ClockOffset> other : clocks.entrySet()) {
        long difference = one.getValue().leastDifference(other.getValue());
        if (difference > worst) {
          worst = difference;
          between = one.getKey() + " and " + other.getKey();
        }
      }
    }
    return List.of(
        worst > MOST_MILLIS
            ? Finding.warn(
                ABOUT,
                between + " differ by " + worst + " ms at least",
                "NTP or chrony; beyond hbase.master.maxclockskew workers refuse compactions")
            : Finding.ok(
                ABOUT, clocks.size() + " servers agree to a second, as far as their pages tell"));
  }
}
