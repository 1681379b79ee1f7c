package io.ishbase.sim.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.ishbase.sim.design.Designs;
import io.ishbase.sim.workload.Parameters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RunTest {
  private static final Parameters SMALL =
      Parameters.seed().with("blocks", 512).with("requests", 20_000).with("flush.bytes", 65536);

  @ParameterizedTest
  @EnumSource(Designs.class)
  void theSameSeedGivesTheSame(Designs design) {
    Parameters mixed = SMALL.with("read.share", 0.8).with("clients", 3);
    Outcome once = Run.of(design, mixed, 5);
    assertThat(Run.of(design, mixed, 5)).isEqualTo(once);
    assertThat(Run.of(design, mixed, 6)).isNotEqualTo(once);
    assertThat(once.requests()).isEqualTo(20_000);
  }

  /** Half the time for everything: the same happens in half the time. */
  @ParameterizedTest
  @EnumSource(
      value = Designs.class,
      names = {"B", "K", "KB", "KB_NET", "SA"})
  void twiceTheSpeedIsHalfTheTime(Designs design) {
    Parameters fast = SMALL;
    for (String name :
        new String[] {"line.mbps", "line.least.mbps", "theta.mbps", "upgrade.mbps"}) {
      fast = fast.with(name, 2 * SMALL.number(name));
    }
    for (String name :
        new String[] {"round.trip.ms", "cpu.query.us", "cpu.rpc.us", "cpu.cell.us"}) {
      fast = fast.with(name, SMALL.number(name) / 2);
    }
    Outcome slowly = Run.of(design, SMALL, 1);
    Outcome quickly = Run.of(design, fast, 1);
    // Times are whole nanoseconds.
    assertThat(2.0 * quickly.nanos()).isCloseTo(slowly.nanos(), withinPercentage(0.001));
    assertThat(quickly.rpcs()).isEqualTo(slowly.rpcs());
    assertThat(quickly.bytesIn()).isEqualTo(slowly.bytesIn());
    assertThat(quickly.getHits()).isEqualTo(slowly.getHits());
    assertThat(quickly.upgrades()).isEqualTo(slowly.upgrades());
  }

  /** Without a cache to speak of and one client, all is arithmetic. */
  @Test
  void aGetByBlocksTakesWhatTheFormulaSays() {
    Parameters gets =
        SMALL
            .with("get.share", 1)
            .with("keys", "uniform")
            .with("line", "constant")
            .with("line.mbps", 64)
            .with("cache", 0)
            .with("cpu.query.us", 0)
            .with("cpu.rpc.us", 0);
    Outcome outcome = Run.of(Designs.B, gets, 1);
    double hits = (double) outcome.getHits() / outcome.gets();
    // Section 5.2.1: T + 8 D / W.
    double expected = 3.5e6 + 8 * 65536 / 0.064;
    assertThat(hits).isLessThan(0.01);
    assertThat(outcome.meanNanos()).isCloseTo((1 - hits) * expected, within(10.0));
    assertThat(outcome.bytesIn()).isEqualTo(65536 * outcome.rpcs());
  }

  private static Parameters gets(double mbps, int cellBytes) {
    return SMALL
        .with("get.share", 1)
        .with("keys", "uniform")
        .with("line", "constant")
        .with("line.calls", "in-order")
        .with("line.mbps", mbps)
        .with("cell.bytes", cellBytes)
        .with("segment.cache", "off")
        .with("requests", 1000)
        .with("clients", 8)
        .with("cpu.query.us", 0)
        .with("cpu.rpc.us", 0)
        .with("round.trip.ms", 0.05);
  }

  /** Small answers to large requests: the line to storage is full, not the one from there. */
  @Test
  void bothDirectionsOfALineCount() {
    Parameters small =
        gets(8, 114).with("request.bytes", 250).with("answer.bytes", 100).with("cpu.cell.us", 0);
    Outcome outcome = Run.of(Designs.IN_STORAGE, small, 1);
    assertThat(outcome.bytesIn()).isEqualTo(214 * 1000);
    assertThat(outcome.bytesOut()).isEqualTo(250 * 1000);
    assertThat(outcome.requests() * 1e9 / outcome.nanos())
        .isCloseTo(1e6 / 250, withinPercentage(1));
    assertThat(outcome.outBusy()).isGreaterThan(0.99);
    assertThat(outcome.inBusy()).isBetween(0.84, 0.88);
  }

  /** Headers use the line; an interface sees them where runs of packets are split. */
  @Test
  void headersUseTheLineAndCountWhereRunsAreSplit() {
    Parameters blocks =
        gets(512, 1024)
            .with("cache", 0)
            .with("line.segment.bytes", 1448)
            .with("line.header.bytes", 66)
            .with("line.split.share", 1)
            .with("line.ack.us", 0);
    int packets = 46;
    double wire = 65536 + 66 * (packets - 1);
    Outcome whole = Run.of(Designs.B, blocks.with("line.burst.bytes", 128_000), 1);
    assertThat(whole.bytesIn()).isEqualTo(65536 * whole.blocks());
    assertThat(whole.bytesOut()).isZero();
    assertThat(whole.blocks() * wire * 8e3 / whole.nanos()).isCloseTo(512, withinPercentage(1));
    Outcome split = Run.of(Designs.B, blocks.with("line.burst.bytes", 32_000), 1);
    assertThat((double) split.bytesIn()).isCloseTo(wire * split.blocks(), withinPercentage(0.01));
    // An acknowledgement for two packets.
    assertThat((double) split.bytesOut())
        .isCloseTo(65536 / 1448.0 / 2 * 66 * split.blocks(), withinPercentage(0.01));
    assertThat(split.nanos()).isEqualTo(whole.nanos());
  }

  /** On a capped line each run of a long answer is acknowledged, but for the last. */
  @Test
  void longAnswersAreAcknowledged() {
    Parameters scans =
        gets(512, 1024)
            .with("get.share", 0)
            .with("scan.rows", 256)
            .with("scan.lengths", "fixed")
            .with("requests", 20)
            .with("line.segment.bytes", 1448)
            .with("line.header.bytes", 66)
            .with("line.burst.bytes", 128_000);
    Outcome capped = Run.of(Designs.IN_STORAGE, scans, 1);
    assertThat(capped.bytesOut()).isBetween(20 * 2 * 66L, 20 * 3 * 66L);
    assertThat(Run.of(Designs.IN_STORAGE, scans.with("line.burst.bytes", 0), 1).bytesOut())
        .isZero();
  }

  @Test
  void answersThatComePackedAreSmaller() {
    Parameters packed = gets(512, 1000).with("answer.bytes", 100).with("answer.packed.share", 0.25);
    Outcome outcome = Run.of(Designs.IN_STORAGE, packed, 1);
    assertThat(outcome.bytesIn()).isEqualTo(350 * outcome.requests());
  }

  @Test
  void messagesThatWaitForTheLineAreSmaller() {
    Parameters few =
        gets(8, 1050)
            .with("request.bytes", 250)
            .with("queued.request.bytes", 20)
            .with("queued.answer.bytes", 10);
    Outcome alone = Run.of(Designs.IN_STORAGE, few.with("clients", 1), 1);
    assertThat(alone.bytesIn()).isEqualTo(1050 * 1000);
    assertThat(alone.bytesOut()).isEqualTo(250 * 1000);
    Outcome full = Run.of(Designs.IN_STORAGE, few, 1);
    assertThat(full.bytesIn() / 1000.0).isBetween(1040.0, 1041.0);
    assertThat(full.bytesOut() / 1000.0).isBetween(230.0, 231.0);
  }

  /** All work on the same processors: they are busy all the time, with all of it. */
  @Test
  void processorsThatAreShared() {
    Parameters work =
        gets(100_000, 1024)
            .with("processors", "shared")
            .with("region.server.processors", 2)
            .with("cpu.query.us", 60)
            .with("cpu.rpc.us", 100)
            .with("cpu.cell.us", 40);
    Outcome outcome = Run.of(Designs.IN_STORAGE, work, 1);
    assertThat(outcome.cpuNanos()).isEqualTo(200_000L * 1000);
    assertThat((double) outcome.nanos()).isCloseTo(100_000.0 * 1000, withinPercentage(1));
  }

  @Test
  void whatHappensInTheWarmUpDoesNotCount() {
    Parameters warm = gets(512, 1024).with("cache", 2);
    Outcome cold = Run.of(Designs.B, warm, 1);
    assertThat(cold.blocks()).isGreaterThan(400);
    Outcome after = Run.of(Designs.B, warm.with("warmup.requests", 20_000), 1);
    assertThat(after.requests()).isEqualTo(1000);
    assertThat(after.gets()).isEqualTo(1000);
    assertThat(after.blocks()).isZero();
    assertThat(after.bytesIn()).isZero();
  }

  @Test
  void scansOfOneLengthAndTheCellBehindTheirLimit() {
    Parameters scans =
        gets(512, 1024)
            .with("get.share", 0)
            .with("scan.rows", 10)
            .with("scan.lengths", "fixed")
            .with("scan.more.cells", 1);
    Outcome outcome = Run.of(Designs.IN_STORAGE, scans, 1);
    assertThat(outcome.scans()).isEqualTo(1000);
    assertThat(outcome.bytesIn()).isBetween(1000L * 11 * 1024 - 20 * 10 * 1024, 1000L * 11 * 1024);
  }

  /** Clients are as many as the rate times the mean stay; at the end they leave one by one. */
  @Test
  void littlesLawHolds() {
    Parameters many = SMALL.with("clients", 8).with("line", "sine");
    for (Designs design : Designs.values()) {
      Outcome outcome = Run.of(design, many, 1);
      double present = outcome.requests() * outcome.meanNanos() / outcome.nanos();
      assertThat(present).as(design.label()).isBetween(7.85, 8.0);
    }
  }

  /** What warms up counts in nothing: neither in windows nor in upgrades. */
  @Test
  void warmingUpIsNoPartOfTheOutcome() {
    Parameters warmed = SMALL.with("requests", 5_000).with("warmup.requests", 15_000);
    Outcome all = Run.of(Designs.SA, SMALL, 1);
    Outcome outcome = Run.of(Designs.SA, warmed, 1);
    assertThat(outcome.requests()).isEqualTo(5_000);
    assertThat(all.upgrades()).isPositive();
    assertThat(outcome.upgrades()).isLessThan(all.upgrades() / 2);
    long inWindows = outcome.windows().stream().mapToLong(Outcome.Window::queries).sum();
    assertThat(inWindows).isPositive().isLessThanOrEqualTo(outcome.queries());
  }
}
