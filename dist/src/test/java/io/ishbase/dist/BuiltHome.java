package io.ishbase.dist;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/** What a build leaves in a source tree, made of the class path of the running test. */
public final class BuiltHome {
  private BuiltHome() {}

  /** Makes it in {@code home}, and that the home of the command line. */
  public static void make(Path home) throws IOException {
    Path lib = Files.createDirectories(home.resolve("dist/target/lib"));
    for (String entry : System.getProperty("java.class.path").split(":")) {
      Path path = Path.of(entry).toAbsolutePath();
      if (Files.isDirectory(path) && path.endsWith("target/classes")) {
        String module = path.getParent().getParent().getFileName().toString();
        jar(path, lib.resolve(module + "-SNAPSHOT.jar"));
      } else if (entry.endsWith(".jar") && !entry.endsWith("tests.jar")) {
        Files.createSymbolicLink(lib.resolve(path.getFileName()), path.toRealPath());
      }
    }
    System.setProperty("ishbase.home", home.toString());
  }

  /** Puts all files of a directory into a jar. */
  public static void jar(Path dir, Path jar) throws IOException {
    try (OutputStream file = Files.newOutputStream(jar);
        JarOutputStream out = new JarOutputStream(file);
        Stream<Path> tree = Files.walk(dir)) {
      for (Path each : (Iterable<Path>) tree.filter(Files::isRegularFile)::iterator) {
        out.putNextEntry(new JarEntry(dir.relativize(each).toString()));
        Files.copy(each, out);
        out.closeEntry();
      }
    }
  }
}
