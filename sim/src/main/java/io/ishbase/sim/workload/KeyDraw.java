package io.ishbase.sim.workload;

import java.util.SplittableRandom;

/** Draws rows. */
interface KeyDraw {
  /**
   * A row.
   *
   * @param before requests before this one
   */
  int draw(SplittableRandom random, long before);

  /** That of the parameters. */
  static KeyDraw of(Parameters parameters, int keys, Inserts inserts) {
    switch (parameters.word("keys")) {
      case "uniform":
        return (random, before) -> random.nextInt(keys);
      case "zipf":
        Zipf ranks = new Zipf(keys, parameters.number("zipf.exponent"));
        return (random, before) -> inserts.place(ranks.draw(random));
      case "latest":
        Zipf ages = new Zipf(keys, parameters.number("zipf.exponent"));
        return (random, before) -> inserts.before(ages.draw(random));
      case "moving":
        return moving(parameters, keys);
      case "mixgraph":
        return new Mixgraph(parameters, keys);
      default:
        throw new IllegalArgumentException("No such keys: " + parameters.word("keys"));
    }
  }

  private static KeyDraw moving(Parameters parameters, int keys) {
    int rows = (int) Math.max(1, Math.min(keys, parameters.number("moving.share") * keys));
    long requests = Math.max(1, Math.round(parameters.number("moving.requests")));
    return (random, before) -> (int) ((before * rows / requests + random.nextInt(rows)) % keys);
  }
}
