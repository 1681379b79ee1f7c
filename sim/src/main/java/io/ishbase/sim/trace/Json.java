package io.ishbase.sim.trace;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads a JSON object: maps, lists, strings, and numbers as they are written. Neither deeper nor
 * longer than its bounds.
 */
final class Json {
  private static final int DEEPEST = 32;

  /** Of an object, with all that is in it. Two bytes of a file make one, of some fifty bytes. */
  private static final int MOST_VALUES = 1 << 20;

  /** Where characters come from. */
  @FunctionalInterface
  interface Source {
    /** The next one; -1 at the end. */
    int read() throws IOException;
  }

  private final Source source;
  private final int longest;
  private final Function<String, TraceException> wrong;
  private int length;
  private int valueCount;
  private int current;

  /**
   * @param longest characters of an object
   * @param wrong what is thrown for a fault
   */
  Json(Source source, int longest, Function<String, TraceException> wrong) {
    this.source = source;
    this.longest = longest;
    this.wrong = wrong;
  }

  /** The object whose brace was just read. */
  Map<String, Object> object() throws IOException {
    length = 0;
    valueCount = 0;
    current = '{';
    return object(0);
  }

  private void step() throws IOException {
    current = source.read();
    if (++length > longest) {
      throw wrong.apply("a JSON object is longer than " + longest + " bytes: no record is");
    }
    if (current < 0) {
      throw wrong.apply(
          "the file ends in the middle of a JSON object: copy it again, or cut that object");
    }
  }

  private void blank() throws IOException {
    do {
      step();
    } while (current <= ' ');
  }

  private Map<String, Object> object(int depth) throws IOException {
    Map<String, Object> values = new HashMap<>();
    blank();
    while (current != '}') {
      expect('"', "a name in quotes");
      String name = string();
      blank();
      expect(':', "a colon behind the name \"" + TraceInput.shown(name) + '"');
      blank();
      Object value = value(depth);
      if (value != null) {
        values.put(name, value);
      }
      separated('}');
    }
    return values;
  }

  private List<Object> list(int depth) throws IOException {
    List<Object> values = new ArrayList<>();
    blank();
    while (current != ']') {
      Object value = value(depth);
      if (value != null) {
        values.add(value);
      }
      separated(']');
    }
    return values;
  }

  /** Behind a value: its end, or a comma and what comes next. */
  private void separated(char end) throws IOException {
    if (current <= ' ') {
      blank();
    }
    if (current == ',') {
      blank();
    } else if (current != end) {
      throw unexpected("a comma or " + end);
    }
  }

  /** A value, and the character behind it. Null is none. */
  private @Nullable Object value(int depth) throws IOException {
    if (depth == DEEPEST) {
      throw wrong.apply("JSON is nested more than " + DEEPEST + " deep: no record is");
    }
    if (++valueCount > MOST_VALUES) {
      throw wrong.apply("a JSON object has more than " + MOST_VALUES + " values: no record has");
    }
    Object value;
    if (current == '{') {
      value = object(depth + 1);
      step();
    } else if (current == '[') {
      value = list(depth + 1);
      step();
    } else if (current == '"') {
      value = string();
      step();
    } else {
      StringBuilder word = new StringBuilder();
      while (current > ' ' && current != ',' && current != '}' && current != ']') {
        word.append((char) current);
        step();
      }
      value = word.toString();
      if (!word.toString().matches("true|false|null|-?[0-9][0-9.eE+-]*")) {
        throw wrong.apply("no value of JSON: '" + TraceInput.shown(word.toString()) + "'");
      }
      value = value.equals("null") ? null : value;
    }
    return value;
  }

  private void expect(char wanted, String what) throws TraceException {
    if (current != wanted) {
      throw unexpected(what);
    }
  }

  private TraceException unexpected(String wanted) {
    return wrong.apply(
        "in JSON there is '" + TraceInput.shown("" + (char) current) + "' instead of " + wanted);
  }

  private String string() throws IOException {
    StringBuilder text = new StringBuilder();
    step();
    while (current != '"') {
      if (current == '\\') {
        step();
        text.append(escaped());
      } else {
        text.append((char) current);
      }
      step();
    }
    return text.toString();
  }

  private char escaped() throws IOException {
    switch (current) {
      case '"', '\\', '/':
        return (char) current;
      case 'b':
        return '\b';
      case 'f':
        return '\f';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'u':
        int value = 0;
        for (int i = 0; i < 4; i++) {
          step();
          int digit = Character.digit(current, 16);
          if (digit < 0) {
            throw unexpected("a hexadecimal digit");
          }
          value = value << 4 | digit;
        }
        return (char) value;
      default:
        throw unexpected("what may follow a backslash");
    }
  }
}
