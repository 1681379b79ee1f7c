package io.ishbase.it.conformance;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What classes did in a pass, a file each, so that a run of many that was cut short goes on where
 * it ended. A result counts as long as nothing was built after it.
 */
final class KeptRuns {
  private final Path directory;
  private final FileTime builtAt;

  /**
   * @param builtAt a result that is not newer is of another build
   */
  KeptRuns(Path directory, FileTime builtAt) throws IOException {
    this.directory = Files.createDirectories(directory);
    this.builtAt = builtAt;
  }

  /** When the newest of our own classes on the class path was made. */
  static FileTime ofThisBuild() throws IOException {
    FileTime newest = FileTime.fromMillis(0);
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      // Ours lie in a target directory, all others in Maven's repository.
      Path path = Path.of(entry).toAbsolutePath().normalize();
      if (path.toString().contains(File.separator + "target" + File.separator)) {
        try (Stream<Path> files = Files.walk(path)) {
          for (Path file : files.filter(Files::isRegularFile).toList()) {
            FileTime time = Files.getLastModifiedTime(file);
            newest = time.compareTo(newest) > 0 ? time : newest;
          }
        }
      }
    }
    return newest;
  }

  /** The result of the class, if it was run with this build. */
  Optional<ClassRun> of(String testClass, Pass pass) throws IOException {
    Path file = file(testClass, pass);
    return Files.exists(file) && Files.getLastModifiedTime(file).compareTo(builtAt) > 0
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
