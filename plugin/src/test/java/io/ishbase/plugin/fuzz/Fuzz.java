package io.ishbase.plugin.fuzz;

import io.ishbase.plugin.compaction.CompactionFuzzer;
import io.ishbase.plugin.local.AnswerFuzzer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command. */
@Command(
    name = "fuzz",
    mixinStandardHelpOptions = true,
    description = {
      "Tries what nobody should send:",
      "  requests      at a storage daemon, a worker and the manager",
      "  sockets       at a storage daemon's port",
      "  answers       at a region server that reads",
      "  compactions   results and progress at a region server that has compactions carried out",
      "The first that does harm ends it with status 1 and is written to a file."
    })
public final class Fuzz implements Callable<Integer> {
  static final List<String> KINDS = List.of("requests", "sockets", "answers", "compactions");

  private static volatile boolean ownsProcess;

  @Parameters(arity = "0..1", description = "requests, sockets, answers or compactions")
  private String kind;

  @Option(names = "--count", description = "inputs at most (100000)")
  private long count = 100_000;

  @Option(names = "--minutes", description = "at most (10)")
  private double minutes = 10;

  @Option(names = "--seed", description = "of an earlier run, that drew the same")
  private Long seed;

  @Option(names = "--replay", description = "tries the one that a file holds")
  private Path replayed;

  @Option(names = "--directory", description = "for inputs that did harm (target/fuzz)")
  private Path directory = Path.of("target", "fuzz");

  @Spec private CommandSpec spec;

  /** What a caller names, from where he is. */
  private static Path ofCaller(Path path) {
    return Path.of(System.getProperty("ishbase.caller", "")).resolve(path);
  }

  /** Whether this process does nothing else. */
  static boolean ownsProcess() {
    return ownsProcess;
  }

  static Fuzzer fuzzer(String kind, long seed, Path directory) throws Exception {
    return switch (kind) {
      case "requests" -> new RequestFuzzer(directory);
      case "sockets" -> new SocketFuzzer(directory);
      case "answers" -> new AnswerFuzzer(directory, seed);
      case "compactions" -> new CompactionFuzzer(directory);
      default -> throw new IllegalArgumentException(kind);
    };
  }

  @Override
  public Integer call() throws Exception {
    if (replayed == null && (kind == null || !KINDS.contains(kind))) {
      throw new ParameterException(
          spec.commandLine(), "Say which of " + String.join(", ", KINDS) + ", or --replay FILE");
    }
    if (count < 1 || !(minutes > 0)) {
      throw new ParameterException(
          spec.commandLine(), "--count and --minutes must be greater than 0");
    }
    FailingInput input = replayed == null ? null : FailingInput.read(ofCaller(replayed));
    String tried = input == null ? kind : input.kind();
    long from = input != null ? input.seed() : seed != null ? seed : System.nanoTime();
    // Of each bad answer there would be a line.
    Configurator.setRootLevel(Level.OFF);
    Configurator.setLevel("io.ishbase", input == null ? Level.OFF : Level.DEBUG);
    Path data = data(from);
    try (Fuzzer fuzzer = fuzzer(tried, from, data)) {
      FuzzRun run = new FuzzRun(tried, fuzzer, from, ofCaller(directory), System.out);
      if (input != null) {
        run.again(input.input());
        System.out.println("It does no harm now.");
        return 0;
      }
      System.out.printf("%s, --seed %d%n", tried, from);
      run.run(count, (long) (minutes * TimeUnit.MINUTES.toNanos(1)));
      return 0;
    } finally {
      delete(data);
    }
  }

  /** Where data are: requests name it, so it follows from the seed. */
  private static Path data(long seed) throws IOException {
    Path data = Path.of(System.getProperty("java.io.tmpdir"), "ishbase-fuzz-" + seed);
    if (Files.exists(data)) {
      // Of a run that was killed.
      delete(data);
    }
    return Files.createDirectories(data);
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }

  /** Ends with status 1 if an input did harm. */
  public static void main(String[] arguments) {
    ownsProcess = true;
    CommandLine command = new CommandLine(new Fuzz());
    command.setExecutionExceptionHandler(
        (failure, line, result) -> {
          failure.printStackTrace();
          return 1;
        });
    // HBase's threads are not all daemons.
    System.exit(command.execute(arguments));
  }
}
