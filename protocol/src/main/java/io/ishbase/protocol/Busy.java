package io.ishbase.protocol;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What the exception of a daemon whose queue is full says: for how long to leave it alone. */
public final class Busy {
  private static final Pattern TEXT = Pattern.compile("busy for (\\d{1,6}) ms");

  private Busy() {}

  /** Says that the daemon is busy for so long, in milliseconds. */
  public static String text(long millis) {
    return "Too many reads: busy for " + millis + " ms";
  }

  /** The milliseconds that {@code text} says, whatever else stands in it; 0: it says none. */
  public static long millis(@Nullable String text) {
    if (text == null) {
      return 0;
    }
    Matcher found = TEXT.matcher(text);
    return found.find() ? Long.parseLong(found.group(1)) : 0;
  }
}
