package io.ishbase.dist;

import io.ishbase.cluster.Progress;
import io.ishbase.sim.calibration.Calibration;
import io.ishbase.sim.calibration.Costs;
import io.ishbase.sim.calibration.Observation;
import io.ishbase.sim.calibration.Validation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

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
    fit(Measurements.of(results))
        .forEach(
            (build, costs) ->
                System.out.printf(
                    "# %s, written to %s%n%s", build, costsFile(build), costs.text()));
  }

  /**
   * Predicts the other points, and shows and writes that.
   *
   * @return whether every figure is within its bound
   */
  boolean validate() throws IOException {
    Measurements measurements = Measurements.of(results);
    Map<String, Costs> costs = fit(measurements);
    Validation validation = new Validation();
    StringBuilder text = new StringBuilder();
    byBuild(measurements.predicted())
        .forEach(
            (build, observations) -> {
              Costs ofBuild = costs.get(build);
              if (ofBuild == null) {
                text.append("not predicted: ").append(build).append(" has too few points\n");
              } else {
                validation.add(ofBuild, observations);
              }
            });
    measurements
        .leftOut()
        .forEach(each -> text.append("not predicted: ").append(each).append('\n'));
    text.insert(0, validation.text());
    Files.writeString(out.resolve("validation.txt"), text);
    System.out.print(text);
    return validation.holds();
  }

  /** Messages and work of one build are not those of another. */
  private static Map<String, List<Observation>> byBuild(List<Observation> observations) {
    return observations.stream()
        .collect(
            Collectors.groupingBy(Observation::build, LinkedHashMap::new, Collectors.toList()));
  }

  private Map<String, Costs> fit(Measurements measurements) throws IOException {
    if (measurements.fitted().isEmpty()) {
      throw new CliException(
          "Too few points in " + results + ": every second one of a scenario is fitted to");
    }
    Map<String, List<Observation>> byBuild = byBuild(measurements.fitted());
    Map<String, Costs> costs = new LinkedHashMap<>();
    Files.createDirectories(out);
    int rounds = byBuild.size() * Calibration.ROUNDS;
    try (Progress progress = new Progress("calibrating", rounds)) {
      for (Map.Entry<String, List<Observation>> build : byBuild.entrySet()) {
        Costs ofBuild = Calibration.fit(build.getValue(), round -> progress.add(1));
        costs.put(build.getKey(), ofBuild);
        Files.writeString(costsFile(build.getKey()), ofBuild.text());
      }
    }
    return costs;
  }

  private Path costsFile(String build) {
    return out.resolve("costs-" + build + ".conf");
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
