package io.ishbase.dist;

import io.ishbase.bench.report.Published;
import io.ishbase.bench.report.Results;
import io.ishbase.bench.scenario.Scenarios;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** {@code ./ishbase bench publish}: puts what was measured into the source tree. */
final class Publication {
  static final String NAME = "publish";

  private Publication() {}

  /**
   * Publishes.
   *
   * @param names of scenarios; none: all that were measured
   * @throws CliException if one was not measured, or cannot be measured again from a commit; then
   *     nothing is published
   */
  static void of(List<String> names) throws IOException {
    List<Results> all = new ArrayList<>();
    for (String name : names.isEmpty() ? Scenarios.names() : names) {
      Path file = Home.bench().resolve(name + ".json");
      if (Files.exists(file)) {
        Results results = Results.read(file);
        String objection = Published.objection(results);
        if (!objection.isEmpty()) {
          throw new CliException(objection);
        }
        all.add(results);
      } else if (!names.isEmpty()) {
        throw new CliException(
            "There is no " + file + ": measure it with ./ishbase bench " + name + " first");
      }
    }
    for (Results results : all) {
      Published.write(results, Home.results());
      System.out.println(Home.results().resolve(results.scenario() + ".md"));
    }
  }
}
