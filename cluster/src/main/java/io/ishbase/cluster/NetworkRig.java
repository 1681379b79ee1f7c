package io.ishbase.cluster;

/** The network between compute and storage as a benchmark sees it: a counter and a valve. */
public interface NetworkRig {
  /**
   * Bytes that crossed between compute and storage.
   *
   * @param in from the storage nodes to the compute node
   * @param out from the compute node to the storage nodes
   */
  record Traffic(long in, long out) {
    public Traffic since(Traffic before) {
      return new Traffic(in - before.in, out - before.out);
    }

    public Traffic plus(Traffic other) {
      return new Traffic(in + other.in, out + other.out);
    }
  }

  /** Whether bandwidths can be capped. */
  boolean canCap();

  /** Caps both directions between compute and storage; 0 takes the cap away. */
  void capMbps(int mbps);

  /**
   * Caps both directions of every storage node, whoever is at the other end; 0 takes the cap away.
   */
  void capStorageMbps(int mbps);

  /** Bytes so far. */
  Traffic traffic();

  /** What {@link #traffic} counts, in words. */
  String counting();
}
