package io.ishbase.dist.cluster;

/**
 * What may differ between local clusters.
 *
 * @param loopback do without network namespaces even if the rights for them are there
 * @param readMode how reads are answered where neither table nor operation says: stock or
 *     in-storage
 * @param blockCacheBytes size of the region server's block cache
 * @param daemonCacheBytes size of each daemon's block cache
 */
public record ClusterOptions(
    boolean loopback, String readMode, long blockCacheBytes, long daemonCacheBytes) {

  /** For work of any kind. */
  public static ClusterOptions general(boolean loopback, String readMode) {
    return new ClusterOptions(loopback, readMode, 256L << 20, 128L << 20);
  }

  /** For a comparison: the daemons cache no more than the region server. */
  public static ClusterOptions fair(boolean loopback, String readMode, long cacheBytes) {
    return new ClusterOptions(loopback, readMode, cacheBytes, cacheBytes);
  }
}
