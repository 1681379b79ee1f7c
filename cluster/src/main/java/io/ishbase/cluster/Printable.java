package io.ishbase.cluster;

import java.util.regex.Pattern;

/** What others have chosen, such as names and answers, without what would steer a terminal. */
public final class Printable {
  private static final Pattern NO_LETTER = Pattern.compile("\\p{C}");

  private Printable() {}

  /** As a part of one line. */
  public static String line(String text) {
    return NO_LETTER.matcher(text).replaceAll("?");
  }
}
