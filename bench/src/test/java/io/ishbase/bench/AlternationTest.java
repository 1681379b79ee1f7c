package io.ishbase.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;

class AlternationTest {
  private static final Point POINT = Point.uncapped().with("rows", 1).at(8);

  private final FakeClock clock = new FakeClock();
  private final FakeRig rig = new FakeRig();
  private final List<String> opened = new ArrayList<>();

  /** A variant whose operations take so many milliseconds in its window of that number, from 0. */
  private Variant variant(String name, IntToLongFunction millis) {
    int[] windows = {0};
    return Variant.of(
        name,
        worker -> {
          int window = windows[0]++;
          opened.add(name);
          return tally -> {
            clock.pass(Duration.ofMillis(millis.applyAsLong(window)));
            tally.read(new Moved(1, 1000, 1050));
            rig.carry(2000, 0);
          };
        });
  }

  private Alternation alternation(int rounds) {
    return new Alternation(
        new LoadDriver(clock, rig, 1, 0),
        rig,
        rounds,
        Duration.ofMillis(200),
        Span.of(Duration.ofSeconds(2)));
  }

  @Test
  void aVariantThatTakesFiveTimesAsLongIsReportedAsFiveTimesSlower() throws IOException {
    Comparison comparison =
        alternation(3).run(POINT, List.of(variant("stock", w -> 2), variant("slowed", w -> 10)));
    assertThat(opened).containsExactly("stock", "slowed", "slowed", "stock", "stock", "slowed");
    assertThat(comparison.baseline()).isEqualTo("stock");
    assertThat(comparison.ratio("slowed")).isCloseTo(0.2, within(1e-9));
    assertThat(comparison.all("stock").meanMillis()).isCloseTo(2, within(0.01));
    assertThat(comparison.all("slowed").meanMillis()).isCloseTo(10, within(0.01));
    assertThat(comparison.all("slowed").amplification()).isEqualTo(2);
    assertThat(comparison.worstSpread()).isZero();
    assertThat(comparison.notes()).isEmpty();
  }

  @Test
  void theLimitIsTheLineRateOfTheValuesAskedFor() throws IOException {
    Comparison comparison = alternation(1).run(POINT, List.of(variant("stock", w -> 2)));
    assertThat(comparison.limitPerSecond()).isEqualTo(8e6 / 8 / 1000);
    assertThat(alternation(1).run(POINT.at(0), List.of(variant("stock", w -> 2))).limitPerSecond())
        .isZero();
  }

  @Test
  void theCapIsGoneAfterwards() throws IOException {
    alternation(1).run(POINT, List.of(variant("stock", w -> 2)));
    assertThat(rig.caps()).containsExactly(8, 0);
  }

  @Test
  void aDisturbedRunHasMoreWindowsOfEachOrderAndAllOfThemCount() throws IOException {
    Comparison comparison =
        alternation(2)
            .run(POINT, List.of(variant("stock", w -> w == 1 ? 4 : 2), variant("other", w -> 2)));
    assertThat(comparison.notes())
        .hasSize(2)
        .allMatch(note -> note.startsWith("more windows: these spread by"));
    assertThat(opened.subList(0, 8))
        .containsExactly("stock", "other", "other", "stock", "stock", "other", "other", "stock");
    assertThat(opened).hasSize(2 * 6);
    assertThat(comparison.least("stock", Sample::perSecond)).isCloseTo(250, within(1e-9));
    assertThat(comparison.most("stock", Sample::perSecond)).isCloseTo(500, within(1e-9));
    assertThat(comparison.median("stock", Sample::perSecond)).isCloseTo(500, within(1e-9));
    assertThat(comparison.all("stock").operations()).isEqualTo(5 * 1000 + 500);
  }

  @Test
  void theMedianOfAnEvenNumberOfWindowsLiesBetweenTheTwoInTheMiddle() throws IOException {
    Comparison comparison =
        alternation(2).run(POINT.at(0), List.of(variant("a", w -> w == 0 ? 5 : 4)));
    assertThat(comparison.notes()).isEmpty();
    assertThat(comparison.median("a", Sample::perSecond)).isCloseTo(225, within(1e-9));
    assertThat(comparison.spread("a")).isCloseTo(50 / 225.0, within(1e-9));
  }

  @Test
  void agreementMayBeJudgedByBytes() throws IOException {
    Comparison comparison =
        alternation(2)
            .judgedBy(Sample::amplification)
            .run(POINT, List.of(variant("stock", w -> w == 0 ? 4 : 2)));
    assertThat(comparison.notes()).isEmpty();
  }

  @Test
  void somethingIsDoneBeforeEachWindow() throws IOException {
    alternation(2)
        .preparedBy(variant -> opened.add("before " + variant.name()))
        .run(POINT, List.of(variant("stock", w -> 2)));
    assertThat(opened).containsExactly("before stock", "stock", "before stock", "stock");
  }
}
