package io.ishbase.dist.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The JVM flags that HBase and Hadoop need; the build's {@code pom.xml} declares them. */
final class JvmFlags {
  private JvmFlags() {}

  static List<String> all() {
    try (InputStream in = JvmFlags.class.getResourceAsStream("/io/ishbase/dist/jvm-flags.txt")) {
      return List.of(new String(in.readAllBytes(), StandardCharsets.UTF_8).strip().split("\\s+"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
