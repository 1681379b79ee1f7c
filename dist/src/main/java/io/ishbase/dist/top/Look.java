package io.ishbase.dist.top;

import io.ishbase.cluster.MetricsPage;
import java.util.List;

/**
 * What all servers showed at one time.
 *
 * @param nanos when, by {@link System#nanoTime}
 * @param masters those that show a compaction manager
 */
public record Look(
    long nanos, List<Server> regionServers, List<Server> daemons, List<Server> masters) {
  /**
   * One server.
   *
   * @param name for people, and the same in the next look as long as the process lives
   * @param requests a second, as HBase says; negative: nobody says
   * @param page what it shows; empty: nothing, for that reason
   */
  public record Server(String name, double requests, MetricsPage page, String failure) {}
}
