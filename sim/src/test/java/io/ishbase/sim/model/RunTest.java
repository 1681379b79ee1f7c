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
}
