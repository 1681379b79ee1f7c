package io.ishbase.it.conformance;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hbase.thirdparty.com.google.common.hash.Hasher;
import org.apache.hbase.thirdparty.com.google.common.hash.Hashing;

/**
 * What classes did in a pass, a file each, so that a run of many that was cut short goes on where
 * it ended. A result counts for the very same classes of ours, whenever they were compiled.
 */
final class KeptRuns {
  private static final int NAME_LENGTH = 16;

  private final Path directory;

  /**
   * @param build results of another are deleted
   */
  KeptRuns(Path directory, String build) throws IOException {
    Files.createDirectories(directory);
    try (Stream<Path> builds = Files.list(directory)) {
      for (Path other : builds.filter(one -> !one.endsWith(build)).toList()) {
        FileUtil.fullyDelete(other.toFile());
      }
    }
    this.directory = Files.createDirectories(directory.resolve(build));
  }

  /** A digest of our own classes on the class path. */
  static String ofThisBuild() throws IOException {
    Hasher digest = Hashing.sha256().newHasher();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      // Ours lie in a target directory, all others in Maven's repository.
      Path path = Path.of(entry).toAbsolutePath().normalize();
      if (!path.toString().contains(File.separator + "target" + File.separator)) {
        continue;
      }
      if (Files.isDirectory(path)) {
        add(digest, path);
      } else {
        // Of a jar without the times at which its entries were made.
        try (FileSystem jar = FileSystems.newFileSystem(path)) {
          add(digest, jar.getPath("/"));
        }
      }
    }
    return digest.hash().toString().substring(0, NAME_LENGTH);
  }

  private static void add(Hasher digest, Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file :
          files
              .filter(one -> one.toString().endsWith(".class"))
              .sorted(Comparator.comparing(Path::toString))
              .toList()) {
        digest.putUnencodedChars(file.toString()).putBytes(Files.readAllBytes(file));
      }
    }
  }

  /** The result of the class, if it was run with this build. */
  Optional<ClassRun> of(String testClass, Pass pass) throws IOException {
    Path file = file(testClass, pass);
    return Files.exists(file)
        ? Optional.of(ClassRun.of(Files.readAllLines(file)))
        : Optional.empty();
  }

  /** Keeps a result, as {@link TestClassMain} writes it. */
  void keep(String testClass, Pass pass, List<String> lines) throws IOException {
    Files.write(file(testClass, pass), lines);
  }

  private Path file(String testClass, Pass pass) {
    return directory.resolve(pass + "-" + testClass + ".txt");
  }
}
