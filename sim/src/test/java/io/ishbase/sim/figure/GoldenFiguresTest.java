package io.ishbase.sim.figure;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.sim.parallel.RunThreads;
import io.ishbase.sim.workload.Parameters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
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

  private static final Set<String> OF_EACH_KIND =
      Set.of("fig20", "fig23", "fig24", "fig28", "fig31", "pvldb6", "pvldb7");

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

  /** Text and CSV, to the byte, of figures of each kind. */
  @Test
  void threadsDoNotChangeAFigure() {
    Parameters tiny = SMALL.with("blocks", 256).with("requests", 500).with("window.queries", 50);
    String onOne = all(tiny, RunThreads.none());
    for (int threads : new int[] {1, 5}) {
      try (RunThreads several = RunThreads.of(threads)) {
        assertThat(all(tiny, several)).as("%d threads", threads).isEqualTo(onOne);
      }
    }
  }

  private static String all(Parameters parameters, RunThreads threads) {
    Runs runs = new Runs(parameters, 1, 2, () -> {}, threads);
    List<Recipe> recipes =
        Catalogue.all().stream().filter(recipe -> OF_EACH_KIND.contains(recipe.name())).toList();
    assertThat(recipes).hasSameSizeAs(OF_EACH_KIND);
    recipes.forEach(recipe -> recipe.begin(runs));
    StringBuilder all = new StringBuilder();
    for (Recipe recipe : recipes) {
      Figure figure = recipe.make(runs);
      all.append(figure.text()).append(figure.csv());
    }
    return all.toString();
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
