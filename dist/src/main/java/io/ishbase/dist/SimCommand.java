package io.ishbase.dist;

import io.ishbase.bench.report.Plot;
import io.ishbase.bench.report.Report;
import io.ishbase.bench.report.Results;
import io.ishbase.bench.report.Row;
import io.ishbase.cluster.Progress;
import io.ishbase.sim.design.Data;
import io.ishbase.sim.figure.Catalogue;
import io.ishbase.sim.figure.Figure;
import io.ishbase.sim.figure.Recipe;
import io.ishbase.sim.figure.Runs;
import io.ishbase.sim.parallel.RunThreads;
import io.ishbase.sim.workload.Parameters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./ishbase sim}: figures of the seed, simulated. Needs no cluster. */
@Command(
    name = "sim",
    description = {
      "Simulate the figures of the paper, with its designs and with what ships here.",
      "docs/simulator.md says what the model is."
    },
    subcommands = {
      SimRunCommand.class,
      SimTraceCommand.class,
      SimConvertCommand.class,
      SimPlanCommand.class,
      SimScaleCommand.class
    },
    mixinStandardHelpOptions = true)
final class SimCommand implements Callable<Integer> {
  private static final int MOST_SEEDS = 1_000;

  @picocli.CommandLine.Parameters(
      paramLabel = "NAME",
      arity = "0..*",
      description = {
        "Figures and studies; none: all. 'list' shows what there is;",
        "'calibrate [DIR]' fits costs to results of bench, by default those in docs/results,",
        "'validate [DIR]' fits them to every second point and predicts the others."
      })
  private List<String> names = new ArrayList<>();

  @Option(names = "--quick", description = "At a sixteenth of the size.")
  private boolean quick;

  @Option(
      names = "--seed",
      description = "Of the random draws; ${DEFAULT-VALUE}.",
      defaultValue = "1")
  private long seed;

  @Option(
      names = "--seeds",
      description = "Make each run so often, with seeds from there on; ${DEFAULT-VALUE}.",
      defaultValue = "1")
  private int seeds;

  @Option(
      names = "--set",
      paramLabel = "NAME=VALUE",
      description = "Another value of a parameter; --parameters shows them.")
  private Map<String, String> set = new LinkedHashMap<>();

  @Mixin private final SimThreads threads = new SimThreads();

  @Option(names = "--parameters", description = "Show all parameters and do nothing.")
  private boolean parametersOnly;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Where CSV files and report.html go; target/sim.")
  private Path out = Home.sim();

  @Override
  public Integer call() throws IOException {
    if (names.equals(List.of("list"))) {
      for (Recipe recipe : Catalogue.all()) {
        System.out.printf("%-10s %s%n", recipe.name(), recipe.title());
      }
      return 0;
    }
    if (!names.isEmpty() && names.get(0).equals(SimValidation.CALIBRATE)) {
      new SimValidation(SimValidation.directory(names), out).calibrate();
      return 0;
    }
    if (!names.isEmpty() && names.get(0).equals(SimValidation.VALIDATE)) {
      return new SimValidation(SimValidation.directory(names), out).validate() ? 0 : 1;
    }
    Parameters parameters = parameters();
    if (parametersOnly) {
      parameters.all().forEach((name, value) -> System.out.printf("%s = %s%n", name, value));
      return 0;
    }
    if (seeds < 1 || seeds > MOST_SEEDS) {
      throw new CliException("--seeds is 1 to " + MOST_SEEDS + ", not " + seeds);
    }
    List<Recipe> chosen = chosen();
    long bytesOfRun;
    try {
      bytesOfRun = Data.bytesOfRun(parameters);
    } catch (IllegalArgumentException e) {
      throw new CliException(e.getMessage(), e);
    }
    return threads.run(bytesOfRun, several -> make(chosen, parameters, several));
  }

  private Parameters parameters() {
    Parameters parameters = quick ? Catalogue.quick(Parameters.seed()) : Parameters.seed();
    try {
      for (Map.Entry<String, String> entry : set.entrySet()) {
        parameters = parameters.with(entry.getKey(), entry.getValue());
      }
    } catch (IllegalArgumentException e) {
      throw new CliException("--set: " + e.getMessage(), e);
    }
    return parameters;
  }

