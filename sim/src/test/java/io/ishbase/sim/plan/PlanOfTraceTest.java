package io.ishbase.sim.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.ishbase.sim.miniature.Fetches;
import io.ishbase.sim.miniature.Reads;
import io.ishbase.sim.workload.Zipf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What was asked for once, in the place of a law of popularity. */
class PlanOfTraceTest {
  private static final int ROWS = 20_000;
  private static final int READS = 120_000;
  private static final double EXPONENT = 0.9;

  /** Which popular rows share one of 313 blocks. */
  private static final double BY_CHANCE = 0.05;

  @TempDir private Path dir;

  /** Gets by Zipf's law, popular rows anywhere; in a sample, of some rows. */
  private void write(String name, int sampledRows) throws IOException {
    StringBuilder text = new StringBuilder("# ishbase-trace 1 ordinals\n");
    SplittableRandom random = new SplittableRandom(5);
    Zipf law = new Zipf(ROWS, EXPONENT);
    List<Integer> places = new ArrayList<>(IntStream.range(0, ROWS).boxed().toList());
    Collections.shuffle(places, new Random(5));
    for (int i = 0; i < READS; i++) {
      int row = places.get((int) law.draw(random));
      if (row < sampledRows) {
        text.append(i).append("\tget\tt\t").append(row).append("\t1\t1\t1000\n");
      }
    }
    Files.writeString(dir.resolve(name), text);
  }

  private static List<String> table(String skew, String... more) {
    List<String> lines = new ArrayList<>(PlanFileTest.SMALL.subList(0, 8));
    lines.addAll(List.of("regions = 24", "bytes = 20000000", "row.bytes = 1000"));
    lines.addAll(List.of("gets = 2000", "puts = 500", "skew = " + skew));
    lines.addAll(List.of(more));
    return lines;
  }

  private TableCurves curves(String skew) {
    Inputs inputs = PlanFile.read("f", table(skew), dir);
    return new TableCurves(inputs, inputs.tables().get(0), 1, () -> {});
  }

  @Test
  void hitsAsTheLawThatItWasDrawnFrom() throws IOException {
    write("all.trace", ROWS);
    TableCurves traced = curves("trace all.trace");
    TableCurves law = curves("0.9");
    for (Side side : Side.values()) {
      for (double share : new double[] {0.1, 0.3, 0.6}) {
        Fetches expected = law.at(side, EXPONENT, share);
        assertThat(traced.at(side, 0, share).ofGet())
            .as("%s, %s of the table", side, share)
            .isCloseTo(expected.ofGet(), within(side == Side.WITH ? 0.03 : BY_CHANCE));
      }
    }
  }

  /** A sample of half of the rows stands for a table that is twice as large. */
  @Test
  void aSampleHitsAsAllDoes() throws IOException {
    write("all.trace", ROWS);
    write("half.trace", ROWS / 2);
    TableCurves all = curves("trace all.trace");
    TableCurves half = curves("trace half.trace, 500 of 1000");
    for (double share : new double[] {0.2, 0.5}) {
      assertThat(half.at(Side.WITH, 0, share).ofGet())
          .isCloseTo(all.at(Side.WITH, 0, share).ofGet(), within(0.06));
    }
  }

  /** Rows that nobody asks for need no cache. */
  @Test
  void restingRowsTakeNoMemory() throws IOException {
    write("all.trace", ROWS);
    List<String> lines = table("trace all.trace");
    lines.set(9, "bytes = 2000000000");
    Inputs inputs = PlanFile.read("f", lines, dir);
    TableCurves large = new TableCurves(inputs, inputs.tables().get(0), 1, () -> {});
    TableCurves small = curves("trace all.trace");
    assertThat(large.at(Side.WITH, 0, 0.003).ofGet())
        .isCloseTo(small.at(Side.WITH, 0, 0.3).ofGet(), within(0.01));
  }

  @Test
  void aPage() throws IOException {
    write("all.trace", ROWS);
    List<String> lines = table("trace all.trace");
    lines.set(3, "block.cache = 1 MB");
    Inputs inputs = PlanFile.read("f", lines, dir);
    String page = PlanPage.of(new Plan(inputs, 1, () -> {}));
    PlanTest.isGolden("plan-trace.txt", page);
    assertThat(page)
        .contains("t: hits by its trace, 120,000 reads of 20,000 rows;")
        .doesNotContain("skew");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "trace other.trace | gets = 1 | f line 14: 'other.trace' has no read of table 't'; it has reads of [u]",
        "trace short.trace | gets = 1 | f line 14: 'short.trace' has 2 reads of table 't', too few",
        "trace cut.trace | gets = 1 | f line 14: cut.trace, line 2: the file ends in the middle",
        "trace all.trace | bytes = 1000000 | f line 14: the trace has 20000 rows, and the table 1000 of",
        "trace all.trace, 10 of 1000 | gets = 1 | f line 14: the trace has 20000 rows, and the table 200",
        "trace all.trace | scans = 5 | f line 14: the trace has no Scan of the table",
        "trace all.trace | place = together | f line 15: where popular rows lie is in the trace",
      })
  void whatDoesNotFitIsSaid(String skew, String line, String words) throws IOException {
    write("all.trace", ROWS);
    String head = "# ishbase-trace 1 rows\n";
    Files.writeString(dir.resolve("other.trace"), head + "0\tget\tu\ta\t1\t1\t1\n");
    Files.writeString(
        dir.resolve("short.trace"),
        head + "0\tget\tt\ta\t1\t1\t1\n0\tput\tt\ta\t1\t1\t1\n1\tget\tt\tb\t1\t1\t1\n");
    Files.writeString(dir.resolve("cut.trace"), head + "0\tget\tt\ta");
    List<String> lines = table(skew);
    String name = line.substring(0, line.indexOf(' '));
    lines.replaceAll(each -> each.startsWith(name + " =") ? line : each);
    if (!lines.contains(line)) {
      lines.add(line);
    }
    assertThatThrownBy(() -> PlanFile.read("f", lines, dir))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(words.substring(words.indexOf(": ") + 2).replaceFirst("^'", ""))
        .hasMessageStartingWith(words.substring(0, words.indexOf(": ") + 2));
  }

  /** Ordinals count on from one table to the next; those of others are no rows of this one. */
  @Test
  void ordinalsOfOneOfSeveralTablesBeginSomewhere() throws IOException {
    StringBuilder text = new StringBuilder("# ishbase-trace 1 ordinals\n");
    for (int i = 0; i < 2_000; i++) {
      text.append(i).append("\tget\ts\t").append(i * 20).append("\t1\t1\t1000\n");
      text.append(i).append("\tget\tt\t").append(40_000 + i).append("\t1\t1\t1000\n");
    }
    Files.writeString(dir.resolve("both.trace"), text);
    Inputs inputs = PlanFile.read("f", table("trace both.trace"), dir);
    assertThat(inputs.tables().get(0).traced()).extracting(Reads::rows).isEqualTo(2_000);
  }
}
