package io.ishbase.it.conformance;

import io.ishbase.it.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileUtil;

/**
 * Runs one class of HBase's tests in a JVM of its own, with HBase's settings for tests on the class
 * path, and the plug-in among them or not.
 */
final class ClassRunner {
  private static final long LIMIT_MINUTES = 15;

  private final Path directory;

  /** Logs and the tests' own files go to {@code directory}. */
  ClassRunner(Path directory) throws IOException {
    this.directory = Files.createDirectories(directory).toAbsolutePath();
  }

  /** Runs {@code testClass}; its output stays in a log. */
  ClassRun run(String testClass, boolean inStorage) throws IOException, InterruptedException {
    String name = testClass.substring(testClass.lastIndexOf('.') + 1);
    Path work = directory.resolve(name + (inStorage ? "-in-storage" : "-stock"));
    FileUtil.fullyDelete(work.toFile());
    Path site = Files.createDirectories(work.resolve("site"));
    Path tmp = Files.createDirectories(work.resolve("tmp"));
    Files.writeString(site.resolve("hbase-site.xml"), siteXml(inStorage));
    Files.writeString(site.resolve("log4j2-test.properties"), LOGGING);
    Path results = work.resolve("results");
    Path log = directory.resolve(work.getFileName() + ".log");
    List<String> command =
        ChildJvm.command(
            site,
            List.of("-Xmx2500m", "-Djava.io.tmpdir=" + tmp),
            TestClassMain.class.getName(),
            List.of(testClass, results.toString()));
    long start = System.nanoTime();
    Process process =
        new ProcessBuilder(command)
            .directory(work.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES);
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
    ClassRun run =
        ClassRun.of(
            Files.exists(results) ? Files.readAllLines(results) : List.of(),
            TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start));
    FileUtil.fullyDelete(work.toFile());
    return run;
  }

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
  private static String siteXml(boolean inStorage) {
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
    if (inStorage) {
      property(xml, "hbase.hregion.impl", ConformanceRegion.class.getName());
      property(xml, "ishbase.read", "in-storage");
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
