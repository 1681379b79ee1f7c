package io.ishbase.dist;

import io.ishbase.bench.report.Report;
import io.ishbase.bench.report.Results;
import io.ishbase.cluster.Progress;
import io.ishbase.sim.figure.Figure;
import io.ishbase.sim.parallel.RunThreads;
import io.ishbase.sim.plan.Inputs;
import io.ishbase.sim.plan.Plan;
import io.ishbase.sim.plan.PlanFile;
import io.ishbase.sim.plan.PlanPage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ./ishbase sim plan}: what IS-HBase would save on a cluster, and need. */
@Command(
    name = "plan",
    description = {
      "Say what IS-HBase would save on a cluster, and need, before anybody changes one.",
      "docs/plan-example.conf is an input; docs/simulator.md says what is in the answer."
    },
    mixinStandardHelpOptions = true)
final class SimPlanCommand implements Callable<Integer> {
  private static final int MOST_BYTES_OF_FILE = 1 << 20;
  private static final long BYTES_OF_MINIATURE = 64 << 20;

  @Parameters(
      paramLabel = "FILE",
      arity = "0..1",
      description = "Machines, tables and load, a line each.")
  private Path file;

  @Option(
      names = "--seed",
      description = "Of the random draws; ${DEFAULT-VALUE}.",
      defaultValue = "1")
  private long seed;

  @Mixin private final SimThreads threads = new SimThreads();

  @Option(names = "--out", paramLabel = "DIR", description = "Where plan.html goes; target/sim.")
  private Path out = Home.sim();

  @Option(names = "--parameters", description = "Show all that a FILE may say, with defaults.")
  private boolean parametersOnly;

  @Option(
      names = "--cluster",
      paramLabel = "ZOOKEEPER",
      description = {
        "Instead of FILE: look at a cluster, as HOST[,HOST...]:PORT[:/ZNODE]. Reads its metrics and",
        "a few rows of each table, and changes nothing."
      })
  private String zooKeeper;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "For how long to look at it; ${DEFAULT-VALUE}.",
      defaultValue = "30")
  private int seconds;

  @Option(
      names = "--write",
      paramLabel = "FILE",
      description = "Write what was seen of it to a new FILE, to be put right by hand.")
  private Path written;

  @Override
  public Integer call() throws IOException {
    if (parametersOnly) {
      System.out.println(PlanFile.parameters());
      return 0;
    }
    if ((file == null) == (zooKeeper == null)) {
      throw new CliException(
          "Say which FILE, or --cluster ZOOKEEPER; docs/plan-example.conf is a FILE");
    }
    if (written != null) {
      requireNew(written);
    }
    SimCommand.makeDirectory(out);
    String source = file == null ? "--cluster " + zooKeeper : file.toString();
    Inputs inputs = inputs(source, file == null ? ofCluster() : linesOfFile());
    Plan plan;
    try (Progress progress = new Progress("plan", Plan.steps(inputs))) {
      plan =
          threads.run(
              BYTES_OF_MINIATURE,
              several ->
                  RunThreads.await(
                      several.begin(() -> new Plan(inputs, seed, () -> progress.add(1)))));
    } catch (IllegalArgumentException e) {
      throw new CliException(source + ": " + e.getMessage(), e);
    }
    String text = PlanPage.of(plan);
    System.out.print(text);
    writePage(source, text, PlanPage.curve(plan));
    return 0;
  }

  /** Before somebody waits for what cannot be written. */
  private void requireNew(Path path) {
    if (zooKeeper == null) {
      throw new CliException("--write goes with --cluster: it writes what was seen of one");
    }
    if (Files.exists(path)) {
      throw new CliException(path + " is there already: name a new file");
    }
    Path parent = path.toAbsolutePath().getParent();
    if (parent == null || !Files.isWritable(parent)) {
      throw new CliException("Nothing can be written to " + parent + ": name a file elsewhere");
    }
  }

  private List<String> ofCluster() throws IOException {
    if (seconds < 1) {
      throw new CliException("--seconds is 1 or more, not " + seconds);
    }
    List<String> lines = LookedAtCluster.lines(zooKeeper, seconds);
    if (written != null) {
      Files.write(written, lines);
      System.out.println("Written: " + written);
    }
    return lines;
  }

  private void writePage(String source, String text, Figure curve) throws IOException {
    Results results = new Results("plan", source, "");
    text.lines().filter(line -> !line.isBlank()).forEach(results::note);
    results.plot(SimCommand.plot(curve));
    Path page = out.resolve("plan.html");
    new Report(List.of(results)).writeHtml(page, "What IS-HBase would do here");
    System.out.println("Report: " + page);
  }

  private List<String> linesOfFile() throws IOException {
    if (Files.isDirectory(file)) {
      throw new CliException(file + " is a directory: name one file");
    }
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MOST_BYTES_OF_FILE + 1);
      if (bytes.length > MOST_BYTES_OF_FILE) {
        throw new CliException(file + " has more than 1 MB: no plan has, is it the right file?");
      }
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes))
          .toString()
          .lines()
          .toList();
    } catch (NoSuchFileException e) {
      throw new CliException("There is no file " + file, e);
    } catch (CharacterCodingException e) {
      throw new CliException(file + " is no text in UTF-8", e);
    }
  }

  private Inputs inputs(String source, List<String> lines) {
    Path directory = file == null ? null : file.toAbsolutePath().getParent();
    try {
      return PlanFile.read(source, lines, directory == null ? Path.of("") : directory);
    } catch (IllegalArgumentException e) {
      throw new CliException(e.getMessage(), e);
    }
  }
}
