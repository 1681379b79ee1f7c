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
 * -Dishbase.conformance.stock=true}. Exit status 1 if anything that stock passes fails in-storage,
 * but for {@link KnownDifferences}.
 */
public final class Conformance {
  /** Read and scan hard, and take reasonable time; the longest first. */
  static final List<String> CLASSES_IN_CI =
      List.of(
          "TestPartialResultsFromClientSide",
          "regionserver.TestMultiColumnScannerWithNoneAndNoDataEncoding",
          "regionserver.TestMultiColumnScannerWithAlgoGZAndUseDataEncoding",
          "regionserver.TestNewVersionBehaviorFromClientSide",
          "regionserver.TestSeekOptimizations",
          "filter.TestMultiRowRangeFilter",
          "client.TestTimestampsFilter",
          "filter.TestColumnRangeFilter",
          "regionserver.TestScannerWithBulkload",
          "regionserver.TestIsDeleteFailure",
          "TestMultiVersions",
          "regionserver.TestAtomicOperation",
          "regionserver.TestMinVersions",
          "filter.TestFilter",
          "regionserver.TestScanner",
          "regionserver.TestKeepDeletes",
          "regionserver.TestColumnSeeking",
          "regionserver.TestReversibleScanners");

  /**
   * One class in both modes.
   *
   * @param stock null if it was not needed
   * @param worse methods that fail in-storage and not stock
   */
  record Comparison(String testClass, ClassRun inStorage, ClassRun stock, List<String> worse) {
    /** Methods that fail in-storage, not stock, and not for a known reason. */
    List<String> unexpected() {
      return worse.stream()
          .filter(method -> KnownDifferences.reason(testClass, method) == null)
          .toList();
    }

    String text() {
      StringBuilder text = new StringBuilder(testClass + "\n  in-storage " + inStorage.summary());
      if (stock != null) {
        text.append("\n  stock      ").append(stock.summary());
      }
      for (String method : worse) {
        String known = KnownDifferences.reason(testClass, method);
        text.append("\n  DIFFERS    ").append(method).append(": ");
        text.append(known == null ? inStorage.failed().get(method) : "known, " + known);
      }
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
    long unexpected =
        comparisons.stream().mapToLong(comparison -> comparison.unexpected().size()).sum();
    System.out.printf(
        "%d classes; of the tests that stock passes %d fail in-storage, %d of them unexpectedly%n",
        comparisons.size(), worse, unexpected);
    System.exit(unexpected == 0 ? 0 : 1);
  }
}
