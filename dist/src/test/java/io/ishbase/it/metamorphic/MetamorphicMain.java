package io.ishbase.it.metamorphic;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ./ishbase metamorphic}: the same operations in many configurations. */
@Command(
    name = "metamorphic",
    description =
        "Does the same operations to tables of many configurations, and compares each answer with"
            + " that of stock HBase. A file that shows a difference is shrunk.",
    mixinStandardHelpOptions = true)
final class MetamorphicMain implements Callable<Integer> {
  private static final long OPERATIONS_OF_FILE = 20_000;

  @Spec private CommandLine.Model.CommandSpec spec;

  @Option(names = "--seed", description = "Of the first file; drawn if none is given.")
  private Long seed;

  @Option(
      names = "--operations",
      description = "In all, in files of 20,000 at most, each of the next seed; ${DEFAULT-VALUE}.",
      defaultValue = "1000")
  private long operations;

  @Option(
      names = "--configurations",
      description = "Of a file, stock HBase's not counted; ${DEFAULT-VALUE}.",
      defaultValue = "8")
  private int configurations;

  @Option(
      names = "--minutes",
      description = "How long further files are begun, each of the next seed; one file by default.",
      defaultValue = "0")
  private double minutes;

  @Option(
      names = "--shrink-minutes",
      description = "How long a file with a difference may be shrunk; ${DEFAULT-VALUE}.",
      defaultValue = "5")
  private double shrinkMinutes;

  @Option(names = "--replay", description = "Runs this file of operations instead.")
  private Path replay;

  @Option(
      names = "--inject",
      description = "Leaves a cell out of answers of one configuration, to see that it is found.")
  private boolean inject;

  @Option(
      names = "--at-regions",
      description =
          "Reads most Gets and scans at the regions themselves, without a client's calls: some"
              + " times as many a second.")
  private boolean readsAtRegions;

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new MetamorphicMain()).execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    if (operations < 10 || configurations < 1 || configurations > 30) {
      throw new ParameterException(
          spec.commandLine(), "--operations: 10 or more, --configurations: 1 to 30");
    }
    int ofFile = (int) Math.min(operations, OPERATIONS_OF_FILE);
    Path directory = Path.of("target", "metamorphic");
    Duration shrinking = Duration.ofSeconds((long) (shrinkMinutes * 60));
    List<String> found = new ArrayList<>();
    long end = System.nanoTime() + Duration.ofSeconds((long) (minutes * 60)).toNanos();
    try (Metamorphic metamorphic =
        new Metamorphic(
            directory,
            System.out,
            inject ? new LostCell() : (subject, line, answer) -> answer,
            readsAtRegions)) {
      if (replay != null) {
        add(found, metamorphic.run("replay", read(), shrinking));
      } else {
        long next = seed == null ? System.nanoTime() : seed;
        do {
          System.out.println("seed " + next);
          add(
              found,
              metamorphic.run(
                  "seed-" + next, Metamorphic.draw(next, ofFile, configurations), shrinking));
          next++;
        } while (metamorphic.operations() < operations || System.nanoTime() < end);
      }
      System.out.println(metamorphic.summary());
    }
    System.out.println(found.size() + " differences");
    return found.isEmpty() ? 0 : 1;
  }

  private OperationFile read() throws IOException {
    try {
      // As whoever started it wrote it down.
      return OperationFile.read(Path.of(System.getProperty("ishbase.caller", "")).resolve(replay));
    } catch (NoSuchFileException e) {
      throw new ParameterException(spec.commandLine(), "--replay: there is no file " + replay);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), replay + ": " + e.getMessage());
    }
  }

  private static void add(List<String> found, String difference) {
    if (difference != null) {
      System.out.println(difference);
      found.add(difference);
    }
  }
}
