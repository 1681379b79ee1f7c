package io.ishbase.dist;

import com.ctc.wstx.exc.WstxException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line {@code ./ishbase}. Exit codes: 0 done, 1 failed, 2 wrong arguments. */
@Command(
    name = "ishbase",
    description = "HBase that reads where the data lives.",
    mixinStandardHelpOptions = true,
    subcommands = {
      UpCommand.class,
      StatusCommand.class,
      TopCommand.class,
      DownCommand.class,
      DemoCommand.class,
      VerifyCommand.class,
      ExplainCommand.class,
      CompactionsCommand.class,
      LocalityCommand.class,
      TablesCommand.class,
      CreateCommand.class,
      AlterCommand.class,
      PutCommand.class,
      GetCommand.class,
      ScanCommand.class,
      SnapshotScanCommand.class,
      FlushCommand.class,
      CompactCommand.class,
      ExampleCommand.class,
      PlanCommand.class,
      MemoryCommand.class,
      AttachCommand.class,
      DoctorCommand.class,
      BenchManagerCommand.class,
      BenchCommand.class,
      ChaosCommand.class,
      SimCommand.class,
      PackageCommand.class,
      SiteCommand.class
    },
    footer = {
      "",
      "Also: ./ishbase test runs all tests,",
      "./ishbase conformance [--pass=PASS] [CLASS...] HBase's own, stock and in-storage,",
      "./ishbase metamorphic [--replay=FILE] the same operations in many configurations,",
      "./ishbase versions [VERSION...] the same jars on other versions of HBase."
    })
public final class Main implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "What to do? Name a command: "
            + spec.subcommands().values().stream()
                .filter(command -> !command.getCommandSpec().usageMessage().hidden())
                .map(CommandLine::getCommandName)
                .collect(Collectors.joining(", ")));
  }

  public static void main(String[] arguments) {
    System.exit(run(arguments));
  }

  /** Does what the arguments say and returns the exit code. */
  static int run(String... arguments) {
    CommandLine line = new CommandLine(new Main());
    if (Home.isRelease()) {
      SourceTreeOnly.withhold(line);
    }
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setExecutionExceptionHandler((e, command, parsed) -> explain(e));
    line.setParameterExceptionHandler((e, wrong) -> refuse(e));
    int code = line.execute(arguments);
    if (System.out.checkError() && code == 0) {
      System.err.println("ishbase: what was written could not be taken: it is not all there");
      return 1;
    }
    return code;
  }

  private static int refuse(ParameterException e) {
    System.err.println(
        "ishbase: "
            + e.getMessage()
            + " (./"
            + e.getCommandLine().getCommandSpec().qualifiedName()
            + " --help tells more)");
    return e.getCommandLine().getCommandSpec().exitCodeOnInvalidInput();
  }

  private static int explain(Exception e) {
    if (Lifetime.isEnding()) {
      return 1; // Ctrl-C: whatever failed, failed because of that.
    }
    System.err.println("ishbase: " + message(e));
    if (System.getenv("ISHBASE_TRACE") != null) {
      e.printStackTrace();
    } else if (!(e instanceof CliException)) {
      System.err.println("(ISHBASE_TRACE=1 in the environment shows where this comes from.)");
    }
    return 1;
  }

  private static String message(Throwable e) {
    if (e instanceof CliException) {
      return e.getMessage();
    }
    if (e instanceof UncheckedIOException) {
      return message(e.getCause());
    }
    if (e instanceof FileSystemException of && of.getReason() != null) {
      return of.getFile() + ": " + of.getReason();
    }
    if (e.getCause() instanceof WstxException wrong) {
      return "a configuration file is no XML: " + wrong.getMessage().replace("\n", "");
    }
    // The message of what a server throws goes on with the server's stack.
    return e.toString().lines().findFirst().orElseThrow();
  }
}
