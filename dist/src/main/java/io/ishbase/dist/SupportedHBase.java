package io.ishbase.dist;

import java.util.Optional;
import java.util.regex.Pattern;

/** Which releases of HBase the plug-in is for. */
public final class SupportedHBase {
  /** The one that it is built with, and that all tests run on. */
  public static final String TESTED = "2.6.4";

  /** Those that it is for, as messages say it. */
  public static final String RANGE = "HBase 2.5.10 and later of 2.5, and 2.6.1 and later of 2.6";

  /** Those that {@code ./ishbase versions} runs on. */
  private static final Pattern RUNS_ON = Pattern.compile("2\\.(5\\.10|6\\.[14])(-hadoop\\d+)?");

  /** 2.6.0 has a protobuf that neither takes older generated classes nor makes newer ones. */
  private static final Pattern FITS = Pattern.compile("2\\.(5\\.[1-9]\\d|6\\.[1-9])\\d*(\\D.*)?");

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
    if (!FITS.matcher(release).matches()) {
      return Standing.UNSUPPORTED;
    }
    return RUNS_ON.matcher(release).matches() ? Standing.TESTED : Standing.UNTESTED;
  }

  /** What is to be said of a release; empty if it is a tested one. */
  public static Optional<String> objection(String release) {
    return switch (of(release)) {
      case TESTED -> Optional.empty();
      case UNTESTED ->
          Optional.of(
              "IS-HBase is tested with HBase " + TESTED + " and has not been with " + release);
      case UNSUPPORTED ->
          Optional.of("IS-HBase is a plug-in for " + RANGE + ", not for " + release);
    };
  }
}
