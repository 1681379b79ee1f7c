package io.ishbase.dist.attach;

/**
 * One change of a configuration.
 *
 * @param file its name
 * @param key of a property, or a line of a shell
 * @param before null: it was not there
 * @param after null: it goes
 * @param why for whoever reads it
 */
record Edit(String file, String key, String before, String after, String why) {
  /** Lines for the user, the first with {@code +}, {@code ~} or {@code -} before it. */
  String lines() {
    String sign = before == null ? "+ " : after == null ? "- " : "~ ";
    String value = after != null ? after : before;
    return "  "
        + sign
        + key
        + (value.isEmpty() ? "" : " = " + value)
        + (before != null && after != null
            ? "\n      was " + before.strip().replaceAll("\\s+", " ")
            : "")
        + "\n      "
        + why;
  }
}
