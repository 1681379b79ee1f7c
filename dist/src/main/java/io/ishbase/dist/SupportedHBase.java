package io.ishbase.dist;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which releases of HBase the plug-in is for. */
public final class SupportedHBase {
  /** The one that it is built and tested with. */
  public static final String TESTED = "2.6.4";

  private static final Pattern RELEASE = Pattern.compile("(\\d+)\\.(\\d+)\\.(\\d+).*");

  /** How well a release is known. */
  public enum Standing {
    TESTED,
    /** Of the same line, and nobody has tried. */
    UNTESTED,
    /** The plug-in's classes do not fit, or nobody can tell. */
    UNSUPPORTED
  }

  private SupportedHBase() {}

  /** The standing of a release as HBase names it, {@code 2.6.4-hadoop3}. */
  public static Standing of(String release) {
    Matcher numbers = RELEASE.matcher(release);
    if (!numbers.matches() || !release.startsWith("2.6.")) {
      return Standing.UNSUPPORTED;
    }
    return (numbers.group(1) + "." + numbers.group(2) + "." + numbers.group(3)).equals(TESTED)
        ? Standing.TESTED
        : Standing.UNTESTED;
  }

  /** What is to be said of a release; empty if it is the tested one. */
  public static Optional<String> objection(String release) {
    return switch (of(release)) {
      case TESTED -> Optional.empty();
      case UNTESTED ->
          Optional.of(
              "IS-HBase is tested with HBase " + TESTED + " and has not been with " + release);
      case UNSUPPORTED -> Optional.of("IS-HBase is a plug-in for HBase 2.6, not for " + release);
    };
  }
}
