package io.ishbase.bench;

/** The network between compute and storage as a benchmark sees it: a counter and a valve. */
public interface NetworkRig {
  /** Whether {@link #capMbps} works. */
  boolean canCap();

  /** Caps both directions between compute and storage; 0 takes the cap away. */
  void capMbps(int mbps);

  /** Bytes that came from the storage nodes to the compute node so far. */
  long bytesFromStorage();

  /** What {@link #bytesFromStorage} counts, in words. */
  String counting();
}
