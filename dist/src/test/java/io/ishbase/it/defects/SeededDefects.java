package io.ishbase.it.defects;

import io.ishbase.it.defects.Defect.TestClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/**
 * Tests of the tests: writes one defect after the other into what ships, and runs the tests that
 * are to catch it.
 *
 * <pre>
 *   NAME...   these
 *   --list    says which there are
 *   --page    all, and writes docs/results/defects.md
 *             nothing: all
 * </pre>
 *
 * Exit status 1 if a defect is not caught, or a test fails without one.
 */
public final class SeededDefects {
  private final TestRunner runner;

  SeededDefects(TestRunner runner) {
    this.runner = runner;
  }

  /** The tests of {@code defects} that fail without any. */
  List<String> failWithout(List<Defect> defects) throws IOException, InterruptedException {
    List<String> failed = new ArrayList<>();
    for (Map.Entry<String, List<String>> ofModule :
        byModule(defects.stream().flatMap(defect -> defect.tests().stream()).toList()).entrySet()) {
      TestRun run = runner.run(ofModule.getKey(), ofModule.getValue(), null);
      failed.addAll(run.failed());
      if (!run.isClean() && run.failed().isEmpty()) {
        failed.add("tests of " + ofModule.getKey() + ", which do not end");
      }
      System.out.printf(
          "%s without a defect: %d passed, %s failed, %d s%s%n",
          ofModule.getKey(),
          run.passed(),
          run.failed(),
          run.millis() / 1000,
          run.isWhole() ? "" : ", and did not end");
    }
    return failed;
  }

  /** What becomes of one: its tests are run in their order, until a class of them fails. */
  Verdict judge(Defect defect) throws IOException, InterruptedException {
    List<String> failed = new ArrayList<>();
    List<String> ran = new ArrayList<>();
    boolean isOver = true;
    long millis = 0;
    for (Map.Entry<String, List<String>> ofModule : byModule(defect.tests()).entrySet()) {
      if (failed.isEmpty()) {
        TestRun run = runner.run(ofModule.getKey(), ofModule.getValue(), defect);
        failed.addAll(run.failed());
        ran.addAll(run.ran());
        isOver &= run.isWhole();
        millis += run.millis();
      }
    }
    return new Verdict(defect, failed, ran, isOver, millis);
  }

  private static Map<String, List<String>> byModule(List<TestClass> tests) {
    return tests.stream()
        .distinct()
        .collect(
            Collectors.groupingBy(
                TestClass::module,
                LinkedHashMap::new,
                Collectors.mapping(TestClass::name, Collectors.toList())));
  }

  private List<Verdict> judgeAll(List<Defect> defects, int atOnce)
      throws IOException, InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(atOnce);
    try {
      List<Future<Verdict>> running = new ArrayList<>();
      for (Defect defect : defects) {
        running.add(
            pool.submit(
                () -> {
                  Verdict verdict = judge(defect);
                  System.out.println(verdict.text());
                  return verdict;
                }));
      }
      List<Verdict> verdicts = new ArrayList<>();
      for (Future<Verdict> verdict : running) {
        verdicts.add(verdict.get());
      }
      return verdicts;
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } finally {
      pool.shutdownNow();
    }
  }

  public static void main(String[] arguments) throws Exception {
    List<String> names = new ArrayList<>(Arrays.asList(arguments));
    boolean writesPage = names.remove("--page");
    if (names.remove("--list")) {
      Defects.all()
          .forEach(defect -> System.out.printf("%-28s %s%n", defect.name(), defect.says()));
      return;
    }
    List<Defect> chosen = chosen(names);
    String commit = writesPage ? DefectsPage.commit() : "";
    if (names.size() > chosen.size() || writesPage && !names.isEmpty() || commit == null) {
      System.err.println(
          commit == null
              ? "defects: there are changes that are not committed"
              : "usage: defects [NAME...] | --list | --page");
      System.exit(2);
    }
    SeededDefects defects =
        new SeededDefects(
            new TestRunner(Path.of(System.getProperty("ishbase.defects.dir", "target/defects"))));
    List<String> failWithout = defects.failWithout(chosen);
    if (!failWithout.isEmpty()) {
      System.err.println("defects: none was judged, for without one there fail " + failWithout);
      System.exit(1);
    }
    List<Verdict> verdicts =
        defects.judgeAll(chosen, Integer.getInteger("ishbase.defects.parallel", 1));
    long caught = verdicts.stream().filter(Verdict::isCaught).count();
    System.out.printf("%d of %d defects caught%n", caught, chosen.size());
    if (writesPage) {
      Files.writeString(DefectsPage.PATH, DefectsPage.of(verdicts, commit));
    }
    System.exit(caught == chosen.size() ? 0 : 1);
  }

  private static List<Defect> chosen(List<String> names) {
    return Defects.all().stream()
        .filter(defect -> names.isEmpty() || names.contains(defect.name()))
        .toList();
  }
}
