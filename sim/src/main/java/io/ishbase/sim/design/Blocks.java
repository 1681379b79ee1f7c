package io.ishbase.sim.design;

/** Which blocks a cache has. */
interface Blocks {
  /** Whether it is there; it has been asked for then. */
  boolean touch(int block);

  /** Takes in one that came; others may have to go. */
  void add(int block);
}
