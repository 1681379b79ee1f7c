package io.ishbase.it.conformance;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Runs classes of HBase's own tests in-storage and lists what differs from a stock run of the same
 * class. Arguments: class names, with or without {@code org.apache.hadoop.hbase}; none: those that
 * CI runs. A class of which all tests pass in-storage is not run stock, unless {@code
 * -Dishbase.conformance.stock=true}. Exit status 1 if anything that stock passes fails in-storage.
 */
public final class Conformance {
  /** Read and scan hard, and take reasonable time. */
  static final List<String> CLASSES_IN_CI = List.of("regionserver.TestHStore");

  /** One class in both modes; {@code stock} is null if it was not needed. */
  record Comparison(String testClass, ClassRun inStorage, ClassRun stock, List<String> worse) {
    String text() {
      StringBuilder text = new StringBuilder(testClass + "\n  in-storage " + inStorage.summary());
      if (stock != null) {
        text.append("\n  stock      ").append(stock.summary());
      }
      worse.forEach(
          method ->
              text.append("\n  DIFFERS    " + method + ": " + inStorage.failed().get(method)));
      return text.toString();
    }
  }

  private final ClassRunner runner;
  private final boolean alwaysStock;

  /** Without {@code alwaysStock} a class that passes in-storage is not run stock. */
  Conformance(ClassRunner runner, boolean alwaysStock) {
    this.runner = runner;
    this.alwaysStock = alwaysStock;
  }

  Comparison compare(String shortName) throws IOException, InterruptedException {
    String testClass =
        shortName.startsWith("org.apache.") ? shortName : "org.apache.hadoop.hbase." + shortName;
    System.err.println("running " + testClass);
    ClassRun inStorage = runner.run(testClass, true);
    if (inStorage.failed().isEmpty() && !alwaysStock) {
      return new Comparison(testClass, inStorage, null, List.of());
    }
    ClassRun stock = runner.run(testClass, false);
    return new Comparison(testClass, inStorage, stock, inStorage.worseThan(stock));
  }

  /** Compares several at a time and prints each when it is done. */
  List<Comparison> compareAll(List<String> testClasses, int atOnce)
      throws IOException, InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(atOnce);
    try {
      List<Future<Comparison>> running = new ArrayList<>();
      for (String testClass : testClasses) {
        running.add(
            pool.submit(
                () -> {
                  Comparison comparison = compare(testClass);
                  System.out.println(comparison.text());
                  return comparison;
                }));
      }
      List<Comparison> comparisons = new ArrayList<>();
      for (Future<Comparison> future : running) {
        comparisons.add(future.get());
      }
      return comparisons;
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } finally {
      pool.shutdownNow();
    }
  }

  public static void main(String[] args) throws Exception {
    List<String> classes = args.length == 0 ? CLASSES_IN_CI : Arrays.asList(args);
    Path directory = Path.of(System.getProperty("ishbase.conformance.dir", "target/conformance"));
    List<Comparison> comparisons =
        new Conformance(new ClassRunner(directory), Boolean.getBoolean("ishbase.conformance.stock"))
            .compareAll(classes, Integer.getInteger("ishbase.conformance.parallel", 1));
    long worse = comparisons.stream().mapToLong(comparison -> comparison.worse().size()).sum();
    System.out.println(
        comparisons.size() + " classes, " + worse + " tests that stock passes fail in-storage");
    System.exit(worse == 0 ? 0 : 1);
  }
}
