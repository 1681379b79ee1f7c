package io.ishbase.testing;

/**
 * The seed of a run of random tests: a fresh one for each run of Maven, printed by each test that
 * draws from it; {@code -Dishbase.seed=S} gives one back.
 */
public final class Seed {
  private static final long SEED = Long.getLong("ishbase.seed", System.nanoTime());

  private Seed() {}

  /** The seed, which it prints. */
  public static long get() {
    System.out.println("seed: -Dishbase.seed=" + SEED);
    return SEED;
  }
}
