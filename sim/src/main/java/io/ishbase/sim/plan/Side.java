package io.ishbase.sim.plan;

import io.ishbase.sim.design.Designs;

/** What is compared. */
public enum Side {
  /** HBase as it is: blocks, a block cache, compactions at the region servers. */
  TODAY(Designs.B),
  /** In-storage reads, the segment cache, compactions beside the data. */
  WITH(Designs.IN_STORAGE);

  private final Designs design;

  Side(Designs design) {
    this.design = design;
  }

  /** How its caches behave. */
  public Designs design() {
    return design;
  }
}
