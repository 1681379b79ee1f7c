package io.ishbase.dist.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.dist.CliException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SiteTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern PAGE = Pattern.compile("href=\"([^\":#]+\\.html)");

  @TempDir private Path directory;

  /** Also: no link of the documentation leads nowhere, or writing would fail. */
  @Test
  void everyPageCanBeComeToFromTheFirst() throws IOException {
    Path first = Site.write(ROOT, directory);
    Set<Path> seen = new TreeSet<>();
    Deque<Path> next = new ArrayDeque<>(Set.of(first));
    while (!next.isEmpty()) {
      Path page = next.remove();
      if (seen.add(page)) {
        Matcher links = PAGE.matcher(Files.readString(page));
        while (links.find()) {
          next.add(page.resolveSibling(links.group(1)).normalize());
        }
      }
    }
    assertThat(seen).containsExactlyInAnyOrderElementsOf(written()).hasSizeGreaterThan(50);
  }

  private Set<Path> written() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(file -> file.toString().endsWith(".html"))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  @Test
  void sectionsAreFoundByTheirIds() throws IOException {
    Site.write(ROOT, directory);
    assertThat(Files.readString(directory.resolve("site.js")))
        .contains("{\"link\":\"docs/architecture.html#a-get\",\"title\":\"Architecture: A Get\"");
    assertThat(Files.readString(directory.resolve("docs/architecture.html")))
        .contains("<h2 id=\"a-get\">A Get</h2>")
        .contains("href=\"../site.css\"")
        .contains("href=\"../docs/install.html#upgrade\"");
    assertThat(directory.resolve("docs/results/cache-phases.svg")).exists();
  }

  @Test
  void linksToWhatIsNotThereAreNamedTogether() throws IOException {
    Path tree = directory.resolve("tree");
    Files.createDirectories(tree.resolve("docs"));
    Files.writeString(tree.resolve("README.md"), "# A\n[b](docs/README.md#of-b) [c](c.md)");
    Files.writeString(tree.resolve("CHANGELOG.md"), "# C\n[a](#c) [x](https://example.org/x)");
    Files.writeString(
        tree.resolve("docs/README.md"), "# B\n## Of B\n[d](../README.md#d) [e](../../e)");
    assertThatThrownBy(() -> Site.write(tree, directory.resolve("site")))
        .isInstanceOf(CliException.class)
        .hasMessageContaining("README.md links to c.md, which is not there")
        .hasMessageContaining("docs/README.md links to ../README.md#d, which is not there")
        .hasMessageContaining("docs/README.md links to ../../e, which is not there")
        .hasMessageNotContaining("of-b")
        .hasMessageNotContaining("example");
    assertThat(directory.resolve("site")).doesNotExist();
  }
}
