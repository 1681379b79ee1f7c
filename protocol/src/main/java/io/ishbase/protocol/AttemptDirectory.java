package io.ishbase.protocol;

import java.util.regex.Pattern;
import org.apache.hadoop.fs.Path;

/**
 * The directory below a region's {@code .tmp} into which one attempt at a compaction writes. HBase
 * deletes {@code .tmp} whenever it opens the region.
 */
public final class AttemptDirectory {
  /** How the names of all attempts begin. */
  public static final String PREFIX = "ishbase-compaction-";

  /** Where MOB files are in an attempt's directory; no family has such a name. */
  public static final String MOB = ".mob/";

  private static final Pattern ATTEMPT = Pattern.compile("[0-9a-f]{32}");

  private AttemptDirectory() {}

  /**
   * The directory of {@code attempt}.
   *
   * @throws IllegalArgumentException if {@code attempt} is not 32 hex digits
   */
  public static Path of(Path regionDirectory, String attempt) {
    if (!ATTEMPT.matcher(attempt).matches()) {
      throw new IllegalArgumentException("'" + attempt + "' does not name an attempt");
    }
    return new Path(parent(regionDirectory), PREFIX + attempt);
  }

  /** Where the directories of a region's attempts are. */
  public static Path parent(Path regionDirectory) {
    return new Path(regionDirectory, ".tmp");
  }
}
