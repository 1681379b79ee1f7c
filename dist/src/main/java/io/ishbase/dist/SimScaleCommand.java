package io.ishbase.dist;

import io.ishbase.cluster.Progress;
import io.ishbase.sim.scale.DayResult;
import io.ishbase.sim.scale.Scale;
import io.ishbase.sim.scale.Setup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./ishbase sim scale}: a day of large clusters. */
@Command(
    name = "scale",
    description = {
      "Simulate a day of large clusters: a rack dies, region servers restart, files are loaded.",
      "Without a size: of 10, 100 and 1,000 storage nodes. docs/simulator.md says how."
    },
    mixinStandardHelpOptions = true)
final class SimScaleCommand implements Callable<Integer> {
  private static final int REGIONS_OF_NODE = 1_000;

  /** Of the largest of the usual sizes. */
  private static final long BYTES_OF_DAY = 256 << 20;

  @Option(names = "--storage-nodes", description = "Only this size.")
  private int storageNodes;

  @Option(names = "--region-servers", description = "As many as storage nodes.")
  private int regionServers;

  @Option(names = "--regions", description = "1,000 for each storage node.")
  private int regions;

  @Option(names = "--hours", description = "${DEFAULT-VALUE}.", defaultValue = "24")
  private int hours;

  @Option(
      names = "--seed",
      description = "Of the random draws; ${DEFAULT-VALUE}.",
      defaultValue = "1")
  private long seed;

  @Mixin private final SimThreads threads = new SimThreads();

  @Override
  public Integer call() {
    List<Setup> setups = setups();
    List<DayResult> days;
    int steps = setups.stream().mapToInt(Scale::steps).sum();
    try (Progress progress = new Progress("scale", steps)) {
      List<Callable<DayResult>> runs = new ArrayList<>();
      for (Setup setup : setups) {
        runs.add(() -> Scale.day(setup, seed, System::nanoTime, () -> progress.add(1)));
      }
      days = threads.run(BYTES_OF_DAY, several -> several.all(runs));
    }
    System.out.print(Scale.text(days));
    for (DayResult day : days) {
      System.out.printf(
          "a question to the manager of %,d workers: %.3f ms on this machine, mean%n",
          day.setup().storageNodes(), day.questionNanos() / 1e6);
    }
    return 0;
  }

  private List<Setup> setups() {
    int[] sizes = storageNodes == 0 ? new int[] {10, 100, 1_000} : new int[] {storageNodes};
    List<Setup> setups = new ArrayList<>();
    try {
      for (int nodes : sizes) {
        setups.add(
            new Setup(
                nodes,
                regionServers == 0 ? nodes : regionServers,
                regions == 0 ? Math.multiplyExact(nodes, REGIONS_OF_NODE) : regions,
                hours));
      }
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new CliException(e.getMessage(), e);
    }
    return setups;
  }
}
