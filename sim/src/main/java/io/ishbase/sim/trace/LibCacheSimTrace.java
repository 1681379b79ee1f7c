package io.ishbase.sim.trace;

import io.ishbase.core.trace.TraceEntry;
import io.ishbase.core.trace.TraceEntry.Keys;
import io.ishbase.core.trace.TraceEntry.Operation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads CSV as libCacheSim does: which column has what is said as there with {@code -t}, {@code
 * time-col=2, obj-id-col=5, obj-size-col=4, has-header=true, delimiter=;}. Columns count from 1;
 * time and size may be missing. Without a word about columns it is time, object, size.
 */
final class LibCacheSimTrace extends LineTrace {
  private static final String HASHED =
      "objects have no order, so which rows lie together is lost: rows share blocks by chance, and"
          + " a design that lives on neighbourhoods shows less than it can";
  private static final String GETS = "every line is a Get: operations are not read";

  private final int timeColumn;
  private final int idColumn;
  private final int sizeColumn;
  private final char delimiter;
  private final boolean hasHeader;
  private boolean isHeaderRead;

  LibCacheSimTrace(Path file, String columns) throws IOException {
    super(file, "the file has no line of a request");
    try {
      Columns parsed = new Columns(columns);
      boolean isUsual = columns.isBlank();
      timeColumn = isUsual ? 1 : parsed.number("time-col");
      idColumn = isUsual ? 2 : parsed.number("obj-id-col");
      sizeColumn = isUsual ? 3 : parsed.number("obj-size-col");
      delimiter = parsed.delimiter;
      hasHeader = parsed.hasHeader;
      if (idColumn == 0) {
        throw new IllegalArgumentException("--columns has no obj-id-col, the column of the object");
      }
    } catch (IllegalArgumentException e) {
      in.close();
      throw e;
    }
  }

  /** What is said of columns. */
  private static final class Columns {
    private static final Set<String> NUMBERS = Set.of("time-col", "obj-id-col", "obj-size-col");
    private final Map<String, Integer> numbers = new HashMap<>();
    private char delimiter = ',';
    private boolean hasHeader;

    Columns(String text) {
      // The delimiter may be a comma itself.
      for (String part : text.replace("delimiter=,", "").split(",")) {
        String[] pair = part.strip().split("=", 2);
        String name = pair[0].strip();
        String value = pair.length == 2 ? pair[1].strip() : "";
        if (part.isBlank() || name.equals("obj-id-is-num")) {
          continue;
        } else if (NUMBERS.contains(name) && value.matches("[1-9][0-9]{0,3}")) {
          numbers.put(name, Integer.valueOf(value));
        } else if (name.equals("has-header") && value.matches("true|false|1|0")) {
          hasHeader = value.equals("true") || value.equals("1");
        } else if (name.equals("delimiter") && (value.length() == 1 || value.equals("\\t"))) {
          delimiter = value.length() == 1 ? value.charAt(0) : '\t';
        } else {
          throw new IllegalArgumentException(
              "--columns is like 'time-col=1, obj-id-col=2, obj-size-col=3, has-header=true,"
                  + " delimiter=;', with columns from 1 on; it has no '"
                  + part.strip()
                  + "'");
        }
      }
    }

    int number(String name) {
      return numbers.getOrDefault(name, 0);
    }
  }

  @Override
  @Nullable TraceEntry parse(String line) throws TraceException {
    if (line.isEmpty()) {
      return null;
    }
    if (hasHeader && !isHeaderRead) {
      isHeaderRead = true;
      return null;
    }
    String[] fields = line.split(Pattern.quote("" + delimiter), -1);
    int needed = Math.max(idColumn, Math.max(timeColumn, sizeColumn));
    if (fields.length < needed) {
      throw in.wrong(
          "there are "
              + fields.length
              + " columns, and --columns asks for column "
              + needed
              + ": is the delimiter right, is the line whole?");
    }
    String id = fields[idColumn - 1].strip();
    if (id.isEmpty()) {
      throw in.wrong("column " + idColumn + ", the object, is empty");
    }
    return new TraceEntry(
        timeColumn == 0 ? TraceEntry.UNKNOWN : time(fields[timeColumn - 1].strip()),
        Operation.GET,
        "",
        id,
        1,
        1,
        sizeColumn == 0 ? TraceEntry.UNKNOWN : number(fields[sizeColumn - 1].strip(), "a size"));
  }

  private long time(String field) throws TraceException {
    int point = field.indexOf('.');
    long seconds = number(point < 0 ? field : field.substring(0, point), "a time in seconds");
    String decimals = point < 0 ? "" : field.substring(point + 1);
    long micros = decimals.isEmpty() ? 0 : number((decimals + "000000").substring(0, 6), "a time");
    return inOrder(Math.min(seconds, Integer.MAX_VALUE * 1_000L) * 1_000_000 + micros);
  }

  private long number(String field, String what) throws TraceException {
    try {
      return in.number(field, what);
    } catch (TraceException e) {
      if (!hasHeader && in.line() == 1) {
        throw in.wrong(what + " is no number: if this line is a header, say has-header=true");
      }
      throw e;
    }
  }

  @Override
  public Keys keys() {
    return Keys.HASHED;
  }

  @Override
  public List<String> remarks() {
    return List.of(HASHED, GETS);
  }
}
