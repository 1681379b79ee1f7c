package io.ishbase.dist;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ./ishbase bench}: the measurements behind the published figures. */
@Command(
    name = "bench",
    description = "Measure.",
    mixinStandardHelpOptions = true,
    subcommands = GetBandwidthCommand.class)
final class BenchCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "What to measure? Name a benchmark: " + String.join(", ", spec.subcommands().keySet()));
  }
}
