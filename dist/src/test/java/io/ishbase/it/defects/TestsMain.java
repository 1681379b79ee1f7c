package io.ishbase.it.defects;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs classes of tests, one after the other, all or until one of them fails, and writes to a file
 * what happened, a line each, as {@link TestRun} reads it. Ends with its parent: when standard
 * input ends, so does this process.
 *
 * <pre>
 *   FILE all|some CLASS...
 * </pre>
 */
final class TestsMain {
  static final String ALL = "all";
  static final String SOME = "some";

  private TestsMain() {}

  public static void main(String[] args) throws Exception {
    exitWithParent();
    boolean runsAll = args[1].equals(ALL);
    List<String> classes = Arrays.asList(args).subList(2, args.length);
    try (PrintStream out = new PrintStream(args[0], StandardCharsets.UTF_8)) {
      Lines lines = new Lines(out);
      for (String testClass : classes) {
        if (runsAll || !lines.hasFailed) {
          LauncherFactory.create()
              .execute(
                  LauncherDiscoveryRequestBuilder.request()
                      .selectors(DiscoverySelectors.selectClass(testClass))
                      .build(),
                  lines);
          out.println(TestRun.RAN + "\t" + Lines.simple(testClass));
        }
      }
      out.println(TestRun.DONE);
    }
    // Threads that a failed test has left behind do not count.
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
              Runtime.getRuntime().halt(3);
            },
            "parent-watcher");
    watcher.setDaemon(true);
    watcher.start();
  }

  private static final class Lines implements TestExecutionListener {
    private final PrintStream out;
    private boolean hasFailed;

    Lines(PrintStream out) {
      this.out = out;
    }

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
      if (result.getStatus() == TestExecutionResult.Status.FAILED) {
        hasFailed = true;
        out.println(TestRun.FAILED + "\t" + name(test));
        System.out.println("FAILED " + name(test));
        result.getThrowable().ifPresent(failure -> failure.printStackTrace(System.out));
      } else if (test.isTest() && result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) {
        out.println(TestRun.PASSED + "\t" + name(test));
      }
      out.flush();
    }

    /** {@code Class#method}, without parameters; of what fails around the methods the class. */
    private static String name(TestIdentifier test) {
      TestSource source = test.getSource().orElse(null);
      if (source instanceof MethodSource method) {
        return simple(method.getClassName()) + "#" + method.getMethodName();
      }
      return source instanceof ClassSource type
          ? simple(type.getClassName())
          : test.getDisplayName();
    }

    private static String simple(String className) {
      return className.substring(className.lastIndexOf('.') + 1);
    }
  }
}
