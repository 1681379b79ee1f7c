package io.ishbase.sim.trace;

import io.ishbase.core.trace.RowText;
import io.ishbase.core.trace.TraceEntry;
import io.ishbase.core.trace.TraceEntry.Keys;
import io.ishbase.core.trace.TraceEntry.Operation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the lines {@code (responseTooSlow): {...}} and {@code (responseTooLarge): {...}} of a
 * region server's log, as HBase 2.6 writes them. All other lines are passed over.
 */
final class HBaseSlowLogTrace extends LineTrace {
  private static final Pattern RESPONSE = Pattern.compile("\\(responseToo[A-Za-z& ]*\\): \\{");
  private static final String SINGLE_ROW = ", row=";
  private static final String MULTI_ROW = "1st row key=";

  /** How HBase ends what it has cut. */
  private static final String CUT = "<TRUNCATED>";

  private static final String REGION_OF_SCAN = "type: REGION_NAME value: \"";
  private static final String START_ROW = "start_row: \"";
  private static final Pattern ROWS_OF_SCAN = Pattern.compile("number_of_rows: ([0-9]{1,10})");

  HBaseSlowLogTrace(Path file) throws IOException {
    super(
        file,
        "there is no line with (responseTooSlow) and a Get, Scan, Mutate or Multi whose row it"
            + " says: take the log of a region server");
  }

  @Override
  @Nullable TraceEntry parse(String line) throws IOException {
    Matcher response = RESPONSE.matcher(line);
    if (!response.find()) {
      return null;
    }
    int[] at = {response.end()};
    Json json =
        new Json(
            () -> at[0] < line.length() ? line.charAt(at[0]++) : -1,
            TraceInput.LONGEST_LINE,
            in::wrong);
    Map<String, Object> call = json.object();
    String param = text(call, "param");
    switch (text(call, "method")) {
      case "Get":
        return entry(call, Operation.GET, region(param), row(param, SINGLE_ROW), 1);
      case "Mutate":
        return entry(call, Operation.PUT, region(param), row(param, SINGLE_ROW), 1);
      case "Multi":
        boolean reads = !text(call, "multi.gets").matches("0?");
        Operation operation = reads ? Operation.GET : Operation.PUT;
        return entry(call, operation, region(param), row(param, MULTI_ROW), 1);
      case "Scan":
        return scan(call, param);
      default:
        return null;
    }
  }

  private static String text(Map<String, Object> call, String name) {
    Object value = call.get(name);
    return value instanceof String text ? text : "";
  }

  /** Table of {@code region= table,start,1700000000000.0123.}. */
  private static @Nullable String region(String param) {
    int begin = param.indexOf("region= ");
    int end = param.indexOf(',', Math.max(0, begin));
    return begin < 0 || end < 0 ? null : param.substring(begin + "region= ".length(), end);
  }

  /** What is behind a word; null if nothing is, or if it was cut. */
  private static @Nullable String row(String param, String behind) {
    int begin = param.lastIndexOf(behind);
    boolean isWhole = begin >= 0 && !param.endsWith(CUT);
    return isWhole ? RowText.bytes(param.substring(begin + behind.length())) : null;
  }

  /**
   * What is in quotes, of which {@code behind} ends with the first. Not by a pattern, which takes
   * stack for each character.
   */
  private static @Nullable String quoted(String param, String behind) {
    int begin = param.indexOf(behind);
    if (begin < 0) {
      return null;
    }
    begin += behind.length();
    int end = begin;
    while (end < param.length() && param.charAt(end) != '"') {
      end += param.charAt(end) == '\\' ? 2 : 1;
    }
    return end < param.length() ? param.substring(begin, end) : null;
  }

  private @Nullable TraceEntry scan(Map<String, Object> call, String param) throws TraceException {
    String region = quoted(param, REGION_OF_SCAN);
    if (region == null) {
      // It goes on with a Scan, and says by its number with which.
      return null;
    }
    String name = Text.bytes(region);
    int comma = name.indexOf(',');
    String table = comma < 0 ? name : name.substring(0, comma);
    String start = quoted(param, START_ROW);
    int id = name.lastIndexOf(',');
    String row =
        start != null
            ? Text.bytes(start)
            : comma >= 0 && id > comma ? name.substring(comma + 1, id) : "";
    Matcher rows = ROWS_OF_SCAN.matcher(param);
    long length = rows.find() ? in.number(rows.group(1), "number_of_rows") : TraceEntry.UNKNOWN;
    return entry(
        call,
        Operation.SCAN,
        table,
        row,
        length >= Integer.MAX_VALUE ? TraceEntry.UNKNOWN : length);
  }

  private @Nullable TraceEntry entry(
      Map<String, Object> call,
      Operation operation,
      @Nullable String table,
      @Nullable String row,
      long length)
      throws TraceException {
    if (table == null || row == null) {
      return null;
    }
    long millis = in.number(text(call, "starttimems"), "starttimems");
    long bytes = in.number(text(call, "responsesize"), "responsesize");
    boolean isOne = operation != Operation.PUT && text(call, "multi.gets").isEmpty();
    return new TraceEntry(
        notBefore(Math.min(millis, Long.MAX_VALUE / 1000) * 1000),
        operation,
        table,
        row,
        length,
        TraceEntry.UNKNOWN,
        isOne ? bytes : TraceEntry.UNKNOWN);
  }

  /** Bytes of protocol buffers' text: octal, and a few letters. */
  private static final class Text {
    static String bytes(String escaped) {
      StringBuilder bytes = new StringBuilder(escaped.length());
      int at = 0;
      while (at < escaped.length()) {
        char each = escaped.charAt(at++);
        if (each != '\\' || at == escaped.length()) {
          bytes.append(each);
          continue;
        }
        char kind = escaped.charAt(at++);
        int letter = "abfnrtv".indexOf(kind);
        if (kind >= '0' && kind <= '7') {
          int value = kind - '0';
          for (int i = 0; i < 2 && at < escaped.length() && isOctal(escaped.charAt(at)); i++) {
            value = value * 8 + escaped.charAt(at++) - '0';
          }
          bytes.append((char) (value & 0xFF));
        } else {
          bytes.append(letter < 0 ? kind : "\007\b\f\n\r\t\013".charAt(letter));
        }
      }
      return bytes.toString();
    }

    private static boolean isOctal(char each) {
      return each >= '0' && each <= '7';
    }
  }

  @Override
  public Keys keys() {
    return Keys.ROWS;
  }

  @Override
  public List<String> remarks() {
    return List.of(
        "only operations that were slow or large are in HBase's slow log: neither how often rows"
            + " are asked for nor what a cache would hit can be learned from it",
        "of a call with several rows only the first is in it; calls whose row was cut off are left"
            + " out");
  }
}
