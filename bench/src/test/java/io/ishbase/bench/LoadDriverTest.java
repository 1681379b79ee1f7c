package io.ishbase.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.ishbase.cluster.NetworkRig;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LoadDriverTest {
  private static final Moved ROW = new Moved(1, 1000, 1050);

  private final FakeClock clock = new FakeClock();
  private final FakeRig rig = new FakeRig();

  /** Operations of one millisecond, but for one at 2 s that takes half a second. */
  private Variant stalling() {
    return Variant.of(
        "stalling",
        worker ->
            tally -> {
              boolean stall = clock.nanos() >= 2_000_000_000L && clock.nanos() < 2_001_000_000L;
              clock.pass(Duration.ofMillis(stall ? 500 : 1));
              tally.read(ROW);
            });
  }

  @Test
  void closedLoopCountsAStallOnce() throws IOException {
    Sample sample =
        new LoadDriver(clock, rig, 1, 0)
            .run(stalling(), Duration.ofSeconds(1), Span.of(Duration.ofSeconds(4)));
    assertThat(sample.millisAt(99)).isCloseTo(1, within(0.01));
    assertThat(sample.latency().getMaxValue() / 1e6).isCloseTo(500, within(1.0));
  }

  @Test
  void openLoopCountsAllThatHadToWaitForTheStall() throws IOException {
    Sample sample =
        new LoadDriver(clock, rig, 1, 500)
            .run(stalling(), Duration.ofSeconds(1), Span.of(Duration.ofSeconds(4)));
    assertThat(sample.perSecond()).isCloseTo(500, within(1.0));
    assertThat(sample.millisAt(50)).isCloseTo(1, within(0.01));
    // One operation every 2 ms is due and takes 1 ms: the 250 that queue up are worked off in
    // another half second, so a quarter of the 2,000 operations wait, the first of them half a
    // second.
    assertThat(sample.millisAt(80)).isGreaterThan(50);
    assertThat(sample.millisAt(99)).isGreaterThan(450);
  }

  @Test
  void leadInIsNeitherCountedNorMeasured() throws IOException {
    Variant slowAtFirst =
        Variant.of(
            "slow at first",
            worker ->
                tally -> {
                  boolean first = clock.nanos() < 1_000_000_000L;
                  clock.pass(Duration.ofMillis(first ? 100 : 10));
                  rig.carry(first ? 1_000_000 : 5000, first ? 1_000_000 : 50);
                  tally.read(ROW);
                });
    Sample sample =
        new LoadDriver(clock, rig, 1, 0)
            .run(slowAtFirst, Duration.ofSeconds(1), Span.of(Duration.ofSeconds(2)));
    assertThat(sample.operations()).isEqualTo(200);
    assertThat(sample.seconds()).isEqualTo(2);
    assertThat(sample.latency().getMaxValue() / 1e6).isCloseTo(10, within(0.1));
    assertThat(sample.network()).isEqualTo(new NetworkRig.Traffic(200 * 5000, 200 * 50));
    assertThat(sample.amplification()).isEqualTo(5);
    assertThat(sample.read()).isEqualTo(new Moved(200, 200_000, 210_000));
  }

  @Test
  void windowsWithoutAGapTogetherHoldEverything() throws IOException {
    Variant even =
        Variant.of(
            "even",
            worker ->
                tally -> {
                  clock.pass(Duration.ofMillis(30));
                  rig.carry(7, 1);
                });
    List<Sample> samples = new ArrayList<>();
    new LoadDriver(clock, rig, 1, 0)
        .stream(
            even,
            Duration.ZERO,
            Span.of(Duration.ofMillis(100)),
            sample -> {
              samples.add(sample);
              return samples.size() < 5;
            });
    Sample all = Sample.sum(samples);
    assertThat(all.seconds()).isCloseTo(clock.nanos() / 1e9, within(1e-9));
    assertThat(all.network()).isEqualTo(rig.traffic());
    assertThat(all.operations()).isEqualTo(rig.traffic().out());
  }

  @Test
  void aWindowIsStretchedForFewOperationsButNotForEver() throws IOException {
    Variant slow = Variant.of("slow", worker -> tally -> clock.pass(Duration.ofSeconds(1)));
    LoadDriver driver = new LoadDriver(clock, rig, 1, 0);
    Span span = Span.of(Duration.ofMillis(1500));
    assertThat(driver.run(slow, Duration.ZERO, span).operations()).isEqualTo(2);
    assertThat(driver.run(slow, Duration.ZERO, span.withOperations(4)).operations()).isEqualTo(4);
    assertThat(driver.run(slow, Duration.ZERO, span.withOperations(99)).operations()).isEqualTo(6);
  }

  @Test
  void anExactNumberOfOperationsIsStartedOverAllThreads() throws IOException {
    AtomicInteger started = new AtomicInteger();
    Variant counted = Variant.of("counted", worker -> tally -> started.incrementAndGet());
    Sample sample =
        new LoadDriver(Clock.SYSTEM, rig, 4, 0)
            .run(counted, Duration.ZERO, Span.ofOperations(1000));
    assertThat(sample.operations()).isEqualTo(1000);
    assertThat(started).hasValue(1000);
  }

  @Test
  void processorTimeIsCountedInEachWindowBesideTheVariantsCounters() throws IOException {
    Variant counting =
        new Variant(
            "counting",
            worker -> tally -> clock.pass(Duration.ofMillis(10)),
            () -> Map.of("GC ms", 5.0));
    Counters halfOfTheTime = () -> Map.of(Counters.PROCESSOR + "issn", clock.nanos() / 2e9);
    Sample sample =
        new LoadDriver(clock, rig, 1, 0, halfOfTheTime)
            .run(counting, Duration.ofSeconds(3), Span.of(Duration.ofSeconds(2)));
    assertThat(sample.counters())
        .containsOnlyKeys("GC ms", "processor s, issn")
        .hasEntrySatisfying("processor s, issn", s -> assertThat(s).isCloseTo(1, within(0.01)));
    assertThat(sample.figures()).containsKey("processor s, issn");
  }

  @Test
  void countersAreReadAroundTheWindow() throws IOException {
    Map<String, Double> counters = new java.util.HashMap<>(Map.of("GC ms", 100.0));
    Variant collecting =
        new Variant(
            "collecting",
            worker ->
                tally -> {
                  clock.pass(Duration.ofMillis(10));
                  counters.merge("GC ms", 1.0, Double::sum);
                },
            () -> Map.copyOf(counters));
    Sample sample =
        new LoadDriver(clock, rig, 1, 0)
            .run(collecting, Duration.ofMillis(500), Span.of(Duration.ofSeconds(1)));
    assertThat(sample.counters()).containsExactly(Map.entry("GC ms", 100.0));
  }

  @Test
  void noOperationOfAnOpenLoopIsDueWhileTheCountersAreRead() throws IOException {
    Counters slow =
        () -> {
          clock.pass(Duration.ofSeconds(1));
          return Map.of();
        };
    Variant quick =
        new Variant("quick", worker -> tally -> clock.pass(Duration.ofNanos(500_000)), slow);
    Sample sample =
        new LoadDriver(clock, rig, 1, 1000).run(quick, Duration.ZERO, Span.ofOperations(2000));
    assertThat(sample.latency().getMaxValue() / 1e6).isCloseTo(0.5, within(0.01));
  }

  /** Else the first of each window would wait for its client. */
  @Test
  void norWhileClientsAreMade() throws IOException {
    Variant slowToOpen =
        Variant.of(
            "slow to open",
            worker -> {
              clock.pass(Duration.ofSeconds(1));
              return tally -> clock.pass(Duration.ofNanos(500_000));
            });
    Sample sample =
        new LoadDriver(clock, rig, 1, 1000).run(slowToOpen, Duration.ZERO, Span.ofOperations(2000));
    assertThat(sample.latency().getMaxValue() / 1e6).isCloseTo(0.5, within(0.01));
    assertThat(sample.seconds()).isCloseTo(2, within(0.01));
  }

  @Test
  void clientsThatWereMadeAreClosedIfOneCannotBe() {
    List<Integer> closed = new ArrayList<>();
    Variant third =
        Variant.of(
            "third",
            worker -> {
              if (worker == 2) {
                throw new IOException("no more");
              }
              return new Load.Client() {
                @Override
                public void operate(Tally tally) {}

                @Override
                public void close() {
                  closed.add(worker);
                }
              };
            });
    assertThatThrownBy(
            () ->
                new LoadDriver(Clock.SYSTEM, rig, 4, 0)
                    .run(third, Duration.ZERO, Span.ofOperations(1)))
        .isInstanceOf(IOException.class)
        .hasMessage("third: no more");
    assertThat(closed).containsExactly(0, 1);
  }

  @Test
  void whatSeveralServersCountAddsUp() throws IOException {
    Counters one = () -> Map.of("late", 2.0, "hedges", 1.0);
    Counters other = () -> Map.of("late", 3.0, "errors", 1.0);
    assertThat(one.and(other).read())
        .containsOnly(Map.entry("late", 5.0), Map.entry("hedges", 1.0), Map.entry("errors", 1.0));
  }

  @Test
  void latenciesAreKeptByKind() throws IOException {
    int[] number = {0};
    Variant mixed =
        Variant.of(
            "mixed",
            worker ->
                tally -> {
                  boolean scan = number[0]++ % 4 == 0;
                  tally.kind(scan ? "scan" : "get");
                  clock.pass(Duration.ofMillis(scan ? 50 : 5));
                });
    Sample sample =
        new LoadDriver(clock, rig, 1, 0).run(mixed, Duration.ZERO, Span.ofOperations(400));
    assertThat(sample.byKind().get("scan").getTotalCount()).isEqualTo(100);
    assertThat(sample.byKind().get("get").getTotalCount()).isEqualTo(300);
    assertThat(sample.byKind().get("scan").getMean() / 1e6).isCloseTo(50, within(0.1));
    assertThat(sample.byKind().get("get").getMean() / 1e6).isCloseTo(5, within(0.1));
  }

  @Test
  void aFailureEndsTheRunAndNamesTheVariant() {
    Variant failing =
        Variant.of(
            "failing",
            worker ->
                tally -> {
                  throw new IOException("a wrong value");
                });
    assertThatThrownBy(
            () ->
                new LoadDriver(Clock.SYSTEM, rig, 4, 0)
                    .run(failing, Duration.ofSeconds(60), Span.of(Duration.ofSeconds(60))))
        .isInstanceOf(IOException.class)
        .hasMessage("failing: a wrong value");
  }
}
