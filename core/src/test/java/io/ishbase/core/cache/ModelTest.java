package io.ishbase.core.cache;

import io.ishbase.testing.Seed;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ModelTest {
  @Test
  void whatIsCoveredIsWhatTheFilesHold() {
    Random seeds = new Random(Seed.get());
    for (int run = 0; run < 300; run++) {
      long seed = seeds.nextLong();
      boolean small = seeds.nextBoolean();
      try {
        new Model(seed, small).run(1500);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("new Model(" + seed + "L, " + small + ").run(1500)", e);
      }
    }
  }
}
