package io.ishbase.sim.calibration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.ishbase.sim.calibration.Observation.Load;
import io.ishbase.sim.calibration.Observation.Measured;
import io.ishbase.sim.calibration.Observation.Predicted;
import io.ishbase.sim.design.Designs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CalibrationTest {
  private static final Path GOLDEN = Path.of("src/test/resources/golden/validation.txt");

  /** What the fit is to find again. */
  private static final Costs TRUE =
      Costs.start()
          .with("request.bytes", 300)
          .with("answer.bytes", 160)
          .with("queued.request.bytes", 30)
          .with("block.answer.bytes", 2500)
          .with("block.request.bytes", 800)
          .with("line.split.share", 0.6)
          .with("cpu.query.us", 60)
          .with("cpu.rpc.us", 170)
          .with("cpu.block.us", 400);

  private static Observation gets(Designs design, int mbps, int cellBytes, boolean fits) {
    Map<String, String> settings = new HashMap<>();
    settings.put("clients", "8");
    settings.put("region.server.processors", "2");
    settings.put("line.mbps", "" + mbps);
    settings.put("line.burst.bytes", mbps > 1000 ? "0" : "" + Math.max(16384, 250 * mbps));
    settings.put("cell.bytes", "" + cellBytes);
    settings.put("blocks", "512");
    settings.put("keys", "uniform");
    settings.put("segment.cache", "off");
    settings.put("warmup.requests", "1000");
    settings.put("cache", "0.07");
    String row = cellBytes + " B, " + mbps + " Mbps, " + design.label();
    Measured none = new Measured(1, 0, 1, 1, 1, 1, Double.NaN, Double.NaN);
    return new Observation("build", "gets", row, Load.GET, design, settings, 1, fits, none);
  }

  /** The same, measured on a machine that is the simulator with other costs. */
  private static Observation measured(Observation what, Costs costs, double uncertainty) {
    Predicted real = what.predict(costs);
    return new Observation(
        what.build(),
        what.scenario(),
        what.row(),
        what.load(),
        what.design(),
        what.settings(),
        what.rows(),
        what.fits(),
        new Measured(
            8000,
            uncertainty,
            real.perSecond(),
            real.meanMillis(),
            real.bytesIn(),
            real.bytesOut(),
            Double.NaN,
            Double.NaN));
  }

  private static List<Observation> observations(boolean fits) {
    List<Observation> all = new ArrayList<>();
    for (Designs design : new Designs[] {Designs.B, Designs.IN_STORAGE}) {
      for (int mbps : fits ? new int[] {8, 128, 100_000} : new int[] {32, 512}) {
        for (int bytes : new int[] {114, 1050}) {
          all.add(measured(gets(design, mbps, bytes, fits), TRUE, 0));
        }
      }
    }
    return all;
  }

  @Test
  void findsTheCostsOfWhatWasMeasuredAndPredictsTheRest() {
    List<Integer> rounds = new ArrayList<>();
    Costs costs = Calibration.fit(observations(true), rounds::add);
    assertThat(rounds).containsExactly(1, 2, 3, 4);
    assertThat(costs.value("block.answer.bytes")).isCloseTo(2500, withinPercentage(10));
    assertThat(costs.value("request.bytes")).isCloseTo(300, withinPercentage(5));
    Validation validation = Validation.of(costs, observations(false));
    assertThat(validation.text()).doesNotContain("MISSED");
    assertThat(validation.holds()).isTrue();
  }

  /** {@code -Dishbase.golden=write} writes the text anew, to be reviewed as a change. */
  @Test
  void whatIsOutsideOfItsBoundIsSaidAndFails() throws IOException {
    Costs wrong = TRUE.with("block.answer.bytes", 9000);
    Validation validation = Validation.of(wrong, observations(false));
    assertThat(validation.holds()).isFalse();
    assertThat(validation.text()).contains("MISSED");
    if ("write".equals(System.getProperty("ishbase.golden"))) {
      Files.writeString(GOLDEN, validation.text());
    }
    assertThat(validation.text()).isEqualTo(Files.readString(GOLDEN));
  }

  @Test
  void whatWasMeasuredInTooFewOperationsIsNotJudged() {
    Observation coarse = measured(gets(Designs.B, 32, 1050, false), TRUE, 0.04);
    Validation validation = Validation.of(TRUE.with("block.answer.bytes", 9000), List.of(coarse));
    assertThat(validation.text())
        .containsPattern("bytes in .*few operations")
        .containsPattern("bytes out .*few operations")
        .containsPattern("ops/s .*MISSED");
    Validation farOff = Validation.of(TRUE.with("block.answer.bytes", 90_000), List.of(coarse));
    assertThat(farOff.text()).containsPattern("bytes in .*MISSED");
  }

  @Test
  void processorsAreNotJudgedWhereNobodyCountedTheirTime() {
    Observation bound = measured(gets(Designs.IN_STORAGE, 100_000, 114, false), TRUE, 0);
    Validation validation = Validation.of(TRUE.with("cpu.query.us", 600), List.of(bound));
    assertThat(validation.text()).containsPattern("ops/s .*no processor time").contains("-");
    assertThat(validation.holds()).isTrue();
  }

  @Test
  void costsAreReadAsTheyWereWritten() {
    Costs read = Costs.parse(TRUE.text());
    assertThat(read.text()).isEqualTo(TRUE.text());
    assertThat(read.value("block.answer.bytes")).isEqualTo(2500);
  }

  @Test
  void costsThatAreNoneAreRefused() {
    assertThatThrownBy(() -> Costs.parse("cpu.quarry.us = 1")).hasMessageContaining("no cost");
    assertThatThrownBy(() -> Costs.parse("cpu.query.us = fast")).hasMessageContaining("no number");
    assertThatThrownBy(() -> Costs.parse("")).hasMessageStartingWith("missing: request.bytes");
  }

  @Test
  void thereMustBeSomethingToFitTo() {
    assertThatThrownBy(() -> Calibration.fit(List.of(), round -> {}))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** What predicted nothing has shown nothing. */
  @Test
  void nothingPredictedDoesNotHold() {
    assertThat(new Validation().holds()).isFalse();
  }
}
