package io.ishbase.sim.compaction;

/** Who carries out the compactions of region servers. */
public enum Who {
  /** Nobody: files pile up. */
  NOBODY,

  /** The region server, which drops the old files' blocks from its cache: stock HBase. */
  HOME,

  /** The same, with the new file's blocks put into the cache as they are written. */
  HOME_WRITE_THROUGH,

  /**
   * Compaction servers as in the seed, for "large, expensive compactions": a region has its server
   * and waits for it; a slot is taken until the new file has been transferred as well (6.3).
   */
  SERVERS,

  /**
   * Compaction servers as shipped: any server, by queue and placement; after the patience the
   * region server compacts itself; a slot is free once the new file is written.
   */
  OURS;

  boolean isRemote() {
    return this == SERVERS || this == OURS;
  }
}
