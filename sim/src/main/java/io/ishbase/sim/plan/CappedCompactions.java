package io.ishbase.sim.plan;

/**
 * What offloading brings to compactions if links between storage nodes are as slow as those of
 * region servers. A compaction reads each byte once and writes it to each replica: at a region
 * server all comes over its link and goes back; beside the data only the further replicas travel.
 * Bytes a second are those that compactions read, as fast as lines and a compaction's own speed let
 * them.
 *
 * @param aloneToday a compaction that has all lines to itself
 * @param aloneWith the same, offloaded
 * @param allToday as many as there can be
 * @param allWith the same, offloaded
 */
record CappedCompactions(
    int replicas, double aloneToday, double aloneWith, double allToday, double allWith) {
  /**
   * Compactions that a region server carries out at once: HBase has a thread for large ones too.
   */
  private static final int AT_ONCE = 2;

  static CappedCompactions of(Values values, int replicas) {
    double servers = values.of("region.servers");
    double nodes = values.of("storage.nodes");
    int kept = (int) Math.min(replicas, nodes);
    double link = values.bytesPerSecond("region.server.mbps");
    double speed = values.of("compaction.mb.s") * (1 << 20);
    double core = values.of("core.mbps") > 0 ? values.bytesPerSecond("core.mbps") : 1e18;
    double today = Math.min(Math.min(servers * link, core), nodes * link / kept);
    double between = kept == 1 ? Double.POSITIVE_INFINITY : link;
    return new CappedCompactions(
        replicas,
        Math.min(speed, Math.min(link, core)),
        Math.min(speed, between),
        Math.min(AT_ONCE * servers * speed, today),
        Math.min(
            values.of("worker.slots") * nodes * speed, nodes * between / Math.max(1, kept - 1)));
  }
}
