package io.ishbase.sim.figure;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.sim.workload.Parameters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every figure at a small size, as text in {@code src/test/resources/golden}. {@code
 * -Dishbase.golden=write} writes them anew, to be reviewed as a change.
 */
class GoldenFiguresTest {
  private static final Path GOLDEN = Path.of("src/test/resources/golden");
  private static final Parameters SMALL =
      Parameters.seed()
          .with("blocks", 512)
          .with("requests", 3000)
          .with("flush.bytes", 16384)
          .with("window.queries", 500);

  static Iterable<Recipe> recipes() {
    return Catalogue.all();
  }

  @ParameterizedTest
  @MethodSource("recipes")
  void figure(Recipe recipe) throws IOException {
    int[] made = {0};
    String text = recipe.make(new Runs(SMALL, 1, 1, () -> made[0]++)).text();
    assertThat(made[0]).as("runs that were announced").isEqualTo(recipe.runs());
    Path file = GOLDEN.resolve(recipe.name() + ".txt");
    if ("write".equals(System.getProperty("ishbase.golden"))) {
      Files.createDirectories(GOLDEN);
      Files.writeString(file, text);
    }
    assertThat(text).isEqualTo(Files.readString(file));
  }

  /** What is shown is what ships: another constant of its policy is another figure. */
  @Test
  void figuresMoveWithAPolicyThatShips() {
    Recipe fig20 = Catalogue.all().get(0);
    Parameters full = SMALL.with("blocks", 256).with("requests", 20_000);
    Figure shipped = fig20.make(new Runs(full, 1, 1, () -> {}));
    Figure other = fig20.make(new Runs(full.with("policy.small.share", 0.5), 1, 1, () -> {}));
    int ours = shipped.x().indexOf("in-storage");
    int seeds = shipped.x().indexOf("IS-HBase-SA");
    assertThat(qps(other, ours)).isNotEqualTo(qps(shipped, ours));
    assertThat(qps(other, seeds)).isEqualTo(qps(shipped, seeds));
  }

  private static double qps(Figure figure, int row) {
    return figure.columns().get(0).values().get(row);
  }
}
