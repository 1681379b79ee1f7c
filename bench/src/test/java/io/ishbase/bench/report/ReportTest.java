package io.ishbase.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class ReportTest {
  private static final Pattern SVG = Pattern.compile("(?s)<svg.*?</svg>");

  @TempDir private Path dir;

  private static Results results(String scenario) {
    Results results = new Results(scenario, "Gets & more <fast>", "003 fig. 8");
    results.fact("seed", 1);
    results.fact("command", "./ishbase bench " + scenario);
    results.fact("commit", "abc1234");
    results.condition("replicas of each block", 1);
    results.note("A note.");
    results.note("A note.");
    results.plot(
        Plot.lines(
                "rate",
                "Mbps",
                "operations/s",
                List.of(
                    Plot.Series.of("stock", Map.of(8.0, 15.0)),
                    new Plot.Series("in-storage", List.of(8.0, 32.0), List.of(800.0, 3200.0))))
            .withLogX()
            .withLogY()
            .withXTicks(Map.of(8.0, "8", 32.0, "32")));
    results.plot(
        Plot.bars(
            "bytes",
            "per byte",
            List.of("Gets", "Scans"),
            List.of(new Plot.Series("stock", List.of(0.0, 1.0), List.of(60.0, 2.0)))));
    results.add(
        Map.of(
            "mbps",
            8,
            "variants",
            Map.of("stock", Map.of("windows", List.of(Map.of("n", 1), Map.of("n", 2))))),
        List.of(
            new Row(Map.of("cap", "8 Mbps"), "stock", Map.of("ops/s", 15.0), "", "falls", ""),
            new Row(
                Map.of("cap", "8 Mbps"),
                "in-storage",
                Map.of("ops/s", 812.3, "ratio", 54.2),
                "≥ 20",
                "",
                "")));
    results.addCosts(
        List.of(new Row(Map.of("cap", "8 Mbps"), "stock", Map.of("client µs", 70.5), "", "")));
    return results;
  }

  @Test
  void thePageHoldsAllScenariosWhoseResultsAreThere() throws Exception {
    results("b").write(dir.resolve("b.json"));
    results("a").write(dir.resolve("a.json"));
    Path page = dir.resolve("report.html");
    Report.of(dir, List.of("a", "b", "not-run")).writeHtml(page, "Title");
    String html = Files.readString(page);
    assertThat(html)
        .containsSubsequence("<section id=\"a\">", "<section id=\"b\">")
        .doesNotContain("not-run")
        .contains("Gets &amp; more &lt;fast&gt;")
        .contains("<td class=\"n\">812</td>")
        .doesNotContain("http:", "https:", "<script", "NaN");
    assertThat(html.split("A note\\.", -1)).hasSize(1 + 2);
    List<String> drawings = SVG.matcher(html).results().map(match -> match.group()).toList();
    assertThat(drawings).hasSize(4);
    for (String drawing : drawings) {
      assertThat(parse(drawing).getElementsByTagName("text").getLength()).isPositive();
    }
  }

  @Test
  void linesDifferInMoreThanColourAndCarryTheirNames() {
    String svg = new Lines(results("a").plots().get(0)).svg();
    assertThat(svg)
        .contains(">stock</text>", ">in-storage</text>", "stroke-dasharray=\"7 3\"", "<circle")
        .contains(">32</text>", ">operations/s</text>");
  }

  @Test
  void whatIsWrittenIsReadBack() throws IOException {
    Path file = dir.resolve("a.json");
    results("a").write(file);
    Results back = Results.read(file);
    assertThat(back.rows()).isEqualTo(results("a").rows());
    assertThat(back.costs()).hasSize(1).isEqualTo(results("a").costs());
    assertThat(back.plots()).isEqualTo(results("a").plots());
    back.write(dir.resolve("again.json"));
    assertThat(dir.resolve("again.json")).hasSameTextualContentAs(file);
  }

  @Test
  void conditionsStandBesideTheTable() throws IOException {
    assertThat(new Report(List.of(results("a"))).text())
        .containsSubsequence("replicas of each block: 1\n", "cap     variant");
    Path page = dir.resolve("report.html");
    new Report(List.of(results("a"))).writeHtml(page, "Title");
    assertThat(Files.readString(page))
        .containsSubsequence(
            "<dt>replicas of each block</dt><dd>1</dd>",
            "<table>",
            "</table>",
            "<table>",
            "<td class=\"n\">70.5</td>",
            "<details>");
  }

  @Test
  void windowsHaveALineEachAndAreNotPublished() throws IOException {
    Path file = dir.resolve("a.json");
    results("a").write(file);
    assertThat(Files.readString(file)).containsIgnoringWhitespaces("{\"n\":1},\n {\"n\":2}");
    Published.write(results("a"), dir);
    assertThat(file).content().doesNotContain("windows");
    assertThat(Results.read(file).rows()).isEqualTo(results("a").rows());
    assertThat(dir.resolve("a.md"))
        .content()
        .contains("    ./ishbase bench a\n", "- replicas of each block: 1\n", "- A note.\n")
        .contains(
            """
            | cap | variant | ops/s | ratio | target | seed |
            | --- | --- | ---: | ---: | --- | --- |
            | 8 Mbps | stock | 15.0 |  |  | falls |
            | 8 Mbps | in-storage | 812 | 54.2 | ≥ 20 |  |

            Processor time for each operation, by kind of process:

            | cap | variant | client µs |
            | --- | --- | ---: |
            | 8 Mbps | stock | 70.5 |
            """)
        .doesNotContain("Not to be quoted");
  }

  @Test
  void whatNobodyCanMeasureAgainIsNotToBeQuoted() {
    Results results = results("a");
    assertThat(Published.objection(results)).isEmpty();
    results.fact("commit", "abc1234-dirty");
    assertThat(Published.objection(results)).contains("uncommitted changes (abc1234-dirty)");
    assertThat(Published.page(results)).contains("**Not to be quoted:**");
    assertThat(Published.objection(new Results("b", "", ""))).contains("names no commit");
  }

  @Test
  void theTableOnATerminalHasColumnsInWhichSomethingStands() {
    assertThat(Table.forTerminal(results("a").rows()).text())
        .isEqualTo(
            """
            cap     variant     ops/s  ratio  target  seed
            8 Mbps  stock        15.0                 falls
            8 Mbps  in-storage    812   54.2  ≥ 20
            """);
  }

  @Test
  void smallFiguresKeepTheirDigits() {
    assertThat(List.of(1234.0, 12.34, 1.234, 0.0123, 0.00087, 0.0).stream().map(Table::number))
        .containsExactly("1,234", "12.3", "1.23", "0.01", "0.00087", "0");
  }

  private static Document parse(String xml) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(xml)));
  }
}
