package io.ishbase.it.conformance;

import io.ishbase.core.Gate;
import io.ishbase.core.Reason;
import io.ishbase.core.compaction.LocalReason;
import io.ishbase.plugin.metrics.CompactionMetrics;
import io.ishbase.plugin.metrics.InStorageMetrics;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs classes of JUnit 4 or 5, or single methods of them, one after the other, and writes what
 * happened in each to a file of its name, a line each, fields separated by tabs:
 *
 * <pre>
 *   passed   method  milliseconds
 *   skipped  method, by an assumption of its own
 *   failed   method  exception
 *   counted  what    number
 *   done     seconds
 * </pre>
 *
 * Ends with its parent: when standard input ends, so does this process.
 */
final class TestClassMain {
  private TestClassMain() {}

  public static void main(String[] args) throws Exception {
    exitWithParent();
    keepTemporaryDirectory();
    Path results = Path.of(args[0]);
    for (String testClass : Arrays.asList(args).subList(1, args.length)) {
      System.out.println("=== " + testClass);
      try (PrintStream out =
          new PrintStream(results.resolve(testClass).toFile(), StandardCharsets.UTF_8)) {
        run(testClass, out);
      }
    }
    // HBase's tests leave threads behind, and hooks that wait for them.
    halt(0);
  }

  /**
   * The JDK remembers where the first temporary file was made. HBase's mini cluster has its own
   * directory named so while it runs, and deletes it: where the first file is one of its time,
   * there is none behind it, and Mockito, which needs one, does not begin.
   */
  private static void keepTemporaryDirectory() throws IOException {
    Files.delete(File.createTempFile("first", null).toPath());
    Files.delete(Files.createTempFile("first", null));
  }

  private static void run(String testClass, PrintStream out) {
    long start = System.nanoTime();
    Map<String, Long> before = counters();
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(
                testClass.contains("#")
                    ? DiscoverySelectors.selectMethod(testClass)
                    : DiscoverySelectors.selectClass(testClass))
            .filters(EngineFilter.includeEngines("junit-jupiter", "junit-vintage"))
            .build();
    Launcher launcher = LauncherFactory.create();
    launcher.execute(request, new Recorder(out));
    counters()
        .forEach(
            (name, count) -> {
              long counted = count - before.getOrDefault(name, 0L);
              if (counted > 0) {
                out.println("counted\t" + name + "\t" + counted);
              }
            });
    out.println("done\t" + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start));
    // The next class has file systems of its own, and no clock of this one.
    DaemonsInJvm.close();
    EnvironmentEdgeManager.reset();
  }

  private static Map<String, Long> counters() {
    Map<String, Long> counters = new TreeMap<>();
    InStorageMetrics reads = InStorageMetrics.get();
    counters.put(ClassRun.REQUESTS, reads.requests());
    counters.put(ClassRun.CELLS, reads.cells());
    for (Reason reason : Reason.values()) {
      counters.put(ClassRun.FALLBACK + reason, reads.fallbacks(reason));
    }
    for (Gate.Route route : Gate.Route.values()) {
      counters.put(ClassRun.ROUTE + route, reads.routes(route));
    }
    counters.putAll(CacheCounters.sums());
    CompactionMetrics compactions = CompactionMetrics.get();
    counters.put(ClassRun.OFFLOADED, compactions.offloaded());
    for (LocalReason reason : LocalReason.values()) {
      counters.put(ClassRun.LOCAL + reason, compactions.local(reason));
    }
    counters.put("flushes", FlushBeforeRead.flushes());
    return counters;
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
              halt(3);
            },
            "parent-watcher");
    watcher.setDaemon(true);
    watcher.start();
  }

  @SuppressWarnings("removal") // HBase's SystemExitRule has a security manager forbid the exit
  private static void halt(int status) {
    System.setSecurityManager(null);
    Runtime.getRuntime().halt(status);
  }

  private static final class Recorder implements TestExecutionListener {
    private final PrintStream out;
    private final Map<String, Long> started = new ConcurrentHashMap<>();

    Recorder(PrintStream out) {
      this.out = out;
    }

    @Override
    public void executionStarted(TestIdentifier test) {
      started.put(test.getUniqueId(), System.nanoTime());
    }

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
      long millis = (System.nanoTime() - started.remove(test.getUniqueId())) / 1_000_000;
      switch (result.getStatus()) {
        case SUCCESSFUL:
          if (test.isTest()) {
            out.println("passed\t" + name(test) + "\t" + millis);
          }
          break;
        case ABORTED:
          out.println("skipped\t" + name(test));
          break;
        default:
          Throwable failure = result.getThrowable().orElseGet(AssertionError::new);
          out.println("failed\t" + name(test) + "\t" + failure.toString().replaceAll("\\s+", " "));
          System.out.println("FAILED " + name(test));
          failure.printStackTrace(System.out);
      }
      out.flush();
    }

    /** With the parameters, if there are any, as the engine names them. */
    private static String name(TestIdentifier test) {
      return test.isTest()
          ? test.getLegacyReportingName().replaceFirst("\\(.*?\\)", "")
          : ClassRun.WHOLE_CLASS;
    }
  }
}
