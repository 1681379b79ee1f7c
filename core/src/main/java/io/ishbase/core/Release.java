package io.ishbase.core;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Which release of IS-HBase this is, as the build has it. */
public final class Release {
  private static final String NAME = read();

  private Release() {}

  /** The build's version, such as {@code 0.1.0}. */
  public static String name() {
    return NAME;
  }

  private static String read() {
    try (InputStream in =
        Objects.requireNonNull(Release.class.getResourceAsStream("release.txt"), "release.txt")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
