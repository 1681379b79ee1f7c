package io.ishbase.dist.doctor;

/**
 * One thing that a check has looked at.
 *
 * @param about what it is, in a word or two
 * @param seen what was seen of it
 * @param todo what to do about it; empty if nothing
 */
public record Finding(Level level, String about, String seen, String todo) {
  /** How bad it is. */
  public enum Level {
    OK,
    /** It works, and might do better or stop to. */
    WARN,
    /** Something does not work as it is configured to. */
    FAIL
  }

  static Finding ok(String about, String seen) {
    return new Finding(Level.OK, about, seen, "");
  }

  static Finding warn(String about, String seen, String todo) {
    return new Finding(Level.WARN, about, seen, todo);
  }

  static Finding fail(String about, String seen, String todo) {
    return new Finding(Level.FAIL, about, seen, todo);
  }
}
