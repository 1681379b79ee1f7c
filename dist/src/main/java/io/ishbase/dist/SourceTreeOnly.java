package io.ishbase.dist;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** In place of commands that a release does not have: they start servers here, or build. */
@Command(hidden = true)
final class SourceTreeOnly implements Callable<Integer> {
  private static final List<Class<?>> COMMANDS =
      List.of(
          UpCommand.class,
          DownCommand.class,
          DemoCommand.class,
          ExampleCommand.class,
          BenchManagerCommand.class,
          BenchCommand.class,
          ChaosCommand.class,
          PackageCommand.class,
          SiteCommand.class);

  @Spec private CommandSpec spec;

  @Unmatched private List<String> arguments = new ArrayList<>();

  /** Leaves them out of what a command line offers. */
  static void withhold(CommandLine line) {
    CommandSpec main = line.getCommandSpec();
    for (CommandLine each : List.copyOf(main.subcommands().values())) {
      if (COMMANDS.contains(each.getCommandSpec().userObject().getClass())) {
        String name = each.getCommandName();
        main.removeSubcommand(name);
        main.addSubcommand(name, new CommandLine(new SourceTreeOnly()));
      }
    }
    main.usageMessage().footer(new String[0]);
  }

  @Override
  public Integer call() {
    throw new CliException(
        "A release does not start clusters and does not build: that takes the source tree, and"
            + " there ./ishbase "
            + spec.name()
            + arguments.stream().map(argument -> " " + argument).collect(Collectors.joining()));
  }
}
