package io.ishbase.archetypes.document;

import io.ishbase.archetypes.document.DocumentException.Problem;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The text of paths: names apart by dots, {@code [3]} for an element, {@code [*]} for all of them,
 * {@code ["a.b"]} for a name that is empty or has one of {@code . [ ] " \}; in quotes a backslash
 * stands before a quote or a backslash.
 */
final class PathParser {
  private static final String SPECIAL = ".[]\"\\";

  private final String text;
  private int at;

  PathParser(String text) {
    this.text = text;
  }

  Path parse() {
    List<Path.Step> steps = new ArrayList<>();
    while (at < text.length()) {
      if (text.charAt(at) == '[') {
        at++;
        steps.add(bracketed());
        expect(']');
      } else {
        if (!steps.isEmpty()) {
          expect('.');
        }
        steps.add(new Path.Member(name()));
      }
    }
    return Path.ofSteps(steps);
  }

  private Path.Step bracketed() {
    if (at < text.length() && text.charAt(at) == '"') {
      at++;
      return new Path.Member(quoted());
    }
    if (at < text.length() && text.charAt(at) == '*') {
      at++;
      return new Path.Every();
    }
    int start = at;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    try {
      return new Path.Element(Integer.parseInt(text.substring(start, at)));
    } catch (NumberFormatException e) {
      throw invalid("no number of an element", start, e);
    }
  }

  private String quoted() {
    StringBuilder name = new StringBuilder();
    while (at < text.length() && text.charAt(at) != '"') {
      if (text.charAt(at) == '\\' && at + 1 < text.length()) {
        at++;
      }
      name.append(text.charAt(at++));
    }
    expect('"');
    return name.toString();
  }

  private String name() {
    int start = at;
    while (at < text.length() && SPECIAL.indexOf(text.charAt(at)) < 0) {
      at++;
    }
    if (at == start) {
      throw invalid("no name", start, null);
    }
    return text.substring(start, at);
  }

  private void expect(char wanted) {
    if (at >= text.length() || text.charAt(at) != wanted) {
      throw invalid("no '" + wanted + "'", at, null);
    }
    at++;
  }

  private DocumentException invalid(String what, int where, @Nullable Throwable cause) {
    String message = "'" + Utf8.shown(text) + "' is no path: " + what + " at " + where;
    return cause == null
        ? new DocumentException(Problem.INVALID_PATH, message)
        : new DocumentException(Problem.INVALID_PATH, message, cause);
  }

  /** Adds the step to a member to the text of a path. */
  static void append(StringBuilder path, String name) {
    if (!name.isEmpty() && name.chars().noneMatch(c -> SPECIAL.indexOf(c) >= 0)) {
      path.append(path.length() == 0 ? "" : ".").append(name);
      return;
    }
    path.append("[\"").append(name.replace("\\", "\\\\").replace("\"", "\\\"")).append("\"]");
  }
}
