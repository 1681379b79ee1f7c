package io.ishbase.plugin.regionserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ExplanationsTest {
  private final Explanations explanations = new Explanations();

  @Test
  void linesOfOneNameAreTogether() {
    explanations.add("a", List.of("1", "2"));
    explanations.add("b", List.of("3"));
    explanations.add("a", List.of("4"));
    assertThat(explanations.all())
        .containsEntry("a", List.of("1", "2", "4"))
        .containsEntry("b", List.of("3"))
        .hasSize(2);
  }

  /** Whatever clients ask for: the server does not keep all of it. */
  @Test
  void whatIsKeptIsBounded() {
    String longLine = "x".repeat(100_000);
    for (int read = 0; read < 2_000; read++) {
      explanations.add("all", List.of(longLine, "short"));
      explanations.add(longLine + read, List.of("short"));
    }
    IntStream.range(0, 1_000).forEach(name -> explanations.add("name" + name, List.of("short")));
    assertThat(explanations.all()).hasSizeLessThanOrEqualTo(Explanations.MAX_NAMES);
    explanations.add("last", IntStream.range(0, 1_000).mapToObj(Integer::toString).toList());
    explanations.add("last", List.of(longLine));
    assertThat(explanations.all().get("last"))
        .hasSize(Explanations.MAX_LINES)
        .startsWith("0", "1")
        .endsWith("... and more");
    explanations
        .all()
        .forEach(
            (name, lines) -> {
              assertThat(name).hasSizeLessThanOrEqualTo(Explanations.MAX_NAME_CHARS);
              assertThat(lines)
                  .hasSizeLessThanOrEqualTo(Explanations.MAX_LINES)
                  .allMatch(line -> line.length() <= Explanations.MAX_LINE_CHARS);
            });
  }
}
