package io.ishbase.it.conformance;

import static java.util.Objects.requireNonNull;

import io.ishbase.it.ChildJvm;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.hbase.HBaseTestingUtility;

/**
 * Runs classes of HBase's tests in JVMs of their own, with HBase's settings for tests on the class
 * path, and those of a pass.
 */
final class ClassRunner {
  private static final long LIMIT_SECONDS =
      Integer.getInteger("ishbase.conformance.limit.seconds", 300);

  private static final long LOOK_SECONDS = 2;

  private final Path directory;
  private final KeptRuns kept;
  private final boolean goesOn;
  private final AtomicInteger jvms = new AtomicInteger();

  /**
   * Logs, results and the tests' own files go to {@code directory}.
   *
   * @param goesOn whether what has a result there, of this build, is not run again
   */
  ClassRunner(Path directory, boolean goesOn) throws IOException {
    this.directory = Files.createDirectories(directory).toAbsolutePath();
    this.kept = new KeptRuns(this.directory.resolve("kept"), KeptRuns.ofThisBuild());
    this.goesOn = goesOn;
  }

  /** Runs {@code testClass} in a JVM of its own; its output stays in a log. */
  ClassRun run(String testClass, Pass pass) throws IOException, InterruptedException {
    return runAll(List.of(testClass), pass).get(testClass);
  }

  /**
   * Runs all, one after the other, in one JVM; what is left when one of them ends it, or takes too
   * long, in another.
   */
  Map<String, ClassRun> runAll(List<String> testClasses, Pass pass)
      throws IOException, InterruptedException {
    Map<String, ClassRun> runs = new LinkedHashMap<>();
    List<String> left = new ArrayList<>(testClasses);
    if (goesOn) {
      for (String testClass : testClasses) {
        kept.of(testClass, pass).ifPresent(run -> runs.put(testClass, run));
      }
      left.removeAll(runs.keySet());
    }
    while (!left.isEmpty()) {
      Map<String, ClassRun> begun = runInOneJvm(left, pass);
      runs.putAll(begun);
      left.removeAll(begun.keySet());
    }
    return runs;
  }

