package io.ishbase.dist.packaging;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** The licences of bundled jars of others: a list of them, and the texts that the jars have. */
final class Licences {
  private static final Pattern TEXT =
      Pattern.compile(
          "(META-INF/)?(LICEN[SC]E|NOTICE|COPYING|COPYRIGHT)[^/]*", Pattern.CASE_INSENSITIVE);

  private static final String OURS = "Apache-2.0";

  private final FileTree tree;
  private final Path texts;
  private final StringBuilder list =
      new StringBuilder(
          "Jars of others in this release, and their licences.\n"
              + "Their texts and notices are in the directories of the same names.\n\n");

  /**
   * Licences in {@code licenses} of a tree.
   *
   * @param texts a directory with texts, by name of the artifact, for jars that have none
   */
  Licences(FileTree tree, Path texts) {
    this.tree = tree;
    this.texts = texts;
  }

  /**
   * Adds what is known of a jar.
   *
   * @throws IOException if nobody may pass it on without more: no licence is known, or its text is
   *     not at hand and not that of our own
   */
  void add(Dependency dependency, Path jar) throws IOException {
    if (dependency.licences().isEmpty()) {
      throw new IOException(dependency.id() + " is bundled, and its licence is not known");
    }
    list.append(dependency.jar())
        .append("\n  ")
        .append(String.join("\n  ", dependency.licences()))
        .append('\n');
    String directory = "licenses/" + dependency.jar().replaceFirst("\\.jar$", "") + "/";
    Path own = texts.resolve(dependency.name() + ".txt");
    if (Files.exists(own)) {
      tree.file(directory + "LICENSE", Files.readString(own));
    }
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements(); ) {
        ZipEntry entry = all.nextElement();
        if (!entry.isDirectory() && TEXT.matcher(entry.getName()).matches()) {
          try (InputStream text = zip.getInputStream(entry)) {
            tree.file(
                directory + entry.getName().replaceFirst("^META-INF/", ""),
                text.readAllBytes(),
                FileTree.PLAIN);
          }
        }
      }
    }
    if (tree.files(directory).isEmpty() && !dependency.licences().get(0).startsWith(OURS)) {
      throw new IOException(
          dependency.id() + " is bundled without its licence: put the text into " + own);
    }
  }

  /** Writes the list. */
  void close() {
    tree.file("licenses/LIST", list.toString());
  }
}
