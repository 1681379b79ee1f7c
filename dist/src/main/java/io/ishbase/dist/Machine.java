package io.ishbase.dist;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.hbase.util.VersionInfo;

/** What a figure was measured with. */
final class Machine {
  private Machine() {}

  /** Machine and versions, by name. */
  static Map<String, Object> facts() {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("cores", Runtime.getRuntime().availableProcessors());
    facts.put("CPU", value(Path.of("/proc/cpuinfo"), "model name"));
    facts.put("memory", value(Path.of("/proc/meminfo"), "MemTotal"));
    facts.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    facts.put("Java", System.getProperty("java.runtime.version"));
    facts.put("HBase", VersionInfo.getVersion());
    facts.put("Hadoop", org.apache.hadoop.util.VersionInfo.getVersion());
    facts.put("IS-HBase", version());
    Home.commit().ifPresent(commit -> facts.put("commit", commit));
    return facts;
  }

  private static String version() {
    try (InputStream in = Machine.class.getResourceAsStream("/io/ishbase/dist/version.txt")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String value(Path file, String name) {
    try {
      for (String line : Files.readAllLines(file)) {
        int colon = line.indexOf(':');
        if (colon > 0 && line.substring(0, colon).strip().equals(name)) {
          return line.substring(colon + 1).strip();
        }
      }
    } catch (IOException e) {
      // Not Linux, or hidden.
    }
    return "unknown";
  }
}
