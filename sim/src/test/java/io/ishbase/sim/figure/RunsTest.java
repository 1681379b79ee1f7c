package io.ishbase.sim.figure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.ishbase.sim.design.Designs;
import io.ishbase.sim.workload.Parameters;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunsTest {
  @Test
  void anySeedMayBeTheFirstOfSeveral() {
    Parameters small = Parameters.seed().with("blocks", 64).with("requests", 200);
    Runs runs = new Runs(small, Long.MAX_VALUE, 2, () -> {});
    assertThat(runs.of(Designs.B, small)).hasSize(2);
  }

  @Test
  void figuresOfSeveralSeedsAreTheirMean() {
    Parameters small = Parameters.seed().with("blocks", 256).with("requests", 20_000);
    for (String name : List.of("fig23", "fig24", "fig20")) {
      Recipe recipe =
          Catalogue.all().stream().filter(r -> r.name().equals(name)).findFirst().orElseThrow();
      Figure one = recipe.make(new Runs(small, 1, 1, () -> {}));
      Figure other = recipe.make(new Runs(small, 2, 1, () -> {}));
      Figure both = recipe.make(new Runs(small, 1, 2, () -> {}));
      for (Figure.Column column : both.columns()) {
        if (column.name().startsWith("+-")) {
          continue;
        }
        List<Double> first = values(one, column.name());
        List<Double> second = values(other, column.name());
        for (int i = 0; i < first.size(); i++) {
          double mean = (first.get(i) + second.get(i)) / 2;
          double value = column.values().get(i);
          assertThat(Double.isNaN(mean) ? 0 : mean)
              .as("%s %s", name, column.name())
              .isCloseTo(Double.isNaN(value) ? 0 : value, within(1e-6));
        }
      }
    }
  }

  private static List<Double> values(Figure figure, String column) {
    return figure.columns().stream()
        .filter(each -> each.name().equals(column))
        .findFirst()
        .orElseThrow()
        .values();
  }
}
