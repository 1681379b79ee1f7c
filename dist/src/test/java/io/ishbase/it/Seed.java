package io.ishbase.it;

/** The seed of a random test: {@code -Dishbase.seed=S}, where 0 draws one; 1 unless said. */
final class Seed {
  private Seed() {}

  /** The seed, which it prints. */
  static long get() {
    long seed = Long.getLong("ishbase.seed", 1);
    if (seed == 0) {
      seed = System.nanoTime();
    }
    System.out.println("seed: -Dishbase.seed=" + seed);
    return seed;
  }
}
