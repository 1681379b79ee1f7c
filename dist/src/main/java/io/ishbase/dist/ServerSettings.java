package io.ishbase.dist;

import io.ishbase.core.SettingScope;
import io.ishbase.dist.cluster.SiteConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** What the user wants of the servers of a cluster beside what makes it a cluster. */
public final class ServerSettings {
  @Option(
      names = "--site",
      paramLabel = "KEY=VALUE",
      description = {
        "A property for hbase-site.xml of all servers; may be repeated.",
        "Those of HDFS (dfs.*) are in hdfs-site.xml as well."
      })
  private Map<String, String> site = new LinkedHashMap<>();

  @Option(
      names = "--classpath",
      paramLabel = "PATH",
      split = ":",
      description = {
        "Jars, or directories of jars, for the class path of all servers;",
        "with : between them, or repeated."
      })
  private List<Path> classPath = new ArrayList<>();

  /**
   * The properties.
   *
   * @throws CliException if one cannot be chosen, or its value cannot be right
   */
  Map<String, String> site() {
    for (String key : site.keySet()) {
      if (SiteConfig.isFixed(key)) {
        throw new CliException("--site " + key + ": ./ishbase up sets that itself, leave it away");
      }
    }
    OwnSettings.check(site, SettingScope.SITE, SettingScope.DAEMON);
    return site;
  }

  /**
   * The jars.
   *
   * @throws CliException if an entry of the class path is or has none
   */
  List<Path> jars() throws IOException {
    List<Path> jars = new ArrayList<>();
    for (Path entry : classPath) {
      List<Path> found = jarsIn(entry);
      if (found.isEmpty()) {
        throw new CliException(
            "--classpath " + entry + ": neither a jar nor a directory with jars in it");
      }
      jars.addAll(found);
    }
    return jars;
  }

  private static List<Path> jarsIn(Path entry) throws IOException {
    if (Files.isDirectory(entry)) {
      try (Stream<Path> list = Files.list(entry)) {
        return list.filter(ServerSettings::isJar).sorted().toList();
      }
    }
    return isJar(entry) ? List.of(entry) : List.of();
  }

  private static boolean isJar(Path path) {
    return path.toString().endsWith(".jar") && Files.isRegularFile(path);
  }
}
