package io.ishbase.sim.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlanFileTest {
  static final List<String> SMALL =
      List.of(
          "region.servers = 3",
          "region.server.cores = 8",
          "region.server.mbps = 1000",
          "block.cache = 4 GB",
          "storage.nodes = 4 # with daemons",
          "storage.cores = 8",
          "storage.mbps = 1000",
          "[table t]",
          "regions = 24",
          "bytes = 200 GB (150 GB to 250 GB)",
          "row.bytes = 1000",
          "gets = 2000",
          "puts = 500");

  @Test
  void readsNumbersUnitsRangesAndDefaults() {
    Inputs inputs = PlanFile.read("f", SMALL);
    assertThat(inputs.ranges().get("storage.nodes")).isEqualTo(Range.exactly(4));
    assertThat(inputs.ranges().get("t: bytes"))
        .isEqualTo(new Range(150L << 30, 200L << 30, 250L << 30));
    assertThat(inputs.ranges().get("t: block.bytes")).isEqualTo(Range.exactly(65536));
    assertThat(inputs.uncertain()).contains("cpu.read.us", "t: skew").doesNotContain("t: gets");
    assertThat(inputs.tables()).containsExactly(new Inputs.Table("t", true, null));
  }

  /** A pattern would look at each blank of it from each blank before. */
  @Test
  void aHugeLineIsSaid() {
    List<String> lines = new ArrayList<>(SMALL);
    lines.add("skew = trace f" + " ".repeat(1_000_000) + "g");
    Assertions.assertTimeoutPreemptively(
        Duration.ofMinutes(1),
        () ->
            assertThatThrownBy(() -> PlanFile.read("f", lines))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("f line 14: longer than 10,000 characters"));
  }

  @Test
  void tooManyTablesAreSaid() {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i <= 1_000; i++) {
      lines.add("[table t" + i + "]");
    }
    assertThatThrownBy(() -> PlanFile.read("f", lines))
        .hasMessageStartingWith("f line 1001: a plan has no more than 1,000 tables");
  }

  @Test
  void theExampleIsOne() throws IOException {
    Path example = Path.of("..", "docs", "plan-example.conf");
    assertThat(PlanFile.read("example", Files.readAllLines(example)).tables()).hasSize(2);
  }

  /** {@code %} in the place of a line: without it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1 | region.servers = many | f line 1: region.servers is a number, or",
        "1 | region.servers = 2.5 | f line 1: region.servers is a whole number, not 2.5",
        "1 | region.servers = 0 | f line 1: region.servers is above 0, not 0",
        "1 | region.servers = -3 | f line 1: region.servers is above 0, not -3",
        "1 | region.servers = 9e9 | f line 1: region.servers is 100000 at most",
        "1 | region.servers = 1e | f line 1: region.servers is a number, not '1e'",
        "1 | region.servers = | f line 1: region.servers is a number, or",
        "1 | region.server = 3 | f line 1: there is no 'region.server' of the cluster",
        "1 | gets = 3 | f line 1: gets is nothing of the cluster; write it below a [table NAME]",
        "1 | region.servers 3 | f line 1: 'region.servers 3' says nothing; write NAME = VALUE",
        "1 | % | f: the cluster needs region.servers; add a line",
        "2 | storage.nodes = 3 | f line 5: storage.nodes stands in line 2 already",
        "8 | [tabel t] | f line 8: '[tabel t]' begins no table",
        "8 | [table] | f line 8: the table has no name",
        "10 | bytes = 200 GB (300 GB to 400 GB) | f line 10: bytes is not in its range",
        "10 | bytes = 1 | f line 8: table 't' is smaller than one of its rows",
        "10 | storage.nodes = 1 | f line 10: storage.nodes is nothing of table 't'",
        "12 | place = there | f line 12: place is scattered or together, not 'there'",
        "12 | skew = 4 | f line 12: skew is 3 at most",
        "12 | skew = trace | f line 12: write trace FILE, or trace FILE, 10 of 1000",
        "12 | skew = trace /none | f line 12: there is no file '/none'",
        "12 | skew = trace . | f line 12: . is a directory: name one file",
        "12 | skew = trace pom.xml | f line 12: pom.xml, line 1: a trace begins with",
        "12 | skew = trace /none, 0 of 1000 | f line 12: a sample is 1 of 1000 to 1000 of 1000",
        "12 | skew = trace /none, 1001 of 1000 | f line 12: a sample is 1 of 1000 to 1000",
        "12 | skew = traces | f line 12: skew is a number, or",
        "12 | unpacked = 0 | f line 12: unpacked is above 0, not 0",
        "12 | unpacked = 70 | f line 8: a row of table 't' has 70000 bytes once opened",
        "10 | bytes = 2 TB (1 to 3 TB) | f line 10: bytes has a unit behind some of its numbers",
        "10 | bytes = 2048 (1 GB to 3 TB) | f line 10: bytes has a unit behind some",
        "1 | flush.bytes = 1 | f line 1: flush.bytes is 1048576 at least, not 1",
        "1 | compaction.files = 1 | f line 1: compaction.files is 2 at least, not 1",
        "1 | major.days = 1e-6 | f line 1: major.days is 0.01 at least, not 1e-6",
        "1 | patience.s = 1e18 | f line 1: patience.s is 3600 at most, not 1e18",
        "12 | [table t] | f line 12: table 't' stands in line 8 already",
      })
  void saysWhatIsWrongWhereAndWhatToDo(int line, String text, String words) {
    List<String> lines = new ArrayList<>(SMALL);
    lines.set(line - 1, text.equals("%") ? "" : text);
    assertThatThrownBy(() -> PlanFile.read("f", lines))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(words);
  }

  @Test
  void aFileWithoutATableIsNoPlan() {
    assertThatThrownBy(() -> PlanFile.read("f", SMALL.subList(0, 7)))
        .hasMessage(
            "f: there is no table; add a section [table NAME] with regions, bytes, row.bytes");
  }
}
