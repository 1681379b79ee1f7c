package io.ishbase.it.metamorphic;

import io.ishbase.plugin.metrics.InStorageMetrics;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * One list of operations, many configurations: draws files of operations, runs them, and shrinks
 * one that shows a difference.
 */
final class Metamorphic implements AutoCloseable {
  /** In so many operations some read is in-storage; a file that was shrunk may have none. */
  private static final int LEAST_OPERATIONS = 300;

  private static final int SHOWN_OF_STOCK = 20;
  private static final long SHOWN_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Path directory;
  private final PrintStream out;
  private final Run.Defect defect;
  private final boolean readsAtRegions;
  private final Map<Contradiction, Integer> contradictions = new EnumMap<>(Contradiction.class);
  private Rig rig;
  private long operations;
  private long tables;
  private long answers;
  private long ofStock;
  private long shownNanos = System.nanoTime();

  /**
   * @param directory of files of operations and of answers
   * @param defect of answers; see {@link Run.Defect}
   * @param readsAtRegions see {@link Rig#start}
   */
  Metamorphic(Path directory, PrintStream out, Run.Defect defect, boolean readsAtRegions) {
    this.directory = directory;
    this.out = out;
    this.defect = defect;
    this.readsAtRegions = readsAtRegions;
  }

  static OperationFile draw(long seed, int operations, int configurations) {
    Random random = new Random(seed);
    OperationFile declared = new Configurations(random, operations).draw(configurations);
    return declared.with(new OperationDrawing(random, declared.families()).draw(operations));
  }

  /**
   * Runs a file, and shrinks it if it shows a difference.
   *
   * @param name of its files in the directory
   * @param shrinking how long it may take to shrink it
   * @return null if all answers are equal; else what is to be said of it
   */
  String run(String name, OperationFile file, Duration shrinking) throws Exception {
    Path written = directory.resolve(name + ".txt");
    file.write(written, name);
    out.println(written + ": " + file.operations().size() + " operations");
    file.servers().forEach((server, set) -> out.println("  " + server + OperationFile.text(set)));
    file.configurations()
        .forEach((table, set) -> out.println("  " + table + OperationFile.text(set)));
    long start = System.nanoTime();
    InStorageMetrics metrics = InStorageMetrics.get();
    long differences = metrics.differences();
    long passing = metrics.passingDifferences();
    long reads = metrics.reads();
    Outcome outcome = outcome(file, directory.resolve(name + ".answers"));
    operations += outcome.operations();
    answers += outcome.answers();
    tables += file.configurations().size();
    outcome
        .contradictions()
        .forEach((why, times) -> contradictions.merge(why, times, Integer::sum));
    out.printf(
        "  %d operations, %d configurations, %d s; answers %s; contradictions of HBase %s%n",
        outcome.operations(),
        file.configurations().size(),
        Duration.ofNanos(System.nanoTime() - start).toSeconds(),
        outcome.digest(),
        outcome.contradictions());
    outcome.ofStock().stream()
        .limit(SHOWN_OF_STOCK)
        .forEach(each -> out.println("HBase alone, and the file went on: " + each));
    ofStock += outcome.ofStock().size();
    out.println("  of these, in seconds: " + seconds(outcome.nanos()));
    if (outcome.difference() == null) {
      // Answered with HBase's cells, so that no answer shows it.
      long corrected = metrics.differences() - differences;
      out.printf(
          "  %d reads at daemons; %d checked reads differed, %d more where that may be%n",
          metrics.reads() - reads, corrected, metrics.passingDifferences() - passing);
      return corrected > 0
          ? corrected + " reads were checked and corrected; the log has the cells"
          : metrics.reads() == reads && file.operations().size() >= LEAST_OPERATIONS
              ? "No read was in-storage"
              : null;
    }
    return shrunk(name, file, outcome.difference(), shrinking);
  }

  private Outcome outcome(OperationFile file, Path answersFile) throws Exception {
    try (Writer writer = Files.newBufferedWriter(answersFile)) {
      return new Run(rig(file), defect, this::show).of(file, writer);
    }
  }

  private void show(int done) {
    if (System.nanoTime() - shownNanos >= SHOWN_EVERY_NANOS) {
      shownNanos = System.nanoTime();
      out.println("  " + done + " operations so far");
    }
  }

  /** What took a second, and longest comes first. */
  private static String seconds(Map<String, Long> nanos) {
    return nanos.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .map(each -> each.getKey() + " " + Duration.ofNanos(each.getValue()).toSeconds())
        .filter(text -> !text.endsWith(" 0"))
        .collect(Collectors.joining(", "));
  }

  private Rig rig(OperationFile file) throws Exception {
    if (rig == null || !rig.suits(file)) {
      close();
      rig = Rig.start(file, readsAtRegions);
    }
    return rig;
  }

  private String shrunk(String name, OperationFile file, Difference found, Duration shrinking)
      throws Exception {
    out.println(found);
    out.println("shrinking ...");
    OperationFile failing = file.with(file.operations().subList(0, found.line() + 1));
    long end = System.nanoTime() + shrinking.toNanos();
    BooleanSupplier hasTime = () -> System.nanoTime() < end;
    Shrinker shrinker =
        new Shrinker(
            failing,
            found,
            tried ->
                new Run(rig(file), defect, number -> {})
                    .of(tried, Writer.nullWriter())
                    .difference(),
            hasTime);
    boolean again = shrinker.run();
    Path least = directory.resolve(name + "-shrunk.txt").toAbsolutePath();
    shrinker.least().write(least, shrinker.difference().toString());
    return (again ? "" : "It did not show again, so nothing is shrunk.\n")
        + shrinker.difference()
        + "\nof these "
        + shrinker.least().operations().size()
        + " operations, after "
        + shrinker.trials()
        + " trials:\n"
        + shrinker.least()
        + "\nagain with: ./ishbase metamorphic --replay "
        + least;
  }

  /** Operations that were done so far, each in all configurations. */
  long operations() {
    return operations;
  }

  /** What was done, on one line. */
  String summary() {
    return operations
        + " operations, "
        + answers
        + " answers of "
        + tables
        + " configurations compared with stock HBase's; contradictions of HBase: "
        + contradictions
        + ", "
        + ofStock
        + " without a rule";
  }

  @Override
  public void close() throws IOException {
    if (rig != null) {
      try {
        rig.close();
      } catch (Exception e) {
        throw new IOException(e);
      }
      rig = null;
    }
  }
}
