package io.ishbase.it.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Runs classes of HBase's own tests with everything of IS-HBase on, and lists what differs from a
 * stock run of the same class.
 *
 * <pre>
 *   [--pass=PASS] CLASS...   these, with or without org.apache.hadoop.hbase, or CLASS#METHOD
 *   --page                   those of classes.txt, and writes docs/conformance.md; what has been
 *                            run with this build, by whichever of these, is not run again
 *                            nothing: those that CI runs
 * </pre>
 *
 * A class in which nothing fails but what is known to is not run stock. Exit status 1 if anything
 * that stock passes fails and is not known to, or the other way round.
 */
public final class Conformance {
  private static final int CLASSES_TO_A_JVM =
      Integer.getInteger("ishbase.conformance.jvm.classes", 6);

  /** Whether what fails is run stock, too. */
  private static final boolean STOCK =
      Boolean.parseBoolean(System.getProperty("ishbase.conformance.stock", "true"));

  private final ClassRunner runner;

  Conformance(ClassRunner runner) {
    this.runner = runner;
  }

  /** Compares several at a time and prints each when it is done. */
  List<Comparison> compareAll(List<PlannedRun> all, int atOnce)
      throws IOException, InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(atOnce);
    try {
      List<Future<List<Comparison>>> running = new ArrayList<>();
      for (List<PlannedRun> group : groups(all)) {
        running.add(pool.submit(() -> compareInOneJvm(group)));
      }
      List<Comparison> comparisons = new ArrayList<>();
      for (Future<List<Comparison>> future : running) {
        comparisons.addAll(future.get());
      }
      return comparisons;
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } finally {
      pool.shutdownNow();
    }
  }

  /** Those of one pass in the order in which they come, so many to a JVM. */
  private static List<List<PlannedRun>> groups(List<PlannedRun> all) {
    List<List<PlannedRun>> groups = new ArrayList<>();
    Map<Pass, List<PlannedRun>> last = new EnumMap<>(Pass.class);
    for (PlannedRun planned : all) {
      List<PlannedRun> group = last.get(planned.pass());
      if (group == null || group.size() == CLASSES_TO_A_JVM) {
        group = new ArrayList<>();
        groups.add(group);
        last.put(planned.pass(), group);
      }
      group.add(planned);
    }
    return groups;
  }

  private List<Comparison> compareInOneJvm(List<PlannedRun> group)
      throws IOException, InterruptedException {
    Pass pass = group.get(0).pass();
    Map<String, ClassRun> runs =
        runner.runAll(group.stream().map(PlannedRun::fullName).toList(), pass);
    List<Comparison> comparisons = new ArrayList<>();
    for (PlannedRun planned : group) {
      ClassRun run = runs.get(planned.fullName());
      boolean isClear =
          !STOCK || pass.isStock() || Comparison.unknownFailures(planned, run).isEmpty();
      Comparison comparison =
          new Comparison(
              planned, run, isClear ? null : runner.run(planned.fullName(), pass.reference()));
      System.out.println(comparison.text());
      comparisons.add(comparison);
    }
    return comparisons;
  }

  public static void main(String[] arguments) throws Exception {
    Pass pass = Pass.IN_STORAGE;
    Path page = null;
    List<String> classes = new ArrayList<>();
    for (String argument : arguments) {
      if (argument.startsWith("--pass=")) {
        pass = Pass.of(argument.substring("--pass=".length()));
      } else if (argument.equals("--page")) {
        page = Path.of("..", "docs", "conformance.md");
      } else if (argument.startsWith("-")) {
        System.err.println("usage: conformance [--pass=PASS] CLASS... | --page | nothing");
        System.exit(2);
      } else {
        classes.add(argument);
      }
    }
    Path directory = Path.of(System.getProperty("ishbase.conformance.dir", "target/conformance"));
    List<Comparison> comparisons =
        new Conformance(new ClassRunner(directory, page != null))
            .compareAll(
                planned(classes, pass, page != null),
                Integer.getInteger("ishbase.conformance.parallel", 1));
    if (page != null) {
      Files.writeString(page, ConformancePage.of(comparisons));
    }
    List<Comparison> otherwise =
        comparisons.stream()
            .filter(
                comparison ->
                    // Of a class of somebody's choice nobody knows whether it reads or compacts.
                    !comparison.isAsExpected()
                        || classes.isEmpty() && !comparison.run().isEvidence())
            .toList();
    System.out.printf(
        "%d classes; %d otherwise than expected%n", comparisons.size(), otherwise.size());
    otherwise.forEach(comparison -> System.out.println(comparison.text()));
    System.exit(otherwise.isEmpty() ? 0 : 1);
  }

  private static List<PlannedRun> planned(List<String> classes, Pass pass, boolean all) {
    if (classes.isEmpty()) {
      return all ? PlannedRun.all() : PlannedRun.inCiOnly();
    }
    return classes.stream().map(testClass -> PlannedRun.of(testClass, pass)).toList();
  }
}
