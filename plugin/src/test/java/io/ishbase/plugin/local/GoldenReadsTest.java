package io.ishbase.plugin.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Files, memstore and read → requests, answers, rows, fallbacks: the texts below {@code
 * src/test/resources/golden}. {@code -Dishbase.golden=write} writes them anew, to be reviewed as a
 * change.
 */
class GoldenReadsTest {
  private static final Path GOLDEN = Path.of("src/test/resources/golden");

  @TempDir private Path directory;

  static List<String> texts() throws IOException {
    try (Stream<Path> files = Files.list(GOLDEN)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("texts")
  void readsAsWritten(String name) throws Exception {
    Path file = GOLDEN.resolve(name);
    String expected = Files.readString(file);
    StringBuilder actual = new StringBuilder();
    try (Script script = new Script(directory)) {
      for (String line : expected.split("\n")) {
        if (line.isBlank() || line.startsWith("#")) {
          actual.append(line).append('\n');
        } else if (!line.startsWith(" ")) {
          actual.append(line).append('\n').append(indented(script.run(line)));
        }
      }
    }
    if ("write".equals(System.getProperty("ishbase.golden"))) {
      Files.writeString(file, actual);
    }
    assertThat(actual.toString()).isEqualTo(Files.readString(file));
  }

  private static String indented(String lines) {
    return lines.replaceAll("(?m)^(?=.)", "    ");
  }
}
