package io.ishbase.it.conformance;

import io.ishbase.it.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
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
 *   --all [--minutes=N] [CLASS...]
 *                            of the test jars of hbase-server, hbase-endpoint and hbase-mapreduce
 *                            all that this build has not run, those first that none has, or these;
 *                            begins none after so many minutes. Each result is kept in
 *                            docs/results/conformance-all.txt; writes the page beside it
 *   --page                   those of classes.txt, and writes docs/conformance.md; what has been
 *                            run with this build, by whichever of these, is not run again
 *                            nothing: those that CI runs
 * </pre>
 *
 * With {@code --hbase=VERSION} ahead of these: the tests of another version of HBase, with all that
 * was built with this one.
 *
 * <p>A class in which nothing is skipped or fails but what is known to is not run stock. Exit
 * status 1 if anything that stock passes fails and is not known to, or the other way round.
 */
public final class Conformance {
  private static final int CLASSES_TO_A_JVM =
      Integer.getInteger("ishbase.conformance.jvm.classes", 6);

  private static final Path RESULTS = Path.of("..", "docs", "results");

  /** Whether what fails is run stock, too. */
  private static final boolean STOCK =
      Boolean.parseBoolean(System.getProperty("ishbase.conformance.stock", "true"));

  private final ClassRunner runner;
  private final AllResults results;
  private final long lastBegin;

  Conformance(ClassRunner runner) {
    this(runner, null, Duration.ofDays(365));
  }

  /**
   * @param results which each is put to; null: none are
   * @param begins how long classes are begun
   */
  private Conformance(ClassRunner runner, AllResults results, Duration begins) {
    this.runner = runner;
    this.results = results;
    this.lastBegin = System.nanoTime() + begins.toNanos();
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
      if (group == null || group.size() == classesToAJvm(planned.pass())) {
        group = new ArrayList<>();
        groups.add(group);
        last.put(planned.pass(), group);
      }
      group.add(planned);
    }
    return groups;
  }

  /** Of all of HBase's classes some leave behind what others stumble over. */
  private static int classesToAJvm(Pass pass) {
    return pass == Pass.EVERYTHING ? 1 : CLASSES_TO_A_JVM;
  }

  private List<Comparison> compareInOneJvm(List<PlannedRun> group)
      throws IOException, InterruptedException {
    Pass pass = group.get(0).pass();
    if (System.nanoTime() - lastBegin > 0) {
      return List.of();
    }
    Map<String, ClassRun> runs =
        runner.runAll(group.stream().map(PlannedRun::fullName).toList(), pass);
    List<Comparison> comparisons = new ArrayList<>();
    for (PlannedRun planned : group) {
      ClassRun run = runs.get(planned.fullName());
      boolean isClear = !STOCK || pass.isStock() || Comparison.isClear(planned, run);
      Comparison comparison =
          new Comparison(
              planned, run, isClear ? null : runner.run(planned.fullName(), pass.reference()));
      System.out.println(comparison.text());
      if (results != null) {
        results.put(comparison);
      }
      comparisons.add(comparison);
    }
    return comparisons;
  }

  public static void main(String[] arguments) throws Exception {
    Pass pass = Pass.IN_STORAGE;
    Path page = null;
    boolean all = false;
    Duration begins = Duration.ofDays(365);
    List<String> classes = new ArrayList<>();
    for (String argument : arguments) {
      if (argument.startsWith("--pass=")) {
        pass = Pass.of(argument.substring("--pass=".length()));
      } else if (argument.equals("--page")) {
        page = Path.of("..", "docs", "conformance.md");
      } else if (argument.equals("--all")) {
        all = true;
      } else if (argument.matches("--minutes=\\d{1,5}")) {
        begins = Duration.ofMinutes(Integer.parseInt(argument.substring("--minutes=".length())));
      } else if (argument.startsWith("-")) {
        System.err.println(
            "usage: conformance [--pass=PASS] CLASS... | --page | --all [--minutes=N] [CLASS...] |"
                + " nothing");
        System.exit(2);
      } else {
        classes.add(argument);
      }
    }
    Path directory = Path.of(System.getProperty("ishbase.conformance.dir", "target/conformance"));
    ClassRunner runner = new ClassRunner(directory, page != null);
    int atOnce = Integer.getInteger("ishbase.conformance.parallel", 1);
    List<Comparison> comparisons;
    if (all) {
      AllResults results =
          new AllResults(RESULTS.resolve("conformance-all.txt"), commit(), KeptRuns.ofThisBuild());
      List<PlannedRun> ofJars = PlannedRun.ofJars();
      List<PlannedRun> planned =
          classes.isEmpty() ? results.left(ofJars) : planned(classes, Pass.EVERYTHING, false);
      try {
        comparisons = new Conformance(runner, results, begins).compareAll(planned, atOnce);
      } finally {
        Files.writeString(
            RESULTS.resolve("conformance-all.md"), AllPage.of(results.all(), ofJars.size()));
      }
    } else {
      comparisons =
          new Conformance(runner, null, begins)
              .compareAll(ofThisHBase(planned(classes, pass, page != null)), atOnce);
      if (page != null) {
        Files.writeString(page, ConformancePage.of(comparisons));
      }
    }
    boolean isOfAll = all;
    List<Comparison> otherwise =
        comparisons.stream()
            .filter(
                comparison ->
                    // Of a class of somebody's choice nobody knows whether it reads or compacts.
                    isOfAll
                        ? !comparison.differing().isEmpty() || comparison.run().badAnswers() > 0
                        : !comparison.isAsExpected()
                            || classes.isEmpty() && !comparison.run().isEvidence())
            .toList();
    System.out.printf(
        "%d classes; %d otherwise than expected%n", comparisons.size(), otherwise.size());
    otherwise.forEach(comparison -> System.out.println(comparison.text()));
    System.exit(otherwise.isEmpty() ? 0 : 1);
  }

  /** Says which are not: another HBase has others. */
  private static List<PlannedRun> ofThisHBase(List<PlannedRun> planned) {
    return planned.stream()
        .filter(
            each -> {
              boolean isThere = ClassRunner.isThere(each.fullName());
              if (!isThere) {
                System.out.println(each.testClass() + ": this HBase has no such class");
              }
              return isThere;
            })
        .toList();
  }

  /** Which of the classes that CI runs in turn are due: others each day. */
  static long turn() {
    return Long.getLong("ishbase.conformance.turn", LocalDate.now(ZoneOffset.UTC).toEpochDay());
  }

  /** What an earlier run has written is no change. */
  private static String commit() throws IOException {
    String own = ":(top,exclude)docs/results/conformance-all.*";
    String changed = SourceTree.git("diff", "--name-only", "HEAD", "--", ":/", own);
    return SourceTree.git("describe", "--always") + (changed.isEmpty() ? "" : "-dirty");
  }

  private static List<PlannedRun> planned(List<String> classes, Pass pass, boolean all) {
    if (classes.isEmpty()) {
      return all ? PlannedRun.all() : PlannedRun.inCi(turn());
    }
    return classes.stream().map(testClass -> PlannedRun.of(testClass, pass)).toList();
  }
}
