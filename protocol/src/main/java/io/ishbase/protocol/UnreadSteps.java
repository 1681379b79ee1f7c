package io.ishbase.protocol;

import java.util.regex.Pattern;

/**
 * How many steps Java's matcher of a regular expression may take without reading a character, at
 * most. A text can look at the clock while it is read; {@code (?:(?:^){2000000000}){2000000000}}
 * takes centuries and reads nothing, and so do thirty alternatives of nothing one behind the other.
 *
 * <p>The count goes through the expression as {@link Pattern} does, and rather says too much: of
 * what is not understood, without end. Expressions that do not compile need not be asked about.
 */
public final class UnreadSteps {
  /** What takes more is not worth to begin with. */
  public static final long MAX = 1_000_000;

  private static final long ENDLESS = Long.MAX_VALUE;

  /** Groups in each other; of more, {@link Pattern} would need as much of a stack. */
  private static final int MAX_DEPTH = 100;

  private static final int UNKNOWN_FLAGS = Pattern.CANON_EQ | Pattern.COMMENTS;

  private final Part whole;

  /** Places at which it looks behind, in each other. */
  private final int behind;

  private UnreadSteps(Part whole, int behind) {
    this.whole = whole;
    this.behind = behind;
  }

  /**
   * A part of an expression.
   *
   * @param steps without reading, with all that fail, wherever in it they begin
   * @param ways through it on which nothing is read; 0: each reads
   * @param last ways to its end on which nothing is read, from wherever in it they begin
   */
  private record Part(long steps, long ways, long last) {
    private static final Part CHARACTER = new Part(1, 0, 1);
    private static final Part PLACE = new Part(1, 1, 1);
    private static final Part UNKNOWN = new Part(ENDLESS, ENDLESS, ENDLESS);

    Part then(Part next) {
      return new Part(
          sum(steps, product(last, next.steps)),
          product(ways, next.ways),
          Math.max(product(last, next.ways), next.last));
    }

    Part or(Part other) {
      return new Part(
          sum(sum(steps, other.steps), 1), sum(ways, other.ways), sum(last, other.last));
    }

    /** {@code least} times, or more. Beyond that an empty pass is not repeated. */
    Part repeated(long least) {
      long empty = least == 0 ? 1 : power(ways, least);
      long more = product(Math.max(1, empty), sum(ways, 1));
      return new Part(
          sum(product(product(Math.max(1, ways == 0 ? 1 : least), more), sum(steps, 1)), steps),
          least == 0 ? sum(ways, 1) : ways == 0 ? 0 : more,
          product(last, more));
    }

    /** Looked for ahead or behind, in one way at most. */
    Part asPlace() {
      return new Part(steps, 1, 1);
    }
  }

  private static long sum(long one, long other) {
    long sum = one + other;
    return sum < 0 ? ENDLESS : sum;
  }

  private static long product(long one, long other) {
    long high = Math.multiplyHigh(one, other);
    long low = one * other;
    return high != 0 || low < 0 ? ENDLESS : low;
  }

  private static long power(long base, long exponent) {
    long power = base;
    for (long i = 1; i < exponent && base > 1 && power < ENDLESS; i++) {
      power = product(power, base);
    }
    return power;
  }

  /** Those of an expression with flags of {@link Pattern}. */
  public static UnreadSteps of(String pattern, int flags) {
    if ((flags & UNKNOWN_FLAGS) != 0) {
      return new UnreadSteps(Part.UNKNOWN, 0);
    }
    if ((flags & Pattern.LITERAL) != 0) {
      return new UnreadSteps(Part.CHARACTER, 0);
    }
    Parser parser = new Parser(unquoted(pattern));
    Part whole = parser.alternatives();
    return new UnreadSteps(parser.hasNext() ? Part.UNKNOWN : whole, parser.deepestBehind);
  }

  /** With a backslash for each character of what stands between \Q and \E, as Java does it. */
  private static String unquoted(String pattern) {
    StringBuilder text = new StringBuilder();
    boolean isQuoted = false;
    boolean isFirst = false;
    for (int i = 0; i < pattern.length(); i++) {
      char c = pattern.charAt(i);
      if (pattern.startsWith(isQuoted ? "\\E" : "\\Q", i)) {
        isQuoted = !isQuoted;
        isFirst = isQuoted;
        i++;
        continue;
      }
      if (isQuoted && c < 0x80 && !Character.isLetterOrDigit(c)) {
        text.append('\\');
      } else if (isFirst && c >= '0' && c <= '9') {
        text.append("\\x3");
      } else if (!isQuoted && c == '\\' && i + 1 < pattern.length()) {
        text.append(c);
        c = pattern.charAt(++i);
      }
      text.append(c);
      isFirst = false;
    }
    return text.toString();
  }

  /** Whether the expression's evaluation can be stopped at all, and its compilation ends. */
  public boolean areBounded() {
    return on(0) <= MAX;
  }

  /**
   * The steps on a text, from all places in it at which a match may begin.
   *
   * @param length in characters
   * @return the greatest number there is: without end
   */
  public long on(int length) {
    long places = length + 1L;
    long sum = product(whole.steps(), places);
    for (int i = 0; i < behind; i++) {
      // A beginning is looked for at each place before.
      sum = product(sum, places);
    }
    return sum;
  }

  /** Goes through an expression. */
  private static final class Parser {
    private final String pattern;
    private int at;
    private int depth;
    private int behind;
    private int deepestBehind;

    Parser(String pattern) {
      this.pattern = pattern;
    }

