package io.ishbase.it.metamorphic;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line of a file of operations: a verb, words, and options {@code key=value}. A value with spaces
 * stands in double quotes.
 */
final class Line {
  private static final Pattern TOKEN = Pattern.compile("([^\\s\"]|\"[^\"]*\")+");
  private static final Pattern OPTION = Pattern.compile("([a-z][a-zA-Z0-9.-]*)=(.*)");

  /** Between the operations of one call. */
  private static final String NEXT = " ; ";

  private final String text;
  private final String verb;
  private final List<String> words = new ArrayList<>();
  private final Map<String, String> options = new LinkedHashMap<>();

  private Line(String text) {
    this.text = text;
    List<String> tokens = tokens();
    if (tokens.isEmpty()) {
      throw new IllegalArgumentException("An operation is missing");
    }
    verb = tokens.get(0);
    for (String token : tokens.subList(1, tokens.size())) {
      Matcher option = OPTION.matcher(token);
      if (option.matches()) {
        options.put(option.group(1), option.group(2).replace("\"", ""));
      } else {
        words.add(token);
      }
    }
  }

  /**
   * @throws IllegalArgumentException if there is nothing in it
   */
  static Line of(String text) {
    return new Line(text.strip());
  }

  String verb() {
    return verb;
  }

  List<String> words() {
    return words;
  }

  Map<String, String> options() {
    return options;
  }

  /** Whether the word stands in it. */
  boolean has(String word) {
    return words.contains(word);
  }

  /** Its value of the option; null if it has none. */
  String option(String key) {
    return options.get(key);
  }

  /** Its value of the option, or another if it has none. */
  int number(String key, int otherwise) {
    String value = options.get(key);
    return value == null ? otherwise : Integer.parseInt(value);
  }

  /**
   * Its word of that number, from 0.
   *
   * @throws IllegalArgumentException if it has fewer
   */
  String word(int number) {
    if (words.size() <= number) {
      throw new IllegalArgumentException("Something is missing: " + text);
    }
    return words.get(number);
  }

  /** The operations that it holds behind its verb. */
  List<Line> parts() {
    return Arrays.stream(text.substring(verb.length()).split(NEXT)).map(Line::of).toList();
  }

  /** As parts of one line. */
  static Line joined(String verb, List<String> parts) {
    return of(verb + " " + String.join(NEXT, parts));
  }

  /** The same with one more option. */
  Line with(String option) {
    return of(text + " " + option);
  }

  /** The same without an option. */
  Line without(String option) {
    return of(
        String.join(
            " ", tokens().stream().filter(each -> !each.startsWith(option + "=")).toList()));
  }

  /** Lines that lack one word or option, or one of several parts. */
  List<Line> simpler() {
    if (text.contains(NEXT)) {
      List<String> parts = parts().stream().map(Line::toString).toList();
      return without(parts).stream().map(fewer -> joined(verb, fewer)).toList();
    }
    List<String> tokens = tokens();
    return without(tokens.subList(1, tokens.size())).stream()
        .map(fewer -> of(verb + " " + String.join(" ", fewer)))
        .toList();
  }

  private List<String> tokens() {
    return TOKEN.matcher(text).results().map(MatchResult::group).toList();
  }

  private static List<List<String>> without(List<String> tokens) {
    List<List<String>> all = new ArrayList<>();
    for (int i = tokens.size() - 1; i >= 0 && tokens.size() > 1; i--) {
      List<String> fewer = new ArrayList<>(tokens);
      fewer.remove(i);
      all.add(fewer);
    }
    return all;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Line line && text.equals(line.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}
