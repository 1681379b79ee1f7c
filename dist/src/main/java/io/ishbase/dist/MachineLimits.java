package io.ishbase.dist;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** What this machine has, or the container or group of processes that this one is in. */
final class MachineLimits {
  private MachineLimits() {}

  static int processors() {
    return Runtime.getRuntime().availableProcessors();
  }

  /** Memory for all processes. */
  static long memoryBytes() {
    long known =
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
    return Math.min(
        known, groupBytes(Path.of("/proc/self/cgroup"), Path.of("/sys/fs/cgroup"), known));
  }

  /**
   * The least {@code memory.max} of the process's group and of those that it is in (cgroup v2). The
   * JVM looks at its own group only, and with v1 at that one.
   *
   * @param groups the process's groups, {@code /proc/self/cgroup}
   * @param root where all groups are
   * @param otherwise if there is no limit
   */
  static long groupBytes(Path groups, Path root, long otherwise) {
    long least = otherwise;
    try {
      for (String line : Files.readAllLines(groups)) {
        if (line.startsWith("0::/")) {
          Path group = root.resolve(line.substring("0::/".length())).normalize();
          while (group != null && group.startsWith(root)) {
            least = Math.min(least, limit(group.resolve("memory.max"), otherwise));
            group = group.getParent();
          }
        }
      }
    } catch (IOException e) {
      // Not Linux, or hidden.
    }
    return least;
  }

  private static long limit(Path file, long otherwise) throws IOException {
    if (!Files.isReadable(file)) {
      return otherwise;
    }
    String text = Files.readString(file).strip();
    return text.matches("\\d{1,18}") ? Long.parseLong(text) : otherwise;
  }
}
