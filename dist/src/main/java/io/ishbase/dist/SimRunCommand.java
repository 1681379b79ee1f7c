package io.ishbase.dist;

import io.ishbase.sim.design.Contender;
import io.ishbase.sim.workload.Parameters;
import io.ishbase.sim.workload.Presets;
import io.ishbase.sim.workload.Requests;
import io.ishbase.sim.workload.WorkloadFile;
import io.ishbase.sim.workload.YcsbProperties;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./ishbase sim run}: designs side by side under a load that a file describes. */
@Command(
    name = "run",
    description = {
      "Compare designs under a load that is described in one file: lines NAME = VALUE.",
      "Names: preset, designs, title, seed, and all of ./ishbase sim --parameters.",
      "docs/traces.md has presets and an example."
    },
    mixinStandardHelpOptions = true)
final class SimRunCommand implements Callable<Integer> {
  @picocli.CommandLine.Parameters(
      paramLabel = "FILE",
      description = "The load; 'presets' shows what presets there are.")
  private Path file = Path.of("");

  @Option(
      names = "--format",
      paramLabel = "F",
      description = "ishbase, or ycsb: a property file of YCSB; ${DEFAULT-VALUE}.",
      defaultValue = "ishbase")
  private String format = "";

  @Mixin private final SideBySide sideBySide = new SideBySide();

  @Override
  public Integer call() {
    if (file.toString().equals("presets")) {
      Presets.names().forEach(System.out::println);
      return 0;
    }
    return SideBySide.explained(this::run);
  }

  private void run() throws IOException {
    WorkloadFile load = read();
    Parameters parameters = sideBySide.changed(load.parameters());
    List<Contender> contenders = sideBySide.contenders(load.designs());
    load.notes().forEach(note -> System.out.println("Note: " + note));
    sideBySide.show(
        file,
        load.title(),
        contenders,
        parameters,
        () -> new Requests(parameters, load.seed()),
        "" + load.seed());
  }

  private WorkloadFile read() throws IOException {
    switch (format) {
      case "ishbase":
        return WorkloadFile.read(file);
      case "ycsb":
        return YcsbProperties.read(file);
      default:
        throw new IllegalArgumentException("--format is ishbase or ycsb, not " + format);
    }
  }
}
