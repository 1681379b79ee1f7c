package io.ishbase.it.conformance;

import io.ishbase.core.Reason;
import io.ishbase.plugin.regionserver.InStorageMetrics;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/**
 * Runs one JUnit 4 class and writes what happened to a file, a line each, fields separated by tabs:
 *
 * <pre>
 *   passed   method  milliseconds
 *   skipped  method
 *   failed   method  exception
 *   counted  what    number
 *   done
 * </pre>
 *
 * Ends with its parent: when standard input ends, so does this process.
 */
final class TestClassMain {
  private TestClassMain() {}

  public static void main(String[] args) throws Exception {
    exitWithParent();
    Class<?> testClass = Class.forName(args[0]);
    try (PrintStream out = new PrintStream(args[1], StandardCharsets.UTF_8)) {
      JUnitCore core = new JUnitCore();
      core.addListener(new Recorder(out));
      core.run(testClass);
      InStorageMetrics metrics = InStorageMetrics.get();
      out.println("counted\trequests\t" + metrics.requests());
      out.println("counted\tcells\t" + metrics.cells());
      for (Reason reason : Reason.values()) {
        if (metrics.fallbacks(reason) > 0) {
          out.println("counted\t" + reason + "\t" + metrics.fallbacks(reason));
        }
      }
      out.println("done");
    }
    // HBase's tests leave threads behind, and hooks that wait for them.
    Runtime.getRuntime().halt(0);
  }

  private static void exitWithParent() {
    Thread watcher =
        new Thread(
            () -> {
              try {
                while (System.in.read() >= 0) {
                  continue;
                }
              } catch (IOException e) {
                // Gone all the same.
              }
              halt();
            },
            "parent-watcher");
    watcher.setDaemon(true);
    watcher.start();
  }

  @SuppressWarnings("removal") // HBase's SystemExitRule has a security manager forbid the exit
  private static void halt() {
    System.setSecurityManager(null);
    Runtime.getRuntime().halt(3);
  }

  private static final class Recorder extends RunListener {
    private final PrintStream out;
    private final Map<Description, Long> started = new HashMap<>();

    Recorder(PrintStream out) {
      this.out = out;
    }

    @Override
    public synchronized void testStarted(Description test) {
      started.put(test, System.nanoTime());
    }

    @Override
    public synchronized void testFinished(Description test) {
      Long start = started.remove(test);
      if (start != null) {
        out.println("passed\t" + name(test) + "\t" + (System.nanoTime() - start) / 1_000_000);
      }
    }

    @Override
    public synchronized void testFailure(Failure failure) {
      started.remove(failure.getDescription());
      String text = failure.getException().toString().replaceAll("\\s+", " ");
      out.println("failed\t" + name(failure.getDescription()) + "\t" + text);
      System.out.println("FAILED " + failure.getDescription());
      failure.getException().printStackTrace(System.out);
    }

    @Override
    public synchronized void testAssumptionFailure(Failure failure) {
      started.remove(failure.getDescription());
      out.println("skipped\t" + name(failure.getDescription()));
    }

    @Override
    public synchronized void testIgnored(Description test) {
      out.println("skipped\t" + name(test));
    }

    private static String name(Description test) {
      return test.getMethodName() == null ? "(class)" : test.getMethodName();
    }
  }
}
