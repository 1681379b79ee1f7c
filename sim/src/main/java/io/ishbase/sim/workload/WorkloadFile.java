package io.ishbase.sim.workload;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A load and what is compared under it, as written in one file: lines {@code name = value #
 * comment}. Besides parameters there are {@code preset}, {@code designs}, {@code title} and {@code
 * seed}.
 *
 * @param title what stands above the result
 * @param designs names, in order; empty: as usual
 * @param seed of the draws
 * @param notes what of the file is not as it says
 */
public record WorkloadFile(
    String title, Parameters parameters, List<String> designs, long seed, List<String> notes) {
  private static final int MOST_LINES = 10_000;
  private static final int LONGEST_LINE = 10_000;

  /** A value and where it stands. */
  record Line(long number, String value) {}

  /**
   * Reads a file.
   *
   * @throws IllegalArgumentException if it is no load; the message has file and line
   * @throws IOException if it cannot be read
   */
  public static WorkloadFile read(Path file) throws IOException {
    Map<String, Line> lines = lines(file, "#");
    Parameters parameters = Presets.of("seed");
    Line preset = lines.remove("preset");
    Line title = lines.remove("title");
    Line designs = lines.remove("designs");
    Line seed = lines.remove("seed");
    if (preset != null) {
      parameters = at(file, preset, () -> Presets.of(preset.value()));
    }
    for (Map.Entry<String, Line> line : lines.entrySet()) {
      Parameters before = parameters;
      parameters =
          at(file, line.getValue(), () -> before.with(line.getKey(), line.getValue().value()));
    }
    return new WorkloadFile(
        title == null ? title(file) : title.value(),
        parameters,
        designs == null ? List.of() : List.of(designs.value().split("\\s*,\\s*")),
        seed == null ? 1 : at(file, seed, () -> seed(seed.value())),
        List.of());
  }

  /** The name of a file without its end. */
  static String title(Path file) {
    return String.valueOf(file.getFileName()).replaceFirst("(.)\\.[a-z]+$", "$1");
  }

  private static long seed(String value) {
    if (!value.matches("[0-9]{1,18}")) {
      throw new IllegalArgumentException("seed is a whole number, not '" + value + "'");
    }
    return Long.parseLong(value);
  }

  @FunctionalInterface
  interface Reading<T> {
    T read();
  }

  /** What is read from a line; what is wrong with it is said with file and line. */
  static <T> T at(Path file, Line line, Reading<T> reading) {
    try {
      return reading.read();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          file + ", line " + line.number() + ": " + e.getMessage(), e);
    }
  }

  /**
   * The lines of a file that are none of comment.
   *
   * @param comment what begins one, anywhere in a line
   */
  static Map<String, Line> lines(Path file, String comment) throws IOException {
    Map<String, Line> lines = new LinkedHashMap<>();
    long number = 0;
    if (Files.isDirectory(file)) {
      throw new IOException(file + " is a directory: name one file");
    }
    try (BufferedReader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      for (String text = line(reader, file, 1);
          text != null;
          text = line(reader, file, number + 1)) {
        number++;
        if (number > MOST_LINES) {
          throw wrong(file, number, "a load has no more than 10,000 lines");
        }
        int end = text.indexOf(comment);
        String line = (end < 0 ? text : text.substring(0, end)).strip();
        if (line.isEmpty()) {
          continue;
        }
        String[] pair = line.split("=", 2);
        if (pair.length < 2 || pair[0].isBlank() || pair[1].isBlank()) {
          throw wrong(file, number, "a line is 'name = value'");
        }
        Line before = lines.put(pair[0].strip(), new Line(number, pair[1].strip()));
        if (before != null) {
          throw wrong(
              file, number, pair[0].strip() + " stands in line " + before.number() + " already");
        }
      }
    } catch (MalformedInputException e) {
      throw wrong(file, number + 1, "this is no text: is it the right file?");
    }
    return lines;
  }

  private static @Nullable String line(BufferedReader reader, Path file, long number)
      throws IOException {
    StringBuilder line = new StringBuilder();
    int next = reader.read();
    if (next < 0) {
      return null;
    }
    while (next >= 0 && next != '\n') {
      if (line.length() == LONGEST_LINE) {
        throw wrong(file, number, "longer than 10,000 characters: is it the right file?");
      }
      line.append((char) next);
      next = reader.read();
    }
    return line.toString();
  }

  private static IllegalArgumentException wrong(Path file, long number, String what) {
    return new IllegalArgumentException(file + ", line " + number + ": " + what);
  }
}
