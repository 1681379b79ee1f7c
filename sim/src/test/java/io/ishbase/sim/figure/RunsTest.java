package io.ishbase.sim.figure;

import static org.assertj.core.api.Assertions.assertThat;

import io.ishbase.sim.design.Designs;
import io.ishbase.sim.workload.Parameters;
import org.junit.jupiter.api.Test;

class RunsTest {
  @Test
  void anySeedMayBeTheFirstOfSeveral() {
    Parameters small = Parameters.seed().with("blocks", 64).with("requests", 200);
    Runs runs = new Runs(small, Long.MAX_VALUE, 2, () -> {});
    assertThat(runs.of(Designs.B, small)).hasSize(2);
  }
}
