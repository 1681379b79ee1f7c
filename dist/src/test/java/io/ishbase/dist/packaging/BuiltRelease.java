package io.ishbase.dist.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.dist.BuiltHome;
import io.ishbase.dist.Outcome;
import io.ishbase.dist.cluster.Installed;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A release of what the running test was built with, unpacked beside a stock HBase that is made of
 * the test's class path.
 */
final class BuiltRelease {
  /** Maven runs tests in the directory of their module. */
  private static final Path MODULE = Path.of("").toAbsolutePath();

  private final Path directory;
  private final Path jars;

  /** Makes and unpacks it in a directory. */
  BuiltRelease(Path directory) throws IOException, InterruptedException {
    this.directory = directory;
    BuiltHome.make(directory.resolve("home"));
    jars = directory.resolve("home/dist/target/lib");
    for (String entry : System.getProperty("java.class.path").split(":")) {
      Path path = Path.of(entry).toAbsolutePath();
      if (Files.isDirectory(path) && path.endsWith("target/classes")) {
        String module = path.getParent().getParent().getFileName().toString();
        BuiltHome.jar(path, jars.resolve(module + "-" + Release.version() + ".jar"));
      }
    }
    write(files());
    Outcome unpacked =
        Commands.run(
            directory, Map.of(), List.of("tar", "xzf", files().resolve(tarball()).toString()));
    assertThat(unpacked.code()).as(unpacked.err()).isZero();
    for (Dependency each : ReleaseJars.stock(resolved())) {
      install(jars.resolve(each.jar()), hbaseHome());
    }
  }

  /**
   * The same beside another HBase.
   *
   * @param hbaseJars the directory with its jars
   */
  Installed beside(Path hbaseJars) throws IOException {
    Path home = directory.resolve("other").resolve(hbaseJars.getFileName());
    Files.createDirectories(home.resolve("lib/client-facing-thirdparty"));
    try (DirectoryStream<Path> all = Files.newDirectoryStream(hbaseJars, "*.jar")) {
      for (Path jar : all) {
        install(jar, home);
      }
    }
    return new Installed(home, home());
  }

  /** Writes it once more. */
  List<Path> write(Path to) throws IOException {
    return new Release(MODULE.getParent(), MODULE.resolve("target/resolved.json"), List.of(jars))
        .write(to);
  }

  static ResolvedDependencies resolved() throws IOException {
    return ResolvedDependencies.read(MODULE.resolve("target/resolved.json"));
  }

  /** Puts a jar where HBase's tarball has it. */
  private static void install(Path jar, Path hbaseHome) throws IOException {
    String name = jar.getFileName().toString();
    Path lib =
        hbaseHome
            .resolve("lib")
            .resolve(name.startsWith("log4j-") ? "client-facing-thirdparty" : "");
    Files.createDirectories(lib);
    Files.createSymbolicLink(lib.resolve(name), jar.toRealPath());
  }

  static String tarball() {
    return Release.directory() + ".tar.gz";
  }

  /** Where the release's files are. */
  Path files() {
    return directory.resolve("package");
  }

  /** The unpacked release. */
  Path home() {
    return directory.resolve(Release.directory());
  }

  Path hbaseHome() {
    return directory.resolve("hbase");
  }

  /** Jars for servers that are not HBase's. */
  Path jars() {
    return jars;
  }

  Installed installed() {
    return new Installed(hbaseHome(), home());
  }

  /** Runs a program of the release's {@code bin}. */
  Outcome run(Map<String, String> environment, String program, String... arguments)
      throws IOException, InterruptedException {
    List<String> command =
        new java.util.ArrayList<>(List.of(home().resolve("bin").resolve(program).toString()));
    command.addAll(List.of(arguments));
    return Commands.run(directory, environment, command);
  }
}
