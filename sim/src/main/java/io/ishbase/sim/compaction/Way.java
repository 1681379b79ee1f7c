package io.ishbase.sim.compaction;

/** How one compaction over several storage nodes is carried out. */
public enum Way {
  /** At the region server, a block after the other over its line, and back. */
  LEGACY("Legacy", false),

  /** As the seed has it (5.3): the storage node of the new file merges what all nodes scan. */
  IN_STORAGE("IS", false),

  /** What ships: HBase's compactor at the worker that is best, over streams that read ahead. */
  OURS("ours", false),

  /** The same, where the region's files lie at its home, as they do by default. */
  OURS_AT_HOME("ours, home", true);

  private final String label;
  private final boolean isAtHome;

  Way(String label, boolean isAtHome) {
    this.label = label;
    this.isAtHome = isAtHome;
  }

  /** For a legend. */
  public String label() {
    return label;
  }

  boolean isAtHome() {
    return isAtHome;
  }
}