    private boolean hasNext() {
      return at < pattern.length();
    }

    /** The next character, of which a quantifier behind it is. */
    private int next() {
      int character = pattern.codePointAt(at);
      at += Character.charCount(character);
      return character;
    }

    private boolean takes(String text) {
      boolean isThere = pattern.startsWith(text, at);
      if (isThere) {
        at += text.length();
      }
      return isThere;
    }

    private Part alternatives() {
      Part all = sequence();
      while (takes("|")) {
        all = all.or(sequence());
      }
      return all;
    }

    private Part sequence() {
      Part all = Part.PLACE;
      while (hasNext() && pattern.charAt(at) != '|' && pattern.charAt(at) != ')') {
        all = all.then(quantified(element()));
      }
      return all;
    }

    private Part quantified(Part element) {
      Part all = element;
      while (hasNext()) {
        if (takes("?") || takes("*")) {
          all = all.repeated(0);
        } else if (takes("+")) {
          all = all.repeated(1);
        } else if (takes("{")) {
          all = all.repeated(number());
          if (!skipTo('}')) {
            return Part.UNKNOWN;
          }
        } else {
          break;
        }
        // Lazy, or possessive.
        if (!takes("?")) {
          takes("+");
        }
      }
      return all;
    }

    private long number() {
      long number = 0;
      while (hasNext() && Character.isDigit(pattern.charAt(at))) {
        number = sum(product(number, 10), Character.digit(pattern.charAt(at++), 10));
      }
      return number;
    }

    private boolean skipTo(char end) {
      int found = pattern.indexOf(end, at);
      at = found < 0 ? pattern.length() : found + 1;
      return found >= 0;
    }

    private Part element() {
      if (pattern.charAt(at) == '{') {
        // A quantifier where there is nothing for it repeats nothing.
        return Part.PLACE;
      }
      return switch (next()) {
        case '(' -> group();
        case '[' -> characters() ? Part.CHARACTER : Part.UNKNOWN;
        case '^', '$' -> Part.PLACE;
        case '\\' -> escaped();
        default -> Part.CHARACTER;
      };
    }

    private Part group() {
      if (++depth > MAX_DEPTH) {
        at = pattern.length();
        return Part.UNKNOWN;
      }
      boolean isPlace = false;
      boolean looksBehind = false;
      if (takes("?")) {
        if (takes("=") || takes("!")) {
          isPlace = true;
        } else if (takes("<=") || takes("<!")) {
          isPlace = true;
          looksBehind = true;
        } else if (takes("<")) {
          skipTo('>');
        } else if (!takes(":") && !takes(">")) {
          while (hasNext() && ":)".indexOf(pattern.charAt(at)) < 0) {
            if (pattern.charAt(at++) == 'x') {
              return Part.UNKNOWN;
            }
          }
          if (takes(")")) {
            depth--;
            return Part.PLACE;
          }
          takes(":");
        }
      }
      if (looksBehind) {
        deepestBehind = Math.max(deepestBehind, ++behind);
      }
      Part inner = alternatives();
      if (looksBehind) {
        behind--;
      }
      depth--;
      if (!takes(")")) {
        return Part.UNKNOWN;
      }
      return isPlace ? inner.asPlace() : inner;
    }

    /** Skips a class of characters; false: where it ends is not understood. */
    private boolean characters() {
      boolean begins = true;
      for (int open = 1; open > 0; ) {
        if (begins) {
          takes("^");
        }
        if (!hasNext()) {
          return false;
        }
        int character = next();
        if (character == ']') {
          if (begins) {
            return false;
          }
          open--;
        } else if (character == '\\' && hasNext()) {
          next();
        }
        begins = character == '[';
        open += begins ? 1 : 0;
      }
      return true;
    }

    private Part escaped() {
      if (!hasNext()) {
        return Part.UNKNOWN;
      }
      int kind = next();
      switch (kind) {
        case 'b', 'B', 'A', 'G', 'Z', 'z' -> {
          if (kind == 'b') {
            takes("{g}");
          }
          return Part.PLACE;
        }
        case 'k' -> {
          skipTo('>');
          return Part.PLACE;
        }
        case 'p', 'P', 'N' -> {
          if (!skipBraces() && hasNext()) {
            next();
          }
        }
        case 'x' -> {
          if (!skipBraces() && !skipHex(2)) {
            return Part.UNKNOWN;
          }
        }
        case 'u' -> {
          boolean mayBeHalf = pattern.regionMatches(true, at, "d", 0, 1);
          if (mayBeHalf || !skipHex(4)) {
            return Part.UNKNOWN;
          }
        }
        case 'c' -> {
          if (hasNext()) {
            next();
          }
        }
        case '0' -> {
          for (int i = 0; i < 3 && hasNext() && isOctal(pattern.charAt(at)); i++) {
            at++;
          }
        }
        case 'E', 'Q' -> {
          return Part.UNKNOWN;
        }
        default -> {
          if (kind >= '1' && kind <= '9') {
            number();
            return Part.PLACE;
          }
        }
      }
      return Part.CHARACTER;
    }

    private boolean skipHex(int digits) {
      for (int i = 0; i < digits; i++) {
        if (!hasNext() || Character.digit(pattern.charAt(at++), 16) < 0) {
          return false;
        }
      }
      return true;
    }

    private static boolean isOctal(char digit) {
      return digit >= '0' && digit <= '7';
    }

    private boolean skipBraces() {
      return takes("{") && skipTo('}');
    }
  }
}