  private List<Recipe> chosen() {
    if (names.isEmpty()) {
      return Catalogue.all();
    }
    List<Recipe> chosen = new ArrayList<>();
    for (String name : names) {
      chosen.add(
          Catalogue.all().stream()
              .filter(recipe -> recipe.name().equals(name))
              .findFirst()
              .orElseThrow(
                  () ->
                      new CliException(
                          "No figure '" + name + "': ./ishbase sim list shows what there is")));
    }
    return chosen;
  }

  /** Before somebody waits for what cannot be written. */
  static void makeDirectory(Path out) {
    try {
      Files.createDirectories(out);
    } catch (IOException e) {
      throw new CliException("--out " + out + " is no directory and cannot become one: " + e, e);
    }
  }

  private int make(List<Recipe> recipes, Parameters parameters, RunThreads several)
      throws IOException {
    makeDirectory(out);
    List<Results> results = new ArrayList<>();
    int runs = recipes.stream().mapToInt(Recipe::runs).sum();
    try (Progress progress = new Progress("sim", runs)) {
      Runs made = new Runs(parameters, seed, seeds, () -> progress.add(1), several);
      for (Recipe recipe : recipes) {
        explained(
            recipe,
            () -> {
              recipe.begin(made);
              return recipe;
            });
      }
      for (Recipe recipe : recipes) {
        progress.note(recipe.name());
        Figure figure = explained(recipe, () -> recipe.make(made));
        System.out.println(figure.text());
        Files.writeString(out.resolve(figure.name() + ".csv"), figure.csv());
        results.add(
            results(
                figure, parameters, seeds == 1 ? "" + seed : seed + " to " + (seed + seeds - 1)));
      }
    }
    Path page = out.resolve("report.html");
    new Report(results).writeHtml(page, "IS-HBase, simulated");
    System.out.println("Report: " + page);
    return 0;
  }

  private static <T> T explained(Recipe recipe, Supplier<T> task) {
    try {
      return task.get();
    } catch (IllegalArgumentException e) {
      throw new CliException(recipe.name() + ": " + e.getMessage(), e);
    }
  }

  /** A figure as the report of {@code bench} shows it. */
  static Results results(Figure figure, Parameters parameters, String seedOfDraws) {
    Results results = new Results(figure.name(), figure.title(), figure.seed());
    results.condition("seed of the draws", seedOfDraws);
    parameters.all().forEach(results::fact);
    results.plot(plot(figure));
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < figure.x().size(); i++) {
      Map<String, Double> values = new LinkedHashMap<>();
      for (Figure.Column column : figure.columns()) {
        double value = column.values().get(i);
        if (!Double.isNaN(value)) {
          values.put(column.name(), value);
        }
      }
      rows.add(new Row(Map.of(figure.xLabel(), figure.x().get(i)), "", values, "", ""));
    }
    results.add(Map.of(), rows);
    return results;
  }

  static Plot plot(Figure figure) {
    boolean bars = figure.shape() == Figure.Shape.BARS;
    List<Plot.Series> series = new ArrayList<>();
    for (Figure.Column column : figure.columns()) {
      if (column.plotted()) {
        int[] rows =
            IntStream.range(0, figure.x().size())
                .filter(row -> !Double.isNaN(column.values().get(row)))
                .toArray();
        series.add(
            new Plot.Series(
                column.name(),
                IntStream.of(rows)
                    .mapToObj(row -> bars ? (double) row : Double.parseDouble(figure.x().get(row)))
                    .toList(),
                IntStream.of(rows).mapToObj(row -> column.values().get(row)).toList()));
      }
    }
    if (bars) {
      return Plot.bars(figure.title(), figure.yLabel(), figure.x(), series);
    }
    Plot plot = Plot.lines(figure.title(), figure.xLabel(), figure.yLabel(), series);
    return figure.shape() == Figure.Shape.LOG_LINES ? plot.withLogX().withLogY() : plot;
  }
}
