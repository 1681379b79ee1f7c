package io.ishbase.sim.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScaleTest {
  private static final Path GOLDEN = Path.of("src", "test", "resources", "golden", "scale.txt");

  @Test
  void aSmallDay() throws IOException {
    Setup setup = new Setup(12, 12, 600, 12);
    int[] steps = {0};
    DayResult day = Scale.day(setup, 1, () -> 0, () -> steps[0]++);
    assertThat(steps[0]).isEqualTo(Scale.steps(setup)).isEqualTo(day.steps().size());
    String text = Scale.text(List.of(day));
    if ("write".equals(System.getProperty("ishbase.golden"))) {
      Files.writeString(GOLDEN, text);
    }
    assertThat(text).isEqualTo(Files.readString(GOLDEN));
    for (DayResult.Step step : day.steps()) {
      assertThat(step.servedWith()).isLessThanOrEqualTo(step.demanded() * 1.0001);
      assertThat(step.bytesWith()).isLessThan(step.bytesToday());
    }
    assertThat(day.flushes()).isPositive();
  }

  @Test
  void theSameDayIsTheSame() {
    Setup setup = new Setup(3, 2, 50, 6);
    assertThat(Scale.day(setup, 1, () -> 0, () -> {}))
        .isEqualTo(Scale.day(setup, 1, () -> 0, () -> {}));
  }

  @Test
  void aClusterHasNodes() {
    assertThatThrownBy(() -> new Setup(0, 1, 1, 1))
        .hasMessage("storage nodes are 1 or more, not 0");
  }

  /** Incidents that come at the same time are incidents all. */
  @Test
  void aShortDayHasAllIncidents() {
    DayResult day = Scale.day(new Setup(5, 5, 500, 1), 1, () -> 0, () -> {});
    for (String incident : List.of("a rack is dead", "bulk load", "region servers restart")) {
      assertThat(day.steps()).as(incident).anyMatch(step -> step.incident().contains(incident));
    }
    assertThat(Scale.text(List.of(day)))
        .contains("region servers restart in turn")
        .doesNotContain("NaN");
  }
}
