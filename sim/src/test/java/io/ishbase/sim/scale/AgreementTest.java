package io.ishbase.sim.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import io.ishbase.sim.design.Designs;
import io.ishbase.sim.model.Outcome;
import io.ishbase.sim.model.Run;
import io.ishbase.sim.plan.Inputs;
import io.ishbase.sim.plan.PlanFile;
import io.ishbase.sim.plan.TableCurves;
import io.ishbase.sim.workload.Parameters;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A cluster that both can do, one region server and one storage node: rates and miniatures on one
 * hand, each request and each row on the other.
 */
class AgreementTest {
  private static final int ROW_BYTES = 1_000;
  private static final int BLOCKS = 2_016;
  private static final int BLOCK_BYTES = 65_000;
  private static final long TABLE_BYTES = (long) BLOCKS * BLOCK_BYTES;
  private static final double CACHE = 0.1;

  /** Of a Get in-storage, besides its row. */
  private static final int ANSWER_BYTES = 158;

  private static final int WARM_UP = 500_000;
  private static final int REQUESTS = 300_000;

  private static final List<String> CLUSTER =
      List.of(
          "region.servers = 1",
          "region.server.cores = 2",
          "region.server.mbps = 200",
          "block.cache = " + (long) (CACHE * TABLE_BYTES),
          "storage.nodes = 1",
          "storage.cores = 2",
          "storage.mbps = 200",
          "block.in.factor = 1",
          "get.in.bytes = " + ANSWER_BYTES,
          "scan.in.bytes = " + ANSWER_BYTES,
          "scan.row.bytes = 1",
          "cpu.read.us = 80",
          "cpu.block.us = 0.001",
          "cpu.rpc.us = 0.001",
          "cpu.block.storage.us = 70",
          "cpu.rpc.storage.us = 70",
          "cpu.row.storage.us = 4",
          "[table t]",
          "regions = 4",
          "bytes = " + TABLE_BYTES,
          "row.bytes = " + ROW_BYTES,
          "block.bytes = " + BLOCK_BYTES,
          "files = 1",
          "gets = 20000",
          "puts = 1",
          "skew = 0.9");

  private static final Parameters FINE =
      Parameters.seed()
          .with("blocks", BLOCKS)
          .with("block.bytes", BLOCK_BYTES)
          .with("cell.bytes", ROW_BYTES)
          .with("cache", CACHE)
          .with("get.share", 1)
          .with("zipf.exponent", 0.9)
          .with("zipf.place", "scattered")
          .with("clients", 128)
          .with("line", "constant")
          .with("line.mbps", 200)
          .with("round.trip.ms", 0.3)
          .with("region.server.processors", 2)
          .with("storage.processors", 2)
          .with("cpu.query.us", 80)
          .with("cpu.rpc.us", 70)
          .with("cpu.cell.us", 0);

  @Test
  void oneServerAndOneNode() {
    Inputs inputs = PlanFile.read("agreement", CLUSTER);
    TableCurves curves = new TableCurves(inputs, inputs.tables().get(0), 1, () -> {});
    DayResult.Step coarse =
        new Day(new Setup(1, 1, 4, 1), inputs, curves, 1, () -> 0).run(() -> {}).steps().get(0);

    // The line limits blocks, the region server's processors what comes by cells.
    Fine blocks = fine(Designs.B, FINE);
    assertThat(coarse.bytesToday() / coarse.demanded())
        .isCloseTo(blocks.bytesOfRequest, withPercentage(5));
    assertThat(coarse.carriedToday()).isCloseTo(blocks.qps, withPercentage(5));
    Fine cells = fine(Designs.IN_STORAGE, FINE.with("answer.bytes", ANSWER_BYTES));
    assertThat(coarse.bytesWith() / coarse.demanded())
        .isCloseTo(cells.bytesOfRequest, withPercentage(5));
    assertThat(coarse.carriedWith()).isCloseTo(cells.qps, withPercentage(5));
  }

  private record Fine(double qps, double bytesOfRequest) {}

  /** What comes once the caches are warm. */
  private static Fine fine(Designs design, Parameters parameters) {
    Outcome outcome =
        Run.of(design, parameters.with("warmup.requests", WARM_UP).with("requests", REQUESTS), 1);
    return new Fine(outcome.qps(), (double) outcome.bytesIn() / outcome.requests());
  }
}
