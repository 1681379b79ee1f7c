package io.ishbase.sim.design;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ishbase.sim.model.Outcome;
import io.ishbase.sim.model.Run;
import io.ishbase.sim.workload.Parameters;
import io.ishbase.sim.workload.Presets;
import io.ishbase.sim.workload.RequestStream;
import io.ishbase.sim.workload.Requests;
import io.ishbase.testing.Seed;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BoundsTest {
  /** On short rows of Gets: as many hits as the best of all ways to keep rows. */
  @Test
  void nothingBeatsBelady() {
    SplittableRandom random = new SplittableRandom(Seed.get());
    for (int round = 0; round < 200; round++) {
      int[] rows = random.ints(8, 0, 5).toArray();
      int capacity = random.nextInt(4);
      assertThat(hits(Bounds.BELADY, rows, capacity))
          .as("round %s", round)
          .isEqualTo(best(rows, 0, Set.of(), capacity));
    }
  }

  /** The most hits from a request on, with these rows held. */
  private static int best(int[] rows, int at, Set<Integer> held, int capacity) {
    if (at == rows.length) {
      return 0;
    }
    int hit = held.contains(rows[at]) ? 1 : 0;
    int best = best(rows, at + 1, held, capacity);
    if (hit == 0) {
      Set<Integer> more = new HashSet<>(held);
      more.add(rows[at]);
      if (more.size() <= capacity) {
        best = Math.max(best, best(rows, at + 1, more, capacity));
      } else if (capacity > 0) {
        for (int victim : held) {
          Set<Integer> other = new HashSet<>(more);
          other.remove(victim);
          best = Math.max(best, best(rows, at + 1, other, capacity));
        }
      }
    }
    return hit + best;
  }

  @Test
  void theMostPopularRowsAreHeldFromTheBeginning() {
    int[] rows = {3, 1, 3, 2, 3, 1, 0};
    assertThat(hits(Bounds.POPULAR, rows, 1)).isEqualTo(3);
    assertThat(hits(Bounds.POPULAR, rows, 2)).isEqualTo(5);
    assertThat(hits(Bounds.POPULAR, rows, 0)).isZero();
    assertThat(hits(Bounds.POPULAR, rows, 9)).isEqualTo(7);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ycsb-c", "zipf", "moving", "mixgraph"})
  void noDesignOfRowsHitsMoreThanBelady(String preset) {
    Parameters parameters =
        Presets.of(preset)
            .with("blocks", 64)
            .with("requests", 5000)
            .with("cache", 0.005)
            .with("read.share", 1)
            .with("get.share", 1)
            .with("moving.requests", 1000);
    double bound = hits(Bounds.BELADY, parameters);
    assertThat(hits(Designs.K, parameters)).isPositive().isLessThan(bound);
    assertThat(hits(Bounds.POPULAR, parameters)).isPositive();
  }

  @Test
  void allAreFoundByTheirNames() {
    assertThat(Contender.named("sa")).isEqualTo(Designs.SA);
    assertThat(Contender.named("IS-HBase-KB-NET")).isEqualTo(Designs.KB_NET);
    assertThat(Contender.named(" b ")).isEqualTo(Designs.B);
    assertThat(Contender.named("HBase-B")).isEqualTo(Designs.B);
    assertThat(Contender.named("in-storage")).isEqualTo(Designs.IN_STORAGE);
    assertThat(Contender.named("belady")).isEqualTo(Bounds.BELADY);
    assertThatThrownBy(() -> Contender.named("LFU"))
        .hasMessage(
            "No design 'LFU': there are HBase-B, IS-HBase-K, IS-HBase-KB, IS-HBase-KB-NET,"
                + " IS-HBase-SA, in-storage, auto, popular, Belady");
  }

  private static double hits(Contender contender, Parameters parameters) {
    return Run.of(contender, parameters, () -> new Requests(parameters, 1)).getHits();
  }

  private static long hits(Contender contender, int[] rows, int capacity) {
    Parameters parameters =
        Parameters.seed()
            .with("blocks", 1)
            .with("requests", rows.length)
            .with("cache", (capacity + 0.5) / 1024);
    Outcome outcome = Run.of(contender, parameters, () -> new Gets(rows));
    assertThat(outcome.requests()).isEqualTo(rows.length);
    assertThat(outcome.rpcs()).isEqualTo(rows.length - outcome.getHits());
    return outcome.getHits();
  }

  private static final class Gets implements RequestStream {
    private final int[] keys;
    private int at = -1;

    Gets(int[] keys) {
      this.keys = keys;
    }

    @Override
    public boolean next() {
      return ++at < keys.length;
    }

    @Override
    public Kind kind() {
      return Kind.GET;
    }

    @Override
    public int key() {
      return keys[at];
    }

    @Override
    public int rows() {
      return 1;
    }
  }

  /** What warms up is asked for too. */
  @Test
  void boundsKnowWhatWarmsUp() {
    int[] rows = {3, 1, 3, 2, 3, 1, 0, 3};
    Parameters parameters =
        Parameters.seed()
            .with("blocks", 1)
            .with("warmup.requests", 4)
            .with("requests", 4)
            .with("cache", 2.5 / 1024);
    for (Bounds bound : Bounds.values()) {
      Outcome outcome = Run.of(bound, parameters, () -> new Gets(rows));
      assertThat(outcome.gets()).isEqualTo(4);
      assertThat(outcome.getHits()).as(bound.label()).isEqualTo(3);
    }
  }
}
