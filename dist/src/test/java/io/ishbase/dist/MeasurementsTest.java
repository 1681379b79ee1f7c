package io.ishbase.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.ishbase.sim.calibration.Observation;
import io.ishbase.sim.calibration.Observation.Load;
import io.ishbase.sim.design.Designs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MeasurementsTest {
  private static final Path RESULTS = Path.of("src/test/resources/measurements");

  @TempDir private Path dir;

  private void write(String json) throws IOException {
    Files.writeString(dir.resolve("get-bandwidth.json"), json);
  }

  @Test
  void pointsAreFittedAndPredictedInTurn() throws IOException {
    Measurements measurements = Measurements.of(RESULTS);
    List<Observation> predicted = measurements.predicted();
    assertThat(predicted)
        .extracting(Observation::row)
        .containsExactly(
            "value bytes 1000, rows 1, Gets uniform, 8 Mbps, stock",
            "value bytes 1000, rows 1, Gets uniform, 8 Mbps, in-storage");
    assertThat(predicted)
        .extracting(Observation::design)
        .containsExactly(Designs.B, Designs.IN_STORAGE);
    assertThat(predicted.get(0).settings())
        .containsEntry("cell.bytes", "1050")
        .containsEntry("line.burst.bytes", "16384.0")
        .containsEntry("keys", "uniform");
    assertThat(predicted.get(1).measured().bytesIn()).isCloseTo(1148, within(0.1));
    assertThat(predicted.get(1).measured().processorMillis()).isCloseTo(0.1534, within(1e-4));
    assertThat(predicted.get(0).measured().processorMillis()).isNaN();
    Observation batch = measurements.fitted().get(0);
    assertThat(batch.load()).isEqualTo(Load.BATCH);
    assertThat(batch.rows()).isEqualTo(100);
    assertThat(batch.settings()).containsEntry("clients", "4.0");
    assertThat(measurements.fitted()).hasSize(1);
  }

  @Test
  void fewOperationsSayLess() throws IOException {
    List<Observation> predicted = Measurements.of(RESULTS).predicted();
    // 225 operations of eight threads in one window: the root of 16/12, of each.
    assertThat(predicted.get(0).measured().uncertainty()).isCloseTo(1.1547 / 225, within(1e-6));
    assertThat(predicted.get(0).build()).isEqualTo("unknown");
  }

  /** Points that are fitted say whether they did: answers are smaller than their cells then. */
  @Test
  void answersThatCamePackedAreAsSmallAsDaemonsMakeThem() throws IOException {
    String json = Files.readString(RESULTS.resolve("get-bandwidth.json"));
    assertThat(Measurements.of(RESULTS).predicted().get(1).settings())
        .doesNotContainKey("answer.packed.share");
    String batch =
        "\"in-storage\":{\"all_windows\":{\"operations\":1000,\"operations_per_second\":1000.0,"
            + "\"mean_ms\":4.0,\"value_bytes_read\":100000000,\"cell_bytes_read\":105000000,"
            + "\"network_bytes_in\":50000000,\"network_bytes_out\":6000000}}";
    write(json.replace("48000000}}", "48000000}}," + batch));
    Measurements packed = Measurements.of(dir);
    double ofOne = share(packed.predicted().get(1));
    double ofBatch = share(packed.fitted().get(1));
    assertThat(ofOne).isBetween(0.4, 0.7);
    assertThat(ofBatch).isBetween(0.3, ofOne);
  }

  private static double share(Observation observation) {
    return Double.parseDouble(observation.settings().get("answer.packed.share"));
  }

  @Test
  void whatIsNotPredictedIsSaid() throws IOException {
    assertThat(Measurements.of(RESULTS).leftOut())
        .contains(
            "get-bandwidth: no model of auto",
            "scan-length: not measured",
            "compaction-time: no model of compactions");
  }

  @Test
  void tablesThatTheSimulatorHasNotAreLeftOut() throws IOException {
    String json = Files.readString(RESULTS.resolve("get-bandwidth.json"));
    write(json.replace("one HFile", "ZSTD, FAST_DIFF"));
    assertThatThrownBy(() -> Measurements.of(dir))
        .isInstanceOf(CliException.class)
        .hasMessageStartingWith("Nothing to predict in " + dir)
        .hasMessageContaining("no model of tables that are encoded or compressed");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "null",
        "{}",
        "{\"facts\":{},\"measurements\":3}",
        "{\"facts\":3,\"measurements\":[]}",
        "{\"facts\":{},\"measurements\":[3]}",
        "{\"facts\":{},\"measurements\":[{\"variants\":{\"stock\":{}}}]}"
      })
  void whatIsNoResultIsOneClearError(String json) throws IOException {
    write(json);
    assertThatThrownBy(() -> Measurements.of(dir))
        .isInstanceOf(CliException.class)
        .hasMessageStartingWith(dir.resolve("get-bandwidth.json") + " is no result of bench: ");
  }

  @Test
  void aFigureThatIsNoNumberIsNamed() throws IOException {
    String json = Files.readString(RESULTS.resolve("get-bandwidth.json"));
    write(json.replace("\"mean_ms\":533.0", "\"mean_ms\":\"soon\""));
    assertThatThrownBy(() -> Measurements.of(dir))
        .hasMessageContaining("'mean_ms' is no number: 'soon'");
  }
}
