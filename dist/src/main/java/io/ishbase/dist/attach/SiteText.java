package io.ishbase.dist.attach;

import io.ishbase.dist.CliException;
import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;

/**
 * A configuration file of Hadoop, its bytes as text ({@link ExistingConfig#BYTES}). A property is
 * changed where it stands, or added in a block of its own at the end; all else, comments and order
 * too, stays as it is. Immutable.
 *
 * @param name as messages have it
 * @param origin where it was read, against which what it includes is looked up
 */
record SiteText(String name, Path origin, String text) {
  static final String BEGIN =
      "<!-- IS-HBase: added by ./ishbase attach, which takes it out again -->";
  static final String END = "<!-- IS-HBase: end -->";

  private static final Pattern HIDDEN =
      Pattern.compile("<!--.*?-->|<!\\[CDATA\\[.*?]]>|<\\?.*?\\?>", Pattern.DOTALL);
  private static final Pattern EMPTY = Pattern.compile("<configuration(\\s[^>]*)?/>");
  private static final String LAST = "</configuration>";
  private static final Pattern PROPERTY =
      Pattern.compile(
          "<property(?:\\s(?:[^>/\"']|\"[^\"]*\"|'[^']*')*+)?>.*?</property\\s*>", Pattern.DOTALL);
  private static final Pattern NAME = Pattern.compile("<name>(.*?)</name>", Pattern.DOTALL);
  private static final Pattern VALUE =
      Pattern.compile("<value>(.*?)</value>|<value\\s*/>", Pattern.DOTALL);

  /** A file that is not there yet. */
  static SiteText fresh(String name, Path origin) {
    return new SiteText(
        name, origin, "<?xml version=\"1.0\"?>\n<configuration>\n</configuration>\n");
  }

  /**
   * What it sets, with what it includes, as it stands there.
   *
   * @throws CliException if it is no configuration
   */
  Map<String, String> properties() {
    Configuration conf = new Configuration(false);
    conf.addResource(
        new ByteArrayInputStream(text.getBytes(ExistingConfig.BYTES)),
        origin.toAbsolutePath().toUri().toString());
    Map<String, String> properties = new HashMap<>();
    try {
      conf.forEach(property -> properties.put(property.getKey(), property.getValue()));
    } catch (RuntimeException e) {
      throw new CliException(
          name
              + " is no configuration that Hadoop can read: "
              + String.valueOf(e.getMessage()).lines().findFirst().orElse(""),
          e);
    }
    return properties;
  }

  /** The same with that value of a property, which is added if it is not there. */
  SiteText with(String key, String value) {
    return checked(
        key, value, place(key).map(at -> inPlace(at, value)).orElseGet(() -> added(key, value)));
  }

  /** The same without a property, if it has it; a line that nothing else stands in goes with it. */
  SiteText without(String key) {
    Optional<MatchResult> place = place(key);
    if (place.isEmpty()) {
      return checked(key, null, text);
    }
    int start = place.get().start();
    int end = place.get().end();
    while (start > 0 && (text.charAt(start - 1) == ' ' || text.charAt(start - 1) == '\t')) {
      start--;
    }
    String eol = eol();
    if ((start == 0 || text.charAt(start - 1) == '\n') && text.startsWith(eol, end)) {
      end += eol.length();
    }
    String left = text.substring(0, start) + text.substring(end);
    return checked(
        key,
        null,
        left.replaceFirst(
            "[ \\t]*" + Pattern.quote(BEGIN) + "\\s*" + Pattern.quote(END) + "\\R?", ""));
  }

  /** The same without the marks of an attachment. */
  SiteText withoutMarks() {
    return new SiteText(
        name,
        origin,
        text.replaceFirst("[ \\t]*" + Pattern.quote(BEGIN) + "[ \\t]*\\R?", "")
            .replaceFirst("[ \\t]*" + Pattern.quote(END) + "[ \\t]*\\R?", ""));
  }

  /** The last property of that name, which is the one in force. */
  private Optional<MatchResult> place(String key) {
    String visible = visible();
    MatchResult found = null;
    Matcher properties = PROPERTY.matcher(visible);
    while (properties.find()) {
      Matcher name = NAME.matcher(properties.group());
      if (name.find() && name.group(1).strip().equals(key)) {
        found = properties.toMatchResult();
      }
    }
    return Optional.ofNullable(found);
  }

  /** The text with blanks in place of what is no element. */
  private String visible() {
    return HIDDEN.matcher(text).replaceAll(hidden -> " ".repeat(hidden.group().length()));
  }

  private String inPlace(MatchResult property, String value) {
    Matcher old = VALUE.matcher(property.group());
    String element = "<value>" + escaped(value) + "</value>";
    if (!old.find()) {
      // Without a value it has none: behind its name is as good a place as any.
      Matcher name = NAME.matcher(property.group());
      int at = property.start() + (name.find() ? name.end() : 0);
      return text.substring(0, at) + element + text.substring(at);
    }
    return text.substring(0, property.start() + old.start())
        + element
        + text.substring(property.start() + old.end());
  }

  private String added(String key, String value) {
    String eol = eol();
    String property =
        String.join(
            eol,
            "  <property>",
            "    <name>" + key + "</name>",
            "    <value>" + escaped(value) + "</value>",
            "  </property>",
            "");
    int block = text.indexOf(END);
    if (block >= 0) {
      int line = text.lastIndexOf('\n', block) + 1;
      return text.substring(0, line) + property + text.substring(line);
    }
    String open = EMPTY.matcher(text).replaceFirst("<configuration$1>" + eol + LAST);
    int end = new SiteText(name, origin, open).visible().lastIndexOf(LAST);
    if (end < 0) {
      throw new CliException(name + " has no " + LAST + ": it is no configuration of Hadoop");
    }
    String indent = open.substring(open.lastIndexOf('\n', end) + 1, end);
    int at = indent.isBlank() ? end - indent.length() : end;
    return open.substring(0, at)
        + (indent.isBlank() ? "" : eol)
        + "  "
        + BEGIN
        + eol
        + property
        + "  "
        + END
        + eol
        + open.substring(at);
  }

  private String eol() {
    return text.contains("\r\n") ? "\r\n" : "\n";
  }

  /** In letters that are the same in all encodings of a file. */
  private static String escaped(String value) {
    StringBuilder escaped = new StringBuilder();
    value
        .codePoints()
        .forEach(
            letter -> {
              switch (letter) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                default ->
                    escaped.append(
                        letter <= '~' ? Character.toString(letter) : "&#" + letter + ";");
              }
            });
    return escaped.toString();
  }

  /** Makes sure, by Hadoop's own reader, that this and nothing else has changed. */
  private SiteText checked(String key, String value, String changed) {
    SiteText after = new SiteText(name, origin, changed);
    Map<String, String> wanted = new HashMap<>(properties());
    if (value == null) {
      wanted.remove(key);
    } else {
      wanted.put(key, value);
    }
    if (!after.properties().equals(wanted)) {
      throw new CliException(
          name
              + " is written so that "
              + key
              + " cannot be changed in it: it is final, or stands there twice, or in a file that it"
              + " includes. Change it by hand to "
              + (value == null ? "nothing" : "'" + value + "'"));
    }
    return after;
  }
}
