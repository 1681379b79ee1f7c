package io.ishbase.dist;

import io.ishbase.bench.report.Report;
import io.ishbase.cluster.Progress;
import io.ishbase.sim.design.Bounds;
import io.ishbase.sim.design.Contender;
import io.ishbase.sim.design.Data;
import io.ishbase.sim.design.Designs;
import io.ishbase.sim.figure.Comparison;
import io.ishbase.sim.figure.Figure;
import io.ishbase.sim.workload.Parameters;
import io.ishbase.sim.workload.RequestStream;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Designs side by side under a load of the user's: on the terminal, as CSV and as a page. With the
 * options of what does so.
 */
final class SideBySide {
  private static final List<Contender> USUAL =
      List.of(
          Designs.B, Designs.SA, Designs.IN_STORAGE, Designs.AUTO, Bounds.POPULAR, Bounds.BELADY);

  @Option(
      names = "--designs",
      paramLabel = "A,B",
      description = {
        "What is compared; otherwise what the file says, or two of the paper's designs, ours and",
        "both bounds."
      },
      defaultValue = "")
  private String designs = "";

  @Option(
      names = "--set",
      paramLabel = "NAME=VALUE",
      description = "Another value of a parameter; ./ishbase sim --parameters shows them.")
  private Map<String, String> set = new LinkedHashMap<>();

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "Where the CSV file and the page go; target/sim.")
  private Path out = Home.sim();

  @Mixin private final SimThreads threads = new SimThreads();

  /**
   * What is compared.
   *
   * @param ofFile what the file says; empty: nothing
   * @throws IllegalArgumentException if a name is none of a design
   */
  List<Contender> contenders(List<String> ofFile) {
    List<String> names = designs.isBlank() ? ofFile : names(designs);
    return names.isEmpty() ? USUAL : names.stream().map(Contender::named).toList();
  }

  /** These, but for what the command line says. */
  Parameters changed(Parameters parameters) {
    Parameters changed = parameters;
    for (Map.Entry<String, String> entry : set.entrySet()) {
      changed = changed.with(entry.getKey(), entry.getValue());
    }
    return changed;
  }

  /** The parameters that the command line names. */
  Set<String> named() {
    return set.keySet();
  }

  /** The names of an option, with commas between them. */
  private static List<String> names(String commas) {
    return Arrays.asList(commas.split(","));
  }

  /** Runs all, and shows what came out. */
  void show(
      Path file,
      String title,
      List<Contender> contenders,
      Parameters parameters,
      Supplier<? extends RequestStream> load,
      String seedOfDraws)
      throws IOException {
    String name =
        String.valueOf(file.getFileName()).replaceAll("(\\.gz)?$", "").replaceAll("\\W+", "-");
    Figure figure;
    try (Progress progress = new Progress("sim", contenders.size())) {
      Runnable isMade = () -> progress.add(1);
      figure =
          threads.run(
              Data.bytesOfRun(parameters),
              several -> Comparison.of(name, title, contenders, parameters, load, isMade, several));
    }
    System.out.println(figure.text());
    Files.createDirectories(out);
    Files.writeString(out.resolve(name + ".csv"), figure.csv());
    Path page = out.resolve(name + ".html");
    new Report(List.of(SimCommand.results(figure, parameters, seedOfDraws)))
        .writeHtml(page, "IS-HBase, simulated: " + title);
    System.out.println("Report: " + page);
  }

  /** What a command does with files. */
  @FunctionalInterface
  interface Task {
    void run() throws IOException;
  }

  /** Does it; what is wrong with a file or a value is said in a line. */
  static int explained(Task task) {
    try {
      task.run();
      return 0;
    } catch (NoSuchFileException e) {
      throw new CliException("There is no file " + e.getFile(), e);
    } catch (FileSystemException e) {
      throw new CliException("This cannot be used: " + e, e);
    } catch (IOException | IllegalArgumentException e) {
      throw new CliException(String.valueOf(e.getMessage()), e);
    }
  }
}
