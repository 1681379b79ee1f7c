package io.ishbase.plugin.fuzz;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;

/**
 * An input that did harm, as a file: the kind, seed and number, what happened, and the input itself
 * in base 64.
 *
 * @param number of it in the run with that seed
 * @param cause null: it just took too much
 */
record FailingInput(
    String kind, long seed, long number, String what, byte[] input, Throwable cause) {
  private static final String INPUT = "input ";

  Path writeTo(Path directory) throws IOException {
    StringWriter text = new StringWriter();
    try (PrintWriter out = new PrintWriter(text)) {
      out.println("kind " + kind);
      out.println("seed " + seed);
      out.println("number " + number);
      out.println(INPUT + Base64.getEncoder().encodeToString(input));
      out.println(what);
      if (cause != null) {
        cause.printStackTrace(out);
      }
    }
    Files.createDirectories(directory);
    return Files.writeString(
        directory.resolve(kind + "-" + seed + "-" + number + ".txt"), text.toString());
  }

  /**
   * What {@link #writeTo} wrote.
   *
   * @throws IOException if it cannot be read or is none
   */
  static FailingInput read(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file);
    if (lines.size() < 4 || !lines.get(0).startsWith("kind ") || !lines.get(3).startsWith(INPUT)) {
      throw new IOException(file + " is no input that ./ishbase fuzz has written");
    }
    return new FailingInput(
        lines.get(0).substring(5),
        Long.parseLong(lines.get(1).substring(5)),
        Long.parseLong(lines.get(2).substring(7)),
        "",
        Base64.getDecoder().decode(lines.get(3).substring(INPUT.length())),
        null);
  }
}
