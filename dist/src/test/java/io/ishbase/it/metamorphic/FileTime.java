package io.ishbase.it.metamorphic;

import java.time.Duration;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The time of a file of operations, in milliseconds from a minute before it is run: {@code 5} is
 * five later, {@code -5} is five later and two days before. So a time to live of a day decides the
 * same whenever, and however slowly, the file is run. What a server's clock has stamped is {@code
 * now}.
 */
final class FileTime {
  /** A time to live that parts old from fresh. */
  static final int TTL_SECONDS = (int) Duration.ofDays(1).toSeconds();

  /** Times are less. */
  static final int END = 50_000;

  private static final long OLD_MILLIS = Duration.ofDays(2).toMillis();
  private static final Pattern TIME = Pattern.compile("@(-?\\d+)");

  private final long fresh;

  /**
   * @param nowMillis when it is run
   */
  FileTime(long nowMillis) {
    fresh = nowMillis - Duration.ofMinutes(1).toMillis();
  }

  long timestamp(int time) {
    if (Math.abs((long) time) >= END) {
      throw new IllegalArgumentException("Times are less than " + END + ": " + time);
    }
    return time >= 0 ? fresh + time : fresh - OLD_MILLIS - time;
  }

  String text(long timestamp) {
    long time = timestamp - fresh;
    if (time >= 0 && time < END) {
      return Long.toString(time);
    }
    return time + OLD_MILLIS > 0 && time + OLD_MILLIS < END
        ? "-" + (time + OLD_MILLIS)
        : timestamp == Long.MAX_VALUE ? "latest" : time > 0 ? "now" : Long.toString(timestamp);
  }

  /** The text, with a timestamp in place of each {@code @5}. */
  String withTimestamps(String text) {
    return TIME.matcher(text).replaceAll(this::timestampOf);
  }

  private String timestampOf(MatchResult time) {
    return Matcher.quoteReplacement(Long.toString(timestamp(Integer.parseInt(time.group(1)))));
  }

  /** As a number whose order is that of times. */
  static int order(int time) {
    return time >= 0 ? END + time : -time;
  }
}
