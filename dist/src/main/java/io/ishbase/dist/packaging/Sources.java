package io.ishbase.dist.packaging;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What a source tree has for a release: scripts, configuration, documents. */
final class Sources {
  private final Path tree;
  private final String version;

  Sources(Path tree, String version) {
    this.tree = tree;
    this.version = version;
  }

  Path packaging() {
    return tree.resolve("dist/src/main/packaging");
  }

  /** A file of ours, with what it leaves open. */
  String text(String path) throws IOException {
    return Files.readString(packaging().resolve(path)).replace("@VERSION@", version);
  }

  /** Puts all files of a directory of ours into a release. */
  void copy(String directory, FileTree to) throws IOException {
    for (Path file : files(packaging().resolve(directory))) {
      String path = packaging().relativize(file).toString();
      to.file(
          path,
          text(path).getBytes(StandardCharsets.UTF_8),
          directory.equals("bin") ? FileTree.EXECUTABLE : FileTree.PLAIN);
    }
  }

  /** Puts the documents into a release. */
  void copyDocuments(FileTree to) throws IOException {
    for (String page : List.of("LICENSE", "NOTICE", "README.md", "CHANGELOG.md")) {
      to.file(page, Files.readString(tree.resolve(page)));
    }
    for (Path page : files(tree.resolve("docs"))) {
      to.file(tree.relativize(page).toString(), Files.readAllBytes(page), FileTree.PLAIN);
    }
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> tree = Files.walk(directory)) {
      return tree.filter(Files::isRegularFile).sorted().toList();
    }
  }
}
