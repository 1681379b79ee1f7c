package io.ishbase.dist;

import io.ishbase.sim.design.Contender;
import io.ishbase.sim.trace.Replay;
import io.ishbase.sim.trace.TraceFormat;
import io.ishbase.sim.trace.TraceReader;
import io.ishbase.sim.workload.Parameters;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./ishbase sim trace}: designs side by side under what clients once asked. */
@Command(
    name = "trace",
    description = {
      "Compare designs under a trace. Its rows are all the data; clients ask without pause,",
      "whatever times it has. What ends with .gz is unpacked.",
      "docs/traces.md has the formats."
    },
    mixinStandardHelpOptions = true)
final class SimTraceCommand implements Callable<Integer> {
  @picocli.CommandLine.Parameters(
      paramLabel = "FILE",
      description = "The trace; 'formats' shows what formats there are.")
  private Path file = Path.of("");

  @Option(
      names = "--format",
      paramLabel = "F",
      description = "Of the trace; ${DEFAULT-VALUE}.",
      defaultValue = "ishbase")
  private String format = "";

  @Option(
      names = "--columns",
      paramLabel = "COLUMNS",
      description = "Of libcachesim: 'time-col=1, obj-id-col=2, obj-size-col=3, has-header=true'.",
      defaultValue = "")
  private String columns = "";

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Take the first N operations; ${DEFAULT-VALUE}.",
      defaultValue = "5000000")
  private int limit;

  @Mixin private final SideBySide sideBySide = new SideBySide();

  @Override
  public Integer call() {
    if (file.toString().equals("formats")) {
      for (TraceFormat each : TraceFormat.values()) {
        System.out.printf("%-15s %s%n", each.label(), each.text());
      }
      return 0;
    }
    return SideBySide.explained(this::run);
  }

  private void run() throws IOException {
    if (limit < 1) {
      throw new IllegalArgumentException("--limit is 1 or more, not " + limit);
    }
    List<Contender> contenders = sideBySide.contenders(List.of());
    Parameters parameters = sideBySide.changed(Parameters.seed());
    Replay replay;
    try (TraceReader reader = TraceFormat.named(format).open(file, columns)) {
      replay = Replay.of(reader, limit);
    }
    parameters = replay.fit(parameters, sideBySide.named());
    replay.facts().forEach(System.out::println);
    System.out.println();
    sideBySide.show(
        file,
        "trace " + file.getFileName(),
        contenders,
        parameters,
        replay.requests(parameters),
        "none");
  }
}