  /** At least the first has a result. */
  private Map<String, ClassRun> runInOneJvm(List<String> testClasses, Pass pass)
      throws IOException, InterruptedException {
    String first = testClasses.get(0);
    String name =
        pass
            + "-"
            + jvms.incrementAndGet()
            + "-"
            + first.substring(first.lastIndexOf('.') + 1).replace('#', '-');
    Path work = directory.resolve(name);
    FileUtil.fullyDelete(work.toFile());
    Path site = Files.createDirectories(work.resolve("site"));
    Path tmp = Files.createDirectories(work.resolve("tmp"));
    Path results = Files.createDirectories(work.resolve("results"));
    Files.writeString(site.resolve("hbase-site.xml"), siteXml(pass));
    Files.writeString(site.resolve("log4j2-test.properties"), LOGGING);
    Path built = Files.createDirectories(work.resolve("target/test-classes"));
    Files.copy(site.resolve("hbase-site.xml"), built.resolve("hbase-site.xml"));
    for (String file : READ_AS_BUILT) {
      unpack(file, built);
    }
    for (String testClass : testClasses) {
      // Where secure ones lie they write HDFS's settings of TLS.
      unpack(classFile(testClass), site);
    }
    unpack(SECURE_CLUSTER, site);
    List<String> arguments = new ArrayList<>();
    arguments.add(results.toString());
    arguments.addAll(testClasses);
    List<String> command =
        ChildJvm.command(
            site,
            List.of(
                "-Xmx2500m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + tmp),
            TestClassMain.class.getName(),
            arguments);
    Process process =
        new ProcessBuilder(command)
            .directory(work.toFile())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve(name + ".log").toFile())
            .start();
    try {
      awaitEnd(process, results);
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
    Map<String, ClassRun> runs = new LinkedHashMap<>();
    for (String testClass : testClasses) {
      Path result = results.resolve(testClass);
      if (Files.exists(result) || testClass.equals(first)) {
        List<String> lines = Files.exists(result) ? Files.readAllLines(result) : List.of();
        kept.keep(testClass, pass, lines);
        runs.put(testClass, ClassRun.of(lines));
      }
    }
    FileUtil.fullyDelete(work.toFile());
    return runs;
  }

  /** Returns when {@code process} has ended, or one of its classes takes too long. */
  private static void awaitEnd(Process process, Path results) throws InterruptedException {
    int begun = 0;
    long since = System.nanoTime();
    while (!process.waitFor(LOOK_SECONDS, TimeUnit.SECONDS)) {
      int now = results.toFile().list().length;
      if (now > begun) {
        begun = now;
        since = System.nanoTime();
      } else if (System.nanoTime() - since > TimeUnit.SECONDS.toNanos(LIMIT_SECONDS)) {
        return;
      }
    }
  }

  /** Whether the HBase on the class path has that test class. */
  static boolean isThere(String testClass) {
    return HBaseTestingUtility.class.getResource("/" + classFile(testClass)) != null;
  }

  private static String classFile(String testClass) {
    return testClass.replaceFirst("#.*", "").replace('.', '/') + ".class";
  }

  private static void unpack(String file, Path directory) throws IOException {
    Path unpacked = directory.resolve(file);
    Files.createDirectories(unpacked.getParent());
    try (InputStream from = HBaseTestingUtility.class.getResourceAsStream("/" + file)) {
      Files.copy(requireNonNull(from, file), unpacked, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** Of the tests' jar, what some tests open where Maven's build has it. */
  private static final List<String> READ_AS_BUILT =
      List.of("override-hbase-site.xml", "0000000000000016310");

  /** Other classes begin it. */
  private static final String SECURE_CLUSTER =
      "org/apache/hadoop/hbase/security/token/SecureTestCluster.class";

  private static final String LOGGING =
      """
      status = warn
      appender.console.type = Console
      appender.console.name = console
      appender.console.layout.type = PatternLayout
      appender.console.layout.pattern = %d{ISO8601} %-5p [%t] %c{2}: %m%n
      rootLogger.level = warn
      rootLogger.appenderRef.console.ref = console
      logger.ishbase.name = io.ishbase
      logger.ishbase.level = debug
      """;

  // What hbase-site.xml of HBase's own tests sets and they need: free ports, few threads, short
  // waits.
  private static String siteXml(Pass pass) {
    StringBuilder xml = new StringBuilder("<configuration>\n");
    property(xml, "hbase.defaults.for.version.skip", "true");
    property(xml, "hbase.master.info.port", "-1");
    property(xml, "hbase.regionserver.info.port", "-1");
    property(xml, "hbase.localcluster.assign.random.ports", "true");
    property(xml, "hbase.regionserver.msginterval", "1000");
    property(xml, "hbase.server.thread.wakefrequency", "1000");
    property(xml, "hbase.regionserver.handler.count", "5");
    property(xml, "hbase.regionserver.metahandler.count", "6");
    property(xml, "hbase.ipc.server.read.threadpool.size", "3");
    property(xml, "hbase.hconnection.threads.keepalivetime", "3");
    property(xml, "hbase.table.sanity.checks", "false");
    property(xml, "hbase.procedure.fail.on.corruption", "true");
    property(xml, "dfs.namenode.fs-limits.min-block-size", "0");
    pass.site().forEach((name, value) -> property(xml, name, value));
    for (String added : System.getProperty("ishbase.conformance.site", "").split(",")) {
      String[] setting = added.split("=", 2);
      if (setting.length == 2) {
        property(xml, setting[0], setting[1]);
      }
    }
    return xml.append("</configuration>\n").toString();
  }

  private static void property(StringBuilder xml, String name, String value) {
    xml.append("<property><name>")
        .append(name)
        .append("</name><value>")
        .append(value)
        .append("</value></property>\n");
  }
}
