package io.ishbase.it.metamorphic;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * The same operations in some configurations; {@code ./ishbase metamorphic} has more. Another seed
 * each time, unless {@code -Dishbase.metamorphic.seed=N} gives one back.
 */
class MetamorphicTest {
  private static final int OPERATIONS = Integer.getInteger("ishbase.metamorphic.operations", 200);
  private static final int CONFIGURATIONS = 6;

  /** A failing file of a CI run is whole in target/metamorphic. */
  private static final Duration SHRINKING = Duration.ofMinutes(2);

  /** Another each time: those of other tests of this module are the same for all runs. */
  static long seed() {
    long seed = Long.getLong("ishbase.metamorphic.seed", System.nanoTime());
    System.out.println("seed: -Dishbase.metamorphic.seed=" + seed);
    return seed;
  }

  @Test
  void allConfigurationsAnswerAlike() throws Exception {
    long seed = seed();
    try (Metamorphic metamorphic =
        new Metamorphic(
            Path.of("target", "metamorphic"),
            System.out,
            (subject, operation, answer) -> answer)) {
      String difference =
          metamorphic.run(
              "seed-" + seed, Metamorphic.draw(seed, OPERATIONS, CONFIGURATIONS), SHRINKING);
      System.out.println(metamorphic.summary());
      assertThat(difference).isNull();
    }
  }
}
