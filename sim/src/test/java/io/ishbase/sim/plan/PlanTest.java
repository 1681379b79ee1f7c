package io.ishbase.sim.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PlanTest {
  private static final Path GOLDEN = Path.of("src", "test", "resources", "golden", "plan.txt");

  @Test
  void aPage() throws IOException {
    Inputs inputs = PlanFile.read("f", PlanFileTest.SMALL);
    AtomicInteger steps = new AtomicInteger();
    Plan plan = new Plan(inputs, 1, steps::incrementAndGet);
    assertThat(steps.get()).isEqualTo(Plan.steps(inputs));
    String page = PlanPage.of(plan);
    if ("write".equals(System.getProperty("ishbase.golden"))) {
      Files.writeString(GOLDEN, page);
    }
    assertThat(page).isEqualTo(Files.readString(GOLDEN));
    assertThat(page.lines().count()).as("one page").isLessThan(60);

    assertThat(plan.answer(Answer.LINE_IN_WITH).value())
        .isLessThan(plan.answer(Answer.LINE_IN_TODAY).value() / 10);
    for (Answer answer : Answer.values()) {
      Range range = plan.answer(answer);
      assertThat(range.least()).isLessThanOrEqualTo(range.value());
      assertThat(range.most()).isGreaterThanOrEqualTo(range.value());
    }
  }

  /** Where all is cached and nothing is short, the page says so. */
  @Test
  void saysWhereItDoesNotPay() {
    Plan plan =
        new Plan(
            PlanFile.read(
                "f",
                PlanFileTest.SMALL.stream()
                    .map(line -> line.startsWith("block.cache") ? "block.cache = 128 GB" : line)
                    .map(line -> line.replace("mbps = 1000", "mbps = 100000"))
                    .map(line -> line.startsWith("puts") ? "puts = 0" : line)
                    .toList()),
            1,
            () -> {});
    assertThat(PlanPage.of(plan)).contains("It does not pay");
  }

  /** Twice the reads on twice the machines: each machine does the same. */
  @Test
  void isAsLargeAsItsMachines() {
    Inputs one = PlanFile.read("f", PlanFileTest.SMALL);
    List<TableCurves> curves = List.of(new TableCurves(one, one.tables().get(0), 1, () -> {}));
    Values values = one.middle();
    Values twice =
        values
            .with("t: gets", 2 * values.of("t: gets"))
            .with("t: puts", 2 * values.of("t: puts"))
            .with("t: bytes", 2 * values.of("t: bytes"))
            .with("t: regions", 2 * values.of("t: regions"));
    for (Side side : Side.values()) {
      Load small = Load.of(side, one, values, curves, new Machines(3, 4, 1));
      Load large = Load.of(side, one, twice, curves, new Machines(6, 8, 1));
      assertThat(large.lineBytes()).isCloseTo(2 * small.lineBytes(), withinPercentage(1e-6));
      for (int i = 0; i < small.resources().size(); i++) {
        assertThat(large.resources().get(i).part())
            .isCloseTo(small.resources().get(i).part(), within(1e-9));
      }
    }
  }

  /** The formula's own example: a server that is full to 99 % is not enough with luck's bursts. */
  @Test
  void theFormulaFillsAServerThatQueuesWould() {
    double bytes = 4.0 * (1 << 30);
    Compactions compactions =
        new Compactions(List.of(new Compactions.Kind(bytes, 10 / 3600.0)), bytes * 10 / 3600, 1e6);
    Values values =
        PlanFile.read("f", PlanFileTest.SMALL)
            .middle()
            .with("compaction.mb.s", 4096 / 716.8)
            .with("worker.slots", 1);
    CompactionWait.Outcome two = CompactionWait.of(values, compactions, 2, 1);
    assertThat(two.homePart()).isGreaterThan(0.1);
    assertThat(CompactionWait.serversNeeded(values, compactions, 1)).isGreaterThan(3);
  }
}
