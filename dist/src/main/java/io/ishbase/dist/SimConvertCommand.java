package io.ishbase.dist;

import io.ishbase.sim.trace.Conversion;
import io.ishbase.sim.trace.TraceFormat;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./ishbase sim convert}: a trace of any format, in our own. */
@Command(
    name = "convert",
    description = {
      "Write a trace anew in our own format, a line of text for each operation.",
      "What ends with .gz is packed. docs/traces.md has the format."
    },
    mixinStandardHelpOptions = true)
final class SimConvertCommand implements Callable<Integer> {
  @picocli.CommandLine.Parameters(index = "0", paramLabel = "FILE", description = "The trace.")
  private Path from = Path.of("");

  @picocli.CommandLine.Parameters(
      index = "1",
      paramLabel = "NEW",
      description = "What is written; it must not be there.")
  private Path to = Path.of("");

  @Option(
      names = "--format",
      paramLabel = "F",
      required = true,
      description = "Of the trace; ./ishbase sim trace formats shows what there is.")
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
      description = "Take the first N operations; otherwise all.")
  private long limit = Long.MAX_VALUE;

  @Option(
      names = "--ordinals",
      description = "Write in the place of each row its number in the order of keys.")
  private boolean ordinals;

  @Override
  public Integer call() {
    return SideBySide.explained(
        () -> {
          if (limit < 1) {
            throw new IllegalArgumentException("--limit is 1 or more, not " + limit);
          }
          long count =
              new Conversion(TraceFormat.named(format), from, columns, limit).write(to, ordinals);
          System.out.printf("%,d operations in %s%n", count, to);
        });
  }
}
