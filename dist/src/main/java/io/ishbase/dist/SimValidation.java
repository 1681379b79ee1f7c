package io.ishbase.dist;

import io.ishbase.cluster.Progress;
import io.ishbase.sim.calibration.Calibration;
import io.ishbase.sim.calibration.Costs;
import io.ishbase.sim.calibration.Validation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** {@code ./ishbase sim calibrate} and {@code validate}: the simulator against {@code bench}. */
final class SimValidation {
  static final String CALIBRATE = "calibrate";
  static final String VALIDATE = "validate";

  private final Path results;
  private final Path out;

  /**
   * Of a directory with results.
   *
   * @param out where costs and the table go
   */
  SimValidation(Path results, Path out) {
    this.results = results;
    this.out = out;
  }

  /** Fits costs to every second point of the results, and shows and writes them. */
  void calibrate() throws IOException {
    Costs costs = fit(Measurements.of(results));
    System.out.print(costs.text());
    System.out.println("Written to " + costsFile());
  }

  /**
   * Predicts the other points, and shows and writes that.
   *
   * @return whether every figure is within its bound
   */
  boolean validate() throws IOException {
    Measurements measurements = Measurements.of(results);
    Validation validation = Validation.of(fit(measurements), measurements.predicted());
    StringBuilder text = new StringBuilder(validation.text());
    measurements
        .leftOut()
        .forEach(each -> text.append("not predicted: ").append(each).append('\n'));
    Files.writeString(out.resolve("validation.txt"), text);
    System.out.print(text);
    return validation.holds();
  }

  private Costs fit(Measurements measurements) throws IOException {
    if (measurements.fitted().isEmpty()) {
      throw new CliException(
          "Too few points in " + results + ": every second one of a scenario is fitted to");
    }
    Costs costs;
    try (Progress progress = new Progress("calibrating", Calibration.ROUNDS)) {
      costs = Calibration.fit(measurements.fitted(), round -> progress.add(1));
    }
    Files.createDirectories(out);
    Files.writeString(costsFile(), costs.text());
    return costs;
  }

  private Path costsFile() {
    return out.resolve("costs.conf");
  }

  /** The directory that the user names, else what was published. */
  static Path directory(List<String> names) {
    if (names.size() > 2) {
      throw new CliException(names.get(0) + " takes one directory of results, not " + names.size());
    }
    Path dir = names.size() == 2 ? Path.of(names.get(1)) : Home.results();
    if (!Files.isDirectory(dir)) {
      throw new CliException("There is no directory " + dir);
    }
    return dir;
  }
}
