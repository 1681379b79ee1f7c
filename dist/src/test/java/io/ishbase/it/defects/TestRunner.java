package io.ishbase.it.defects;

import io.ishbase.it.ChildJvm;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileUtil;

/** Runs classes of tests of a module, in a JVM of their own, in the module's directory. */
final class TestRunner {
  /** Of the tests of one defect. */
  private static final long LIMIT_SECONDS =
      Integer.getInteger("ishbase.defects.limit.seconds", 300);

  /** So many times as long may the tests of all defects take, without any. */
  private static final int WITHOUT_DEFECT = 6;

  private final Path directory;

  /** Logs, results and the tests' own files go to {@code directory}. */
  TestRunner(Path directory) throws IOException {
    this.directory = Files.createDirectories(directory).toAbsolutePath();
  }

  /**
   * Runs {@code tests}, all of {@code module}; with a defect until one of them fails.
   *
   * @param defect that what ships has; null: none
   */
  TestRun run(String module, List<String> tests, Defect defect)
      throws IOException, InterruptedException {
    String name = (defect == null ? "none" : defect.name()) + "-" + module;
    Path work = directory.resolve(name);
    FileUtil.fullyDelete(work.toFile());
    Path classes = Files.createDirectories(work.resolve("classes"));
    Path tmp = Files.createDirectories(work.resolve("tmp"));
    Path results = work.resolve("results");
    if (defect != null) {
      defect.writeTo(classes);
    }
    Path ofModule = Defect.directory(module);
    List<String> arguments = new ArrayList<>();
    arguments.add(results.toString());
    arguments.add(defect == null ? TestsMain.ALL : TestsMain.SOME);
    arguments.addAll(tests);
    List<String> command =
        ChildJvm.command(
            classes,
            List.of(
                "-ea",
                "-Xmx2g",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + tmp,
                "-Dishbase.seed=" + Long.getLong("ishbase.seed", 1)),
            TestsMain.class.getName(),
            arguments);
    // What the module's own build has first, behind the defect.
    int classPath = command.indexOf("-cp") + 1;
    command.set(
        classPath,
        command
            .get(classPath)
            .replaceFirst(
                File.pathSeparator,
                File.pathSeparator
                    + ofModule.resolve("target/test-classes")
                    + File.pathSeparator
                    + ofModule.resolve("target/classes")
                    + File.pathSeparator));
    long start = System.nanoTime();
    Process process =
        new ProcessBuilder(command)
            .directory(ofModule.toFile())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve(name + ".log").toFile())
            .start();
    try {
      process.waitFor(
          defect == null ? WITHOUT_DEFECT * LIMIT_SECONDS : LIMIT_SECONDS, TimeUnit.SECONDS);
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    TestRun run =
        TestRun.of(Files.exists(results) ? Files.readAllLines(results) : List.of(), millis);
    FileUtil.fullyDelete(work.toFile());
    return run;
  }
}
