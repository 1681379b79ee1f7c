package io.ishbase.dist;

import io.ishbase.core.sizing.JvmFeatures;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Asks a JVM which flags it knows. */
final class JvmProbe {
  private static final Pattern RELEASE = Pattern.compile("(?m)^\\S+ version \"(\\d+)");
  private static final Pattern FLAG =
      Pattern.compile("(?m)^\\s*\\w+\\s+(\\w+)\\s*:?=.*\\{[^}]*}\\s*\\{[^}]*}\\s*$");

  private JvmProbe() {}

  /** The program of the JVM that this runs in, with which local clusters start their servers. */
  static Path own() {
    return Path.of(System.getProperty("java.home"), "bin", "java");
  }

  /**
   * What {@code java} can do; nothing if it does not say.
   *
   * @throws CliException if it cannot be started
   */
  static JvmFeatures ask(Path java) {
    try {
      Process process =
          new ProcessBuilder(java.toString(), "-XX:+PrintFlagsFinal", "-version")
              .redirectErrorStream(true)
              .start();
      process.getOutputStream().close();
      return parse(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new CliException(java + " does not start: " + e.getMessage(), e);
    }
  }

  /** What stands in the answer. */
  static JvmFeatures parse(String answer) {
    Matcher release = RELEASE.matcher(answer);
    Set<String> flags = new HashSet<>();
    FLAG.matcher(answer).results().forEach(flag -> flags.add(flag.group(1)));
    return new JvmFeatures(release.find() ? Integer.parseInt(release.group(1)) : 0, flags);
  }
}
