package io.ishbase.dist.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Where a local cluster keeps its files, all under one directory. */
public final class ClusterFiles {
  private final Path root;

  public ClusterFiles(Path root) {
    this.root = root.toAbsolutePath().normalize();
  }

  public Path root() {
    return root;
  }

  Path state() {
    return root.resolve("cluster.properties");
  }

  /** What {@link Addresses} keeps. */
  Path addresses() {
    return root.resolve("addresses.properties");
  }

  Path data(String server) {
    return root.resolve("data").resolve(server);
  }

  /** Where a server runs and keeps what need not last. */
  Path work(String server) {
    return root.resolve("work").resolve(server);
  }

  /** How far a server's clock is off, if it has one of its own. */
  Path clock(String server) {
    return root.resolve("clocks").resolve(server);
  }

  /** The configuration of a node ({@code compute}, {@code s1}, {@code s2}) or of clients. */
  Path conf(String node) {
    return root.resolve("conf").resolve(node);
  }

  public Path logs() {
    return root.resolve("logs");
  }

  Path log(String server) {
    return logs().resolve(server + ".log");
  }

  /** Keys and what else nobody but the cluster's user may see, if it is secured. */
  Path secrets() {
    return root.resolve("secrets");
  }

  /** Is there if the data is that of a secured cluster. */
  Path secured() {
    return data("secured");
  }

  Path hosts() {
    return root.resolve("conf/hosts");
  }

  Path lib() {
    return root.resolve("lib");
  }

  /** Writes a Hadoop configuration file. */
  static void writeXml(Path file, Map<String, ?> settings) throws IOException {
    StringBuilder xml = new StringBuilder("<?xml version=\"1.0\"?>\n<configuration>\n");
    settings.forEach(
        (key, value) ->
            xml.append("  <property><name>")
                .append(key)
                .append("</name><value>")
                .append(escape(value.toString()))
                .append("</value></property>\n"));
    Files.createDirectories(file.getParent());
    Files.writeString(file, xml.append("</configuration>\n"));
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;");
  }

  /**
   * Fills {@link #lib} with the jars of {@code from}, so that a build does not pull the classes
   * from under running servers. Jars that a build rewrites are copied, the others linked.
   */
  void fillLib(Path from, List<Path> ours) throws IOException {
    delete(lib());
    Files.createDirectories(lib());
    try (Stream<Path> jars = Files.list(from)) {
      for (Path jar : (Iterable<Path>) jars::iterator) {
        Path target = lib().resolve(jar.getFileName());
        if (jar.getFileName().toString().contains("SNAPSHOT")) {
          Files.copy(jar, target);
        } else {
          linkOrCopy(jar, target);
        }
      }
    }
    for (Path jar : ours) {
      Files.copy(jar, lib().resolve(jar.getFileName()), StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private static void linkOrCopy(Path from, Path to) throws IOException {
    try {
      Files.createLink(to, from);
    } catch (IOException | UnsupportedOperationException e) {
      Files.copy(from, to);
    }
  }

  /** Deletes a directory that holds nothing. */
  public static void deleteIfEmpty(Path dir) throws IOException {
    try {
      Files.deleteIfExists(dir);
    } catch (DirectoryNotEmptyException e) {
      // It stays.
    }
  }

  /** Deletes a file or a directory with all in it, if it is there. */
  public static void delete(Path path) {
    if (!Files.exists(path)) {
      return;
    }
    try (Stream<Path> tree = Files.walk(path)) {
      for (Path each : (Iterable<Path>) tree.sorted(Comparator.reverseOrder())::iterator) {
        Files.deleteIfExists(each);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
