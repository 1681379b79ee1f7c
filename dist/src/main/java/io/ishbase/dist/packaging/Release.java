package io.ishbase.dist.packaging;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A release: a tarball and a Debian package for an existing HBase, the bill of materials and the
 * checksums of both. The same sources give the same bytes.
 */
public final class Release {
  private static final String VERSION = resource("version.txt");
  private static final Instant TIME = Instant.parse(resource("timestamp.txt"));

  private final Sources sources;
  private final ResolvedDependencies resolved;
  private final ReleaseJars jars;
  private final SortedMap<Dependency, Path> files = new TreeMap<>();

  /**
   * A release of a source tree.
   *
   * @param tree the source tree
   * @param bill the bill of materials that the build wrote
   * @param built directories with the jars that were built and those they need
   * @throws IOException if something is not there
   */
  public Release(Path tree, Path bill, List<Path> built) throws IOException {
    sources = new Sources(tree, VERSION);
    resolved = ResolvedDependencies.read(bill);
    jars = ReleaseJars.of(resolved);
    for (Dependency jar : jars.all()) {
      files.put(jar, find(jar, built));
    }
  }

  private static Path find(Dependency dependency, List<Path> built) throws IOException {
    return built.stream()
        .map(directory -> directory.resolve(dependency.jar()))
        .filter(Files::isRegularFile)
        .findFirst()
        .orElseThrow(
            () -> new IOException("The build left no " + dependency.jar() + " in " + built));
  }

  public static String version() {
    return VERSION;
  }

  /** The directory that the tarball unpacks to. */
  public static String directory() {
    return "ishbase-" + VERSION;
  }

  /**
   * Writes it, in place of what is there.
   *
   * @return the files that were written
   */
  public List<Path> write(Path directory) throws IOException {
    Files.createDirectories(directory);
    String bill = new Sbom(resolved, VERSION, TIME).of(files);
    FileTree tree = tree(bill);
    Path tarball = directory.resolve(directory() + ".tar.gz");
    Path debian = directory.resolve(DebianPackage.fileName(VERSION));
    Path billOfAll = directory.resolve(directory() + ".cdx.json");
    try (OutputStream out = Files.newOutputStream(tarball)) {
      tree.writeTar(out, directory() + "/", TIME);
    }
    new DebianPackage(sources, tree).write(debian, VERSION, TIME);
    Files.writeString(billOfAll, bill);
    Checksums.write(directory, List.of(tarball, debian, billOfAll));
    try (Stream<Path> written = Files.list(directory)) {
      return written.sorted().toList();
    }
  }

  private FileTree tree(String bill) throws IOException {
    FileTree tree = new FileTree();
    for (String directory : List.of("bin", "conf", "lib", "deploy", "monitoring")) {
      sources.copy(directory, tree);
    }
    sources.copyDocuments(tree);
    tree.file("VERSION", VERSION + "\n");
    tree.file("sbom.cdx.json", bill);
    tree.file("lib/jvm-flags", resource("jvm-flags.txt") + "\n");
    // HBase's web server ends without them.
    tree.directory("share/hbase-webapps/issn");
    tree.directory("share/hbase-webapps/static");
    put(tree, "lib/plugin", jars.plugin());
    put(tree, "lib/daemon", jars.daemon());
    put(tree, "lib/cli", jars.cli());
    Licences licences = new Licences(tree, sources.packaging().resolve("licenses"));
    for (Dependency jar : jars.all()) {
      if (!jar.isOurs()) {
        licences.add(jar, files.get(jar));
      }
    }
    licences.close();
    return tree;
  }

  private void put(FileTree tree, String directory, Set<Dependency> some) throws IOException {
    for (Dependency jar : some) {
      tree.file(
          directory + "/" + jar.releasedJar(), Files.readAllBytes(files.get(jar)), FileTree.PLAIN);
    }
  }

  private static String resource(String name) {
    try (InputStream in = Release.class.getResourceAsStream("/io/ishbase/dist/" + name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
