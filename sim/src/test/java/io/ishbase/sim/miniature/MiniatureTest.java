package io.ishbase.sim.miniature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.ishbase.sim.design.Designs;
import io.ishbase.sim.model.Run;
import io.ishbase.sim.workload.Parameters;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MiniatureTest {
  private static final int FULL = 160_000;

  /** What a cache hits is what it would hit at full size. */
  @ParameterizedTest
  @CsvSource({
    "IN_STORAGE, 0.99, true, 0.05",
    "IN_STORAGE, 0.99, true, 0.2",
    "IN_STORAGE, 0.7, true, 0.1",
    "IN_STORAGE, 0.9, false, 0.1",
    "IN_STORAGE, 0, true, 0.25",
    "B, 0.99, true, 0.1",
    "B, 0.7, false, 0.1",
    "B, 0, true, 0.25",
  })
  void aMiniatureHitsAsOftenAsTheFullCache(
      Designs design, double exponent, boolean scattered, double share) {
    TableLoad table = new TableLoad(FULL, 1000, 8192, exponent, scattered, 20_000, 0, 1);
    Miniature full = new Miniature(table, 1, FULL);
    Miniature small = new Miniature(table, 2, FULL / 8);
    assertThat(full.rows()).isGreaterThan(7 * small.rows());
    assertThat(small.run(design, share).ofGet())
        .isCloseTo(full.run(design, share).ofGet(), within(0.01));
  }

  /** Rows that are asked for alike: a cache of a quarter of them hits a quarter. */
  @ParameterizedTest
  @CsvSource({"0.1", "0.25", "0.5"})
  void ofUniformReadsAnLruHitsItsShare(double share) {
    TableLoad table = new TableLoad(1e9, 1000, 1000, 0, true, 1000, 0, 1);
    Fetches fetches = new Miniature(table, 1).run(Designs.B, share);
    assertThat(fetches.ofGet()).isCloseTo(1 - share, within(0.01));
  }

  /** Where the line is short, the engine of requests carries what the plan's arithmetic says. */
  @ParameterizedTest
  @CsvSource({"IN_STORAGE, 1278, 0.1", "B, 65536, 0.1"})
  void requestsOneByOneComeToTheSame(Designs design, int fetchBytes, double share) {
    int cell = 1024;
    boolean isBlock = design == Designs.B;
    Parameters parameters =
        Parameters.seed()
            .with("blocks", 2048)
            .with("cell.bytes", cell)
            .with("requests", 1_200_000)
            .with("clients", 64)
            .with("get.share", 1)
            .with("zipf.place", "scattered")
            .with("line", "constant")
            .with("line.mbps", 50)
            .with("answer.bytes", isBlock ? 0 : fetchBytes - cell)
            .with("cache", share);
    double qps = Run.of(design, parameters, 1).qps();
    TableLoad table = new TableLoad(2048 * 64, cell, 65536, 0.9, true, qps, 0, 1);
    Fetches fetches = new Miniature(table, 1).run(design, share);
    double bytes = fetches.ofGet() * fetchBytes + fetches.unaskedBytes();
    assertThat(qps).isCloseTo(50e6 / 8 / bytes, withinPercentage(5));
  }

  /** Popular rows are so many of the reads: no cache hits more than one that knows them. */
  @ParameterizedTest
  @ValueSource(ints = {100, 1_100, 1_500, 5_000})
  void noCacheHitsMoreThanOneThatKnowsWhatIsPopular(int rowBytes) {
    TableLoad table = new TableLoad(2e9, rowBytes, 65536, 0.9, true, 30_000, 0, 1);
    Miniature miniature = new Miniature(table, 1);
    for (double share : new double[] {miniature.leastShare(), 0.3}) {
      double best = (Math.pow(share * table.rows(), 0.1) - 1) / (Math.pow(table.rows(), 0.1) - 1);
      double hits = 1 - miniature.run(Designs.IN_STORAGE, share).ofGet();
      assertThat(hits).isBetween(best - 0.15, best + 0.01);
    }
  }

  @ParameterizedTest
  @CsvSource({"IN_STORAGE", "B"})
  void aCurveFalls(Designs design) {
    TableLoad table = new TableLoad(1e8, 1000, 65536, 0.9, true, 1000, 10, 30);
    Curve curve = Curve.of(new Miniature(table, 1, 8192), design, 4);
    assertThat(curve.at(0).ofGet()).isEqualTo(1);
    double before = 1;
    for (double share = 0.001; share < 2; share *= 1.5) {
      double misses = curve.at(share).ofGet();
      assertThat(misses).isBetween(0.0, before + 0.01);
      before = misses;
    }
    assertThat(before).isLessThan(0.01);
  }
}
